# Two commands: `make run` sets up and starts the portal with its demo; `make test` sets up and runs
# the whole gate. All they need goes into .venv and var. Only what the system itself must bring
# (Python's venv, Pango for the PDF of certificates, Chromium and PostgreSQL for the tests) is installed
# outside, and only where they may.
#
#   make run PORT=8001          another port           make run DEMO=0    without the demo (.env.example)
#   make test TESTS=tests/runs  only these tests       make format        tidy the code
#   make fuzz INPUTS=10000      gives so many damaged files to every reader of files, which must say
#                               a sentence or read them; READERS="csv xlsx" to only some
#   make audit DRAWS=10         the noise of private answers, all cases of it, with so many times the
#                               draws of the gate: sees what tells tables apart by less
#   make walk PICTURES=var/walk three messy tables from upload to package: times, presses, and every
#                               page photographed; TABLES="register.xlsx" walks only some

MAKEFLAGS += --no-print-directory
# Where it is set, every process would compile all it imports anew.
unexport PYTHONDONTWRITEBYTECODE
PY := .venv/bin/python
TEMPLATES := .venv/bin/djangofmt
DEMO ?= 1
TESTS ?=
INPUTS ?= 10000
READERS ?=
DRAWS ?= 10
PICTURES ?= var/walk
TABLES ?=
BROWSERS := chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable

.SILENT:
.NOTPARALLEL:
.PHONY: run test fuzz audit walk checks format environment run-packages test-packages pango browser database

# exec: a signal for the recipe reaches the portal itself, which then stops everything it started.
run: run-packages pango
	DEMO=$(DEMO) exec $(PY) manage.py portal

# What the system must bring is installed while the checks go on: that is waiting for the most part.
test: test-packages
	$(MAKE) pango browser database & installing=$$!; \
	$(if $(TESTS),true,$(MAKE) checks); checked=$$?; \
	wait $$installing && exit $$checked
	echo "Tests."
	$(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder -q $(TESTS)

fuzz: test-packages
	$(PY) -m tests.fuzz --inputs $(INPUTS) $(READERS)

audit: test-packages
	AUDIT_DRAWS=$(DRAWS) $(PY) -m pytest -n 2 -q -m "long or not long" \
		tests/engine/differential/test_audit.py

walk: test-packages pango browser
	$(PY) -m tests.journeys.walk --pictures $(PICTURES) $(TABLES)

checks: test-packages
	echo "Format."
	$(PY) -m ruff format --check --quiet . && $(TEMPLATES) --check --quiet templates || { echo "Run: make format"; exit 1; }
	echo "Lint."
	$(PY) -m ruff check --quiet .
	$(TEMPLATES) check templates
	echo "Types. Meanwhile the other core looks for changes without a migration and compiles the"
	echo "kernels that most tests need; then both compile, from both ends until they meet."
	{ DJANGO_SETTINGS_MODULE=tests.settings $(PY) manage.py makemigrations --check --dry-run && \
		$(PY) -c 'from deid_portal.engine.kernel_warm_up import warm_up; warm_up()'; } & others=$$!; \
	$(PY) -m mypy; types=$$?; \
	[ $$types = 0 ] && kill -0 $$others 2>/dev/null && \
		$(PY) -c 'from deid_portal.engine.kernel_warm_up import warm_up_rest; warm_up_rest(backwards=True)'; \
	wait $$others && exit $$types

format: test-packages
	$(PY) -m ruff check --fix --quiet . || true
	$(PY) -m ruff format .
	$(TEMPLATES) check --fix --quiet templates || true
	$(TEMPLATES) templates

# Installs the system package $(1), where this user may.
system_install = { \
	as_root=; [ "$$(id -u)" = 0 ] || as_root="sudo -n"; \
	command -v apt-get >/dev/null && export DEBIAN_FRONTEND=noninteractive && { \
		$$as_root apt-get install -qq -y --no-install-recommends $(1) >/dev/null 2>&1 || { \
			$$as_root apt-get update -qq >/dev/null 2>&1; \
			$$as_root apt-get install -qq -y --no-install-recommends $(1) >/dev/null 2>&1; }; }; }

environment:
	if $(PY) -c 'import pip' 2>/dev/null; then exit 0; fi; \
	for python in $(PYTHON) python3.11 python3; do \
		$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; \
		python=; \
	done; \
	if [ -z "$$python" ]; then echo "The portal needs Python 3.11 or newer."; exit 1; fi; \
	package=$$($$python -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])'); \
	echo "Making the virtual environment .venv."; \
	make_it() { rm -rf .venv; $$python -m venv .venv >/dev/null 2>&1; }; \
	make_it || { $(call system_install,$$package) && make_it; } || { \
		rm -rf .venv; \
		echo "Python's venv module is missing. Install it, for example: sudo apt-get install $$package"; \
		exit 1; }

# Installs the requirements files $(2), unless the stamp $(1) says that just these are installed.
define install
now=$$(cat $(2) | sha256sum); \
if [ "$$now" = "$$(cat .venv/$(1) 2>/dev/null)" ]; then exit 0; fi; \
echo "Installing packages (only when the requirements have changed)."; \
uv=.venv/bin/uv; \
[ -x $$uv ] || $(PY) -m pip install --quiet --disable-pip-version-check uv >/dev/null 2>&1; \
$$uv pip install --quiet --python $(PY) $(addprefix -r ,$(2)) 2>.venv/uv.log || { \
	echo "uv could not install them (.venv/uv.log); pip takes over, which is slower."; \
	$(PY) -m pip install --quiet --disable-pip-version-check $(addprefix -r ,$(2)); \
} || { echo "The packages could not be installed; the reason is above."; exit 1; }; \
echo "$$now" > .venv/$(1)
endef

run-packages: environment
	$(call install,run.stamp,requirements.txt)

test-packages: run-packages
	$(call install,test.stamp,requirements.txt tests/requirements.txt)

# Sets the text of certificates; without it packages have no PDF, and say so.
pango:
	there() { PATH="$$PATH:/sbin:/usr/sbin" ldconfig -p 2>/dev/null | grep -q libpangoft2; }; \
	if there; then exit 0; fi; \
	echo "Installing Pango for the PDF of certificates."; \
	$(call system_install,libpango-1.0-0 libpangoft2-1.0-0); \
	there || echo "Without Pango packages have no certificate.pdf: sudo apt-get install libpango-1.0-0 libpangoft2-1.0-0"

browser:
	there() { for name in $(BROWSERS); do command -v $$name >/dev/null && return 0; done; return 1; }; \
	if there; then exit 0; fi; \
	echo "Installing Chromium for the browser tests."; \
	$(call system_install,chromium-headless-shell); \
	there || $(call system_install,chromium); \
	there || { \
		echo "The browser tests need Chromium. Install it, for example: sudo apt-get install chromium"; \
		exit 1; }

# The tests start a server of their own in a temporary folder; only its programs are needed.
database:
	there() { [ -n "$$(ls -d /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] || command -v initdb >/dev/null; }; \
	if there; then exit 0; fi; \
	echo "Installing PostgreSQL for the tests that read from a database."; \
	$(call system_install,postgresql); \
	there || { \
		echo "Some tests need PostgreSQL. Install it, for example: sudo apt-get install postgresql"; \
		exit 1; }
