"""Captions of Snakemake's report print claims as they are."""

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


def test_caption_holds_headline_claims_and_footnote(tmp_path):
    sidecar = {
        "empty": "", "headline": "Higher", "findings": ["It is *higher*.", "n is 6."],
        "caption": "", "footnote": "Scale: demo.",
        "claims": [
            {"text": "It is *higher*.", "limits": "p 0.2; power 30 % against 1 SD"},
            {"text": "n is 6.", "limits": ""},
        ],
    }  # fmt: skip
    (tmp_path / "a.b.json").write_text(json.dumps(sidecar))
    write_caption(tmp_path / "a.b")
    html = printed((tmp_path / "a.b.rst").read_text())
    finding = "It is *higher*. [p 0.2; power 30 % against 1 SD]"
    for text in ("Higher", finding, "n is 6.", "Scale: demo."):
        assert f"<p>{text}</p>" in html
