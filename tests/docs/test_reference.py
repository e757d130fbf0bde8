"""config/README.md agrees with the classes, and the study template is valid."""

import re
from pathlib import Path

import yaml
from reference import reference
from reseed.config.studies import Experiment, Study
from reseed.data.registry import READERS
from reseed.plugins import kinds
from schemas import CONFIG_CLASSES, build_json_schema

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "config" / "README.md").read_text(encoding="utf-8")


def test_page_agrees_with_the_classes():
    assert reference(PAGE) == PAGE, "run: make schemas"


def test_every_field_is_documented():
    for name, cls in CONFIG_CLASSES.items():
        schema = build_json_schema(cls)
        for part in (schema, *schema.get("$defs", {}).values()):
            for field, entry in part.get("properties", {}).items():
                assert re.search(rf"^- `{field}`( \(.+\))?: \S", PAGE, re.MULTILINE), (name, field)
                assert entry.get("description") or "const" in entry, (name, part["title"], field)


def test_every_kind_and_option_is_documented():
    documented = re.compile(r"^(?:  )?- `(\w+)`(?: \(.+\))?: \S")
    _, *sections = re.split(r"\nOptions of several kinds.*\n", PAGE)
    sections = dict(zip(("analyses", "exhibits", "readers"), sections, strict=False))
    for family in ("analyses", "exhibits"):
        shared, *blocks = re.split(r"^- \*\*", sections[family], flags=re.MULTILINE)
        common = {m[1] for m in map(documented.match, shared.splitlines()) if m}
        by_name = {block.split("`")[1]: block for block in blocks}
        for name, kind in kinds.built_in_kinds(family).items():
            first, *lines = by_name[name].splitlines()
            own = {m[1] for m in map(documented.match, lines) if m}
            also = set(re.findall(r"`(\w+)`", first.partition(" Also ")[2]))
            assert also <= common, name
            options = getattr(kinds.load_kind(kind), "Options", None)
            fields = options.model_fields if options else {}
            assert {field.alias or name for name, field in fields.items()} <= own | also, name
    for name in READERS:
        assert f"- **`{name}`**: " in PAGE


def test_template_is_a_valid_study_with_all_fields():
    [_, text] = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    study = Study.model_validate(yaml.safe_load(text))
    for name, analysis in study.analyses.items():
        kinds.read_options(kinds.find_kind("analyses", analysis.kind), analysis.options)
        assert name in {exhibit.analysis for exhibit in study.exhibits.values()}
    shown = set(yaml.safe_load(text))
    assert set(Study.model_fields) - shown == {
        "citation", "coverage", "metric", "notes", "paper", "position", "results", "statements",
    }  # fmt: skip
    experiments = [set(entry) for entry in yaml.safe_load(text)["experiments"].values()]
    assert {"title", "seeds", "arms"} <= set().union(*experiments) <= set(Experiment.model_fields)
