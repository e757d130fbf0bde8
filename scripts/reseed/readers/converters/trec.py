"""Reads scores of queries: `trec_eval -q` output, and TREC runs with their judgements (qrels)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.converters.harnesses import Sample
from reseed.readers.foreign_files import name_file, parse_lines
from reseed.readers.names import parse_label

#: Measures of trec_eval, as its output spells them.
_MEASURE = re.compile(
    r"(map|gm_map|Rprec|bpref|recip_rank|infAP|11pt_avg|set_\w+|success_\d+|utility"
    r"|iprec_at_recall_[\d.]+|(P|recall|map_cut|ndcg_cut|relative_P)_\d+|ndcg|ndcg_rel|Rndcg|G"
    r"|binG|Rprec_mult_[\d.]+|runid|num_\w+)"
)
_EVAL_LINE = re.compile(r"(\S+)\s*\t(\S+)\t(\S+)\s*")
_RUN_LINE = re.compile(r"\S+\s+Q0\s+\S+\s+\d+\s+[-+.\deE]+\s+\S+\s*")
_QRELS_LINE = re.compile(r"\S+\s+\S+\s+\S+\s+-?\d+\s*")
_TEXT = ("", ".txt", ".eval", ".trec", ".run", ".qrels", ".qrel", ".out", ".res", ".tsv")
#: Measures that are computed if none is named.
_DEFAULT_MEASURES = ("nDCG@10", "AP", "RR")


def is_trec_eval(path: Path, head: str) -> bool:
    """Whether the first line of a file is of `trec_eval -q`."""
    match = _match_first(_EVAL_LINE, path, head)
    return match is not None and _MEASURE.fullmatch(match[1]) is not None


def _match_first(pattern: re.Pattern[str], path: Path, head: str) -> re.Match[str] | None:
    """The match of a file's first line, if its suffix is one of text."""
    is_text = path.suffix.lower() in _TEXT
    return pattern.fullmatch(head.partition("\n")[0]) if is_text else None


#: Whether the first line of a file is of a TREC run, or of TREC judgements.
is_trec_run, is_qrels = (partial(_match_first, pattern) for pattern in (_RUN_LINE, _QRELS_LINE))


def read_trec_eval(path: Path) -> Iterator[Sample]:
    """The queries, with their measures; the model is `runid`, the seed is in the path (`seed_3`).

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
    for query, measures in scores.items():
        yield _make_sample(path, model, query, measures)


def _split_eval(line: str) -> tuple[str, str, str]:
    match = _EVAL_LINE.fullmatch(line)
    if match is None:
        raise ValueError("no measure, query and value")
    return match[1], match[2], match[3]


def read_trec_run(
    judgements: Sequence[Path], metrics: Sequence[str], path: Path
) -> Iterator[Sample]:
    """The judged queries of a run, with measures that `ir_measures` computes.

    A judged query without results scores 0, as in `trec_eval -c`. The model is the tag of the run,
    the seed a part of the path (`seed_3`).

    Args:
        judgements: files of judgements; there must be one.
        metrics: names as of `ir_measures` (`nDCG@10`, `AP`) or `trec_eval` (`ndcg_cut_10`).
        path: the run.

    Raises:
        ReseedError: if `ir_measures` is not installed, and for an unknown measure.
    """
    if len(judgements) != 1:
        raise ReseedError(
            f"{path.parent}: {len(judgements)} files of judgements (qrels) beside TREC runs. Give "
            "the runs with the one file of judgements that belongs to them."
        )
    library = _import_library()
    measures = {name: _parse_measure(library, name) for name in metrics or _DEFAULT_MEASURES}
    with name_file(judgements[0], "judgements", "Judgements have four columns."):
        judged = list(library.read_trec_qrels(str(judgements[0])))
    results = list(library.read_trec_run(str(path)))
    values = {
        (str(one.measure), one.query_id): one.value
        for one in library.iter_calc(list(measures.values()), judged, results)
    }
    model = path.read_text(encoding="utf-8").partition("\n")[0].split()[-1]
    for query in dict.fromkeys(one.query_id for one in judged):
        scores = {n: float(values.get((str(one), query), 0.0)) for n, one in measures.items()}
        yield _make_sample(path, model, query, scores)


def _make_sample(path: Path, model: str, query: str, scores: dict[str, float]) -> Sample:
    """A query; more of every measure is better. The seed is the one that the path names."""
    parts = path.absolute().with_suffix("").parts[-2:]
    seed = next(
        (run["seed"] for run in (parse_label(one).runs for one in parts) if "seed" in run), ""
    )
    return Sample("", model, query, scores, seed, greater=dict.fromkeys(scores, True))


def _import_library() -> Any:
    try:
        import ir_measures
    except ImportError:
        raise ReseedError(
            "TREC runs are scored by the package ir_measures, which is not installed: `pip install "
            "ir-measures`, or give the output of `trec_eval -q`."
        ) from None
    return ir_measures


def _parse_measure(library: Any, name: str) -> Any:
    try:
        return library.parse_trec_measure(name)[0] if "_" in name else library.parse_measure(name)
    except (ValueError, NameError, KeyError, IndexError, AssertionError) as error:
        raise ReseedError(
            f"metric {name!r} is no measure of ir_measures ({error}). Name one as nDCG@10, AP, RR."
        ) from None
