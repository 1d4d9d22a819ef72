"""A part of a report: a frozen dataclass that is read from JSON and written to it.

The fields are the entries, in their order; `from_` is the entry "from", a keyword of Python. The
declaration of a field says when its entry is present:

    rows: RowCounts                 always, in a whole report
    who_pays: WhoPays | None = None if it was measured; otherwise absent, read as None
    level: int | None               always; null if not known or not applicable
    level: int | None = null()      the same, and a report that leaves it out reads as null
    parameters: Mapping = rest()    all entries that no other field names, such as those of a rule

Viewers often get only a part of a report. Reading an entry of the first kind that is absent from
it raises `NotTold`, so a missing figure is never taken for a zero. Unknown entries are ignored,
so that reports of other versions can be read.

If an entry has one of several types (`Walk | NoWalk`), the first one is chosen whose required
entries are all present and whose `Literal` fields match.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    Self,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from deid_portal.engine.errors import InvalidReport

Read = Callable[[Any], Any]
LONGEST_PLACE = 200
NULL, REST = "null", "rest"  # metadata of fields
KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
SCALARS = frozenset((*KINDS, NoneType))


class NotTold(AttributeError):  # noqa: N818 - the name says what is wrong
    """The report lacks the entry that was read."""


def null() -> Any:
    """Declare an entry that is null if not applicable, and may be absent when read."""
    return field(default=None, metadata={NULL: True})


def rest() -> Any:
    """Declare the field that holds all entries which no other field names."""
    return field(default_factory=dict, metadata={REST: True})


@dataclass(frozen=True)
class Part:
    """An object in a report."""

    def __init_subclass__(cls) -> None:
        """Use a repr and equality over present entries; those of dataclasses need every field."""
        cls.__repr__ = Part.__repr__  # type: ignore[method-assign]
        cls.__eq__ = Part.__eq__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        entries = self._entries().items()
        told = [f"{name}={own!r}" for name, own in entries if own is not MISSING]
        return f"{type(self).__name__}({', '.join(told)})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Part) or type(other) is not type(self):
            return NotImplemented
        return self._entries() == other._entries()

    def _entries(self) -> dict[str, Any]:
        return {name: getattr(self, name, MISSING) for name in type(self).__dataclass_fields__}

    @classmethod
    def from_document(cls, document: Any) -> Self:
        """Read a part; raises InvalidReport if an entry has the wrong type."""
        try:
            return cast(Self, _read_part(cls, document))
        except _Refused as refused:
            raise InvalidReport(refused.sentence) from None

    def to_document(self) -> dict[str, Any]:
        own = vars(self)
        document: dict[str, Any] = {}
        for entry in _form(type(self)).entries:
            value = own.get(entry.name, MISSING)
            if entry.is_rest:
                document |= written(value)
            elif value is not MISSING and (value is not None or entry.is_null_written):
                document[entry.key] = written(value)
        return document

    @classmethod
    def telling(cls, **entries: Any) -> Self:
        """Make a part that has only these entries, as if read from a document without others."""
        for name in entries:
            _check_field(cls, name)
        part = object.__new__(cls)
        vars(part).update(entries)
        return part

    def without(self, name: str) -> Self:
        """Return the part without this entry, as if the document did not have it."""
        _check_field(type(self), name)
        return self.telling(**{key: own for key, own in vars(self).items() if key != name})

    def with_entries(self, **entries: Any) -> Self:
        """Return the part with other entries; unlike `replace`, also one that tells not all."""
        return self.telling(**(vars(self) | entries))

    def tells(self, name: str) -> bool:
        """Say whether this part has a value for a field, which parts shown to viewers may lack."""
        _check_field(type(self), name)
        return name in vars(self)

    if not TYPE_CHECKING:  # hidden from mypy, for which an unknown name must stay an error

        def __getattr__(self, name: str) -> Any:
            """Called for absent entries without a default."""
            raise NotTold(f'{type(self).__name__} does not tell "{name}" here.')


def _check_field(kind: type[Part], name: str) -> None:
    if name not in kind.__dataclass_fields__:
        raise ValueError(f"{kind.__name__} has no such field.")


class _Refused(Exception):  # noqa: N818 - becomes an InvalidReport once its place is known
    """A type mismatch; collects the path to the entry while it propagates."""

    def __init__(self, wanted: str) -> None:
        super().__init__(wanted)
        self.wanted, self.place = wanted, ""

    def at(self, step: str) -> Self:
        dot = "." if self.place and not self.place.startswith("[") else ""
        self.place = f"{step}{dot}{self.place}"
        return self

    @property
    def sentence(self) -> str:
        place = self.place or "The report"
        if len(place) > LONGEST_PLACE:
            place = f"…{place[-LONGEST_PLACE:]}"
        return f"{place}: {self.wanted} is needed here."


@dataclass(frozen=True)
class _Entry:
    """How one field of a part is read and written."""

    name: str
    key: str
    read: Read
    is_required: bool
    is_null_written: bool
    is_rest: bool
    words: tuple[Any, ...]  # of a Literal; other values are refused

    @classmethod
    def of(cls, own: Field[Any], hint: Any) -> Self:
        is_required = own.default is MISSING and own.default_factory is MISSING
        return cls(
            name=own.name,
            key=own.name.removesuffix("_"),
            read=_reader(hint),
            is_required=is_required,
            is_null_written=is_required or NULL in own.metadata,
            is_rest=REST in own.metadata,
            words=get_args(hint) if get_origin(hint) is Literal else (),
        )


@dataclass(frozen=True)
class _Form:
    """The entries of one class of parts; the field for all other entries is kept separately."""

    entries: tuple[_Entry, ...]
    read: tuple[tuple[str, str, Read], ...]
    keys: frozenset[str]
    rest: str | None

    def fits(self, document: Any) -> bool:
        return isinstance(document, Mapping) and all(
            entry.key in document and (not entry.words or document[entry.key] in entry.words)
            for entry in self.entries
            if entry.is_required
        )

    @classmethod
    def of(cls, kind: type[Part]) -> Self:
        hints = get_type_hints(kind)
        entries = tuple(_Entry.of(own, hints[own.name]) for own in fields(kind))
        read = tuple((own.key, own.name, own.read) for own in entries if not own.is_rest)
        rests = [own.name for own in entries if own.is_rest]
        return cls(entries, read, frozenset(key for key, _, _ in read), next(iter(rests), None))


_FORMS: dict[type[Part], _Form] = {}  # filled when a class is first read or written


def _form(kind: type[Part]) -> _Form:
    form = _FORMS.get(kind)
    if form is None:
        form = _FORMS[kind] = _Form.of(kind)
    return form


def _read_part(kind: type[Part], document: Any) -> Part:
    if not isinstance(document, Mapping):
        raise _Refused("an object with named entries")
    form = _form(kind)
    part = object.__new__(kind)
    own = vars(part)
    key = ""
    try:
        for key, name, read in form.read:
            if key in document:
                own[name] = read(document[key])
    except _Refused as refused:
        raise refused.at(key) from None
    if form.rest is not None:
        own[form.rest] = {key: item for key, item in document.items() if key not in form.keys}
    return part


def _reader(hint: Any) -> Read:
    """Return a function that reads values of a type and refuses any other."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return lambda value: value
    if origin in (Union, UnionType):
        return _union_reader(arguments)
    if origin is Literal:
        return _literal_reader(arguments)
    if origin is tuple:
        return _tuple_reader(arguments)
    if origin is not None and issubclass(origin, Mapping):
        return _mapping_reader(_reader(arguments[1]))
    if issubclass(hint, Part):
        return lambda value: _read_part(hint, value)
    return _scalar_reader(hint)


def _union_reader(arguments: tuple[Any, ...]) -> Read:
    kinds = [own for own in arguments if own is not NoneType]
    if set(kinds) <= set(KINDS):
        return _scalar_reader(*arguments)
    read = _reader(kinds[0]) if len(kinds) == 1 else _choosing_reader(kinds)
    if NoneType not in arguments:
        return read
    return lambda value: None if value is None else read(value)


def _choosing_reader(kinds: list[type[Part]]) -> Read:
    def read(value: Any) -> Any:
        fitting = next((kind for kind in kinds if _form(kind).fits(value)), None)
        if fitting is None:
            raise _Refused("another form")
        return _read_part(fitting, value)

    return read


def _literal_reader(words: tuple[Any, ...]) -> Read:
    def read(value: Any) -> Any:
        if value not in words:
            raise _Refused(" or ".join(str(word) for word in words))
        return value

    return read


def _scalar_reader(*kinds: type) -> Read:
    # A whole number is accepted as a number; true and false, which Python counts as int, are not.
    accepted = frozenset((*kinds, int) if float in kinds else kinds)

    def read(value: Any) -> Any:
        if type(value) in accepted or (float in accepted and isinstance(value, float)):
            return value
        raise _Refused(" or ".join(KINDS[kind] for kind in kinds if kind in KINDS))

    return read


def _tuple_reader(arguments: tuple[Any, ...]) -> Read:
    if arguments[-1] is not Ellipsis:
        return _fixed_reader([_reader(own) for own in arguments])
    if arguments[0] in (int, float):
        return _numbers_reader(arguments[0])
    read_item = _reader(arguments[0])

    def read(value: Any) -> Any:
        return tuple(_read_items(_checked_list(value), [read_item] * len(value)))

    return read


def _numbers_reader(kind: type) -> Read:
    """Return a fast reader of lists of numbers, which can be long in reports."""
    read_item = _scalar_reader(kind)
    accepted = {kind, int}

    def read(value: Any) -> Any:
        if set(map(type, _checked_list(value))) <= accepted:
            return tuple(value)
        return tuple(_read_items(value, [read_item] * len(value)))

    return read


def _fixed_reader(reads: list[Read]) -> Read:
    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple) or len(value) != len(reads):
            raise _Refused(f"a list of {len(reads)}")
        return tuple(_read_items(value, reads))

    return read


def _checked_list(value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise _Refused("a list")
    return value


def _read_items(items: list[Any] | tuple[Any, ...], reads: list[Read]) -> list[Any]:
    found: list[Any] = []
    try:
        for item, read in zip(items, reads, strict=True):
            found.append(read(item))  # its length tells which item was refused
    except _Refused as refused:
        raise refused.at(f"[{len(found)}]") from None
    return found


def _mapping_reader(read_item: Read) -> Read:
    def read(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise _Refused("an object with named entries")
        found = {}
        key = ""
        try:
            for key, item in value.items():
                found[key] = read_item(item)
        except _Refused as refused:
            raise refused.at(str(key)) from None
        return found

    return read


def written(value: Any) -> Any:
    """Return parts, also those nested in lists and mappings, as a JSON document."""
    if isinstance(value, Part):
        return value.to_document()
    if isinstance(value, Mapping):
        return {key: written(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        is_plain = set(map(type, value)) <= SCALARS
        return list(value) if is_plain else [written(item) for item in value]
    return value
