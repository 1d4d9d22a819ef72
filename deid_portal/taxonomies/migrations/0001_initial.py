import deid_portal.vault.sealed_fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True
    # What a database of before this one has instead.
    replaces = [
        ("taxonomies", "0001_squashed_0004_taken_from_library"),
        ("taxonomies", "0002_taxonomy_versions"),
        ("taxonomies", "0003_team_library"),
        ("taxonomies", "0004_taken_from_library"),
    ]

    dependencies = [
        ("accounts", "0001_initial"),
        ("datasets", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="LibraryTaxonomy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=100)),
                ("number", models.PositiveIntegerField(default=1)),
                ("source", models.CharField(max_length=200)),
                ("tree", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("value_count", models.PositiveIntegerField(default=0)),
                ("height", models.PositiveIntegerField(default=0)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="library_taxonomies",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "ordering": ["name", "-number"],
            },
        ),
        migrations.CreateModel(
            name="TaxonomyVersion",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("words", models.CharField(max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("flat", "Shown or hidden"),
                            ("file", "From a file"),
                            ("tree", "Typed tree"),
                            ("intervals", "Intervals"),
                            ("dates", "Dates"),
                            ("mask", "Masking"),
                        ],
                        max_length=10,
                    ),
                ),
                ("recipe", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("file_text", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("height", models.PositiveIntegerField(default=0)),
                ("uncovered", models.PositiveIntegerField(default=0)),
                ("outline", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("base", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("steps", deid_portal.vault.sealed_fields.SealedJSONField(default=list)),
                ("step_count", models.PositiveIntegerField(default=0)),
                ("done", models.PositiveIntegerField(default=0)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "column",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taxonomy_versions",
                        to="datasets.datasetcolumn",
                    ),
                ),
                (
                    "made_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "taken_from",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="uses",
                        to="taxonomies.librarytaxonomy",
                    ),
                ),
            ],
            options={
                "ordering": ["-number"],
            },
        ),
        migrations.CreateModel(
            name="ColumnTaxonomy",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("flat", "Shown or hidden"),
                            ("file", "From a file"),
                            ("tree", "Typed tree"),
                            ("intervals", "Intervals"),
                            ("dates", "Dates"),
                            ("mask", "Masking"),
                        ],
                        max_length=10,
                    ),
                ),
                ("recipe", deid_portal.vault.sealed_fields.SealedJSONField()),
                ("file_text", deid_portal.vault.sealed_fields.SealedJSONField(null=True)),
                ("height", models.PositiveIntegerField(default=0)),
                ("uncovered", models.PositiveIntegerField(default=0)),
                ("changed_at", models.DateTimeField(auto_now=True)),
                (
                    "changed_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "column",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taxonomy",
                        to="datasets.datasetcolumn",
                    ),
                ),
                (
                    "version",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="taxonomies.taxonomyversion",
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="librarytaxonomy",
            constraint=models.UniqueConstraint(
                fields=("team", "name", "number"), name="one_library_taxonomy_per_number"
            ),
        ),
        migrations.AddConstraint(
            model_name="taxonomyversion",
            constraint=models.UniqueConstraint(
                fields=("column", "number"), name="one_taxonomy_per_number"
            ),
        ),
    ]
