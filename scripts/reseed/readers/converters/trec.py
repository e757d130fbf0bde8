"""Reads scores of queries: the output of `trec_eval -q`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from reseed.core.errors import ReseedError
from reseed.readers.converters.harnesses import Sample
from reseed.readers.foreign_files import parse_lines
from reseed.readers.names import parse_label

#: Measures of trec_eval, as its output spells them.
_MEASURE = re.compile(
    r"(map|gm_map|Rprec|bpref|recip_rank|infAP|11pt_avg|set_\w+|success_\d+|utility"
    r"|iprec_at_recall_[\d.]+|(P|recall|map_cut|ndcg_cut|relative_P)_\d+|ndcg|ndcg_rel|Rndcg|G"
    r"|binG|Rprec_mult_[\d.]+|runid|num_\w+)"
)
_EVAL_LINE = re.compile(r"(\S+)\s*\t(\S+)\t(\S+)\s*")
_TEXT = ("", ".txt", ".eval", ".trec", ".run", ".qrels", ".qrel", ".out", ".res", ".tsv")


def is_trec_eval(path: Path, head: str) -> bool:
    """Whether the first line of a file of text is of `trec_eval -q`."""
    match = _EVAL_LINE.fullmatch(head.partition("\n")[0])
    is_text = path.suffix.lower() in _TEXT
    return is_text and match is not None and _MEASURE.fullmatch(match[1]) is not None


def read_trec_eval(path: Path) -> Iterator[Sample]:
    """The queries, with their measures; the model is `runid`, the seed is in the path (`seed_3`).

    More of every measure is better.

    Raises ReseedError for output without queries (`-q` is missing).
    """
    scores: dict[str, dict[str, float]] = {}
    model = ""
    for measure, query, value in parse_lines(path, _split_eval):
        if measure == "runid":
            model = value
        elif query != "all" and not measure.startswith("num_"):
            scores.setdefault(query, {})[measure] = float(value)
    if not scores:
        raise ReseedError(f"{path}: holds no scores of queries. Run `trec_eval -q`.")
    if not model:
        raise ReseedError(f"{path}: has no line `runid`: the output is cut off. Run it again.")
    parts = path.absolute().with_suffix("").parts[-2:]
    seeds = (runs["seed"] for runs in (parse_label(one).runs for one in parts) if "seed" in runs)
    seed = next(seeds, "")
    for query, measures in scores.items():
        yield Sample("", model, query, measures, seed, greater=dict.fromkeys(measures, True))


def _split_eval(line: str) -> tuple[str, str, str]:
    match = _EVAL_LINE.fullmatch(line)
    if match is None:
        raise ValueError("no measure, query and value")
    return match[1], match[2], match[3]
