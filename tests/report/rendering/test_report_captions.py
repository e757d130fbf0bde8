"""Captions of Snakemake's report print texts as they are."""

import json

import jinja2
import pytest
from docutils.core import publish_parts
from reseed.report.rendering.report_captions import escape_rst, write_caption

ODD = [
    "* α̂ of RF* and GBM_ is `0.05` |x| {alpha} {{ y }} {% z %} {# c #} \\ <a> [1]_ b__ :math:`x`",
    "1. One of 3",
    "- A dash",
    "A line::",
]


def printed(rst):
    return publish_parts(jinja2.Environment().from_string(rst).render(), writer="html")["body"]


@pytest.mark.parametrize("text", ODD)
def test_texts_are_printed_as_they_are(text):
    html = printed(escape_rst(text))
    assert "system-message" not in html
    plain = jinja2.filters.do_striptags(html)
    assert plain == " ".join(text.split())


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"title": "Table 1", "caption": "It is *higher*."}, ["It is *higher*.", "Scale: demo."]),
        ({"title": "Table 1"}, ["Table 1", "Scale: demo."]),
        ({"title": "Table 1", "empty": "No runs."}, ["No runs.", "Scale: demo."]),
    ],
)
def test_the_caption_is_that_of_the_study_or_the_title(given, expected, tmp_path):
    (tmp_path / "a.b.json").write_text(json.dumps(given | {"footnote": "Scale: demo."}))
    write_caption(tmp_path / "a.b")
    html = printed((tmp_path / "a.b.rst").read_text())
    assert [text for text in expected if f"<p>{text}</p>" in html] == expected
    assert html.count("<p>") == len(expected)
