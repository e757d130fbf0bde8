"""Reads scores of queries: `trec_eval -q` output, and TREC runs with their judgements (qrels)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.log_rows import LogRow
from reseed.readers.run_paths import parse_run_path

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


def is_trec_eval(path: Path) -> bool:
    """Whether the first line of a file is of `trec_eval -q`."""
    match = _EVAL_LINE.fullmatch(_read_first_line(path))
    return match is not None and _MEASURE.fullmatch(match[1]) is not None


def read_trec_eval(path: Path, cluster: str | None = None) -> list[LogRow]:
    """One row a query and measure; the model is `runid`, the seed a part of the path (`seed_3`).

    Raises ReseedError for a line that is cut off, output without queries (`-q` is missing), and a
    requested cluster.
    """
    _refuse_cluster(path, cluster)
    scores: list[tuple[str, str, float]] = []
    model = ""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = _EVAL_LINE.fullmatch(line)
        if match is None:
            raise ReseedError(
                f"{path} (line {number}): is no line of trec_eval. Run `trec_eval -q` again."
            )
        measure, query, value = match.groups()
        if measure == "runid":
            model = value
        elif query != "all" and not measure.startswith("num_"):
            scores.append((measure, query, _as_number(value, path, number)))
    if not scores:
        raise ReseedError(f"{path}: holds no scores of queries. Run `trec_eval -q`.")
    if not model:
        raise ReseedError(f"{path}: has no line `runid`: the output is cut off. Run it again.")
    seed = _find_seed(path)
    return [
        LogRow(
            dataset="", model=model, item=query, metric=measure, score=score, seed=seed,
            greater_is_better=True, file=str(path),
        )
        for measure, query, score in scores
    ]  # fmt: skip


def is_trec_run(path: Path) -> bool:
    """Whether the first line of a file is of a TREC run."""
    return _RUN_LINE.fullmatch(_read_first_line(path)) is not None


def is_qrels(path: Path) -> bool:
    """Whether the first line of a file is of TREC judgements."""
    return _QRELS_LINE.fullmatch(_read_first_line(path)) is not None


def read_trec_runs(runs: Sequence[Path], qrels: Path, measures: Iterable[str]) -> list[LogRow]:
    """One row a judged query and measure, computed by `ir_measures`.

    A judged query without results scores 0, as in `trec_eval -c`. The model is the tag of the run,
    the seed a part of the path (`seed_3`).

    Args:
        runs: TREC runs.
        qrels: judgements.
        measures: names as of `ir_measures` (`nDCG@10`, `AP`, `RR`) or `trec_eval` (`ndcg_cut_10`).

    Raises:
        ReseedError: if `ir_measures` is not installed, for an unknown measure, and damaged files.
    """
    library = _import_library()
    parsed = {name: _parse_measure(library, name) for name in measures}
    judged = list(_read(library.read_trec_qrels, qrels))
    queries = list(dict.fromkeys(one.query_id for one in judged))
    rows = []
    for path in runs:
        model, seed = _read_first_line(path).split()[-1], _find_seed(path)
        found = {
            (str(one.measure), one.query_id): one.value
            for one in library.iter_calc(
                list(parsed.values()), judged, _read(library.read_trec_run, path)
            )
        }
        rows += [
            LogRow(
                dataset="", model=model, item=query, metric=name,
                score=float(found.get((str(measure), query), 0.0)), seed=seed,
                greater_is_better=True, file=str(path),
            )
            for name, measure in parsed.items()
            for query in queries
        ]  # fmt: skip
    return rows


def read_run_files(files: Sequence[Path], metric: str | None, cluster: str | None) -> list[LogRow]:
    """`read_trec_runs` of a list that holds runs and one file of judgements."""
    _refuse_cluster(files[0], cluster)
    qrels = [path for path in files if is_qrels(path)]
    runs = [path for path in files if path not in qrels]
    if len(qrels) != 1:
        raise ReseedError(
            f"{files[0].parent}: {len(qrels)} files of judgements (qrels) beside {len(runs)} TREC "
            "run(s). Give the runs with the one file of judgements that belongs to them."
        )
    return read_trec_runs(runs, qrels[0], [metric] if metric else _DEFAULT_MEASURES)


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


def _read(reader: Any, path: Path) -> list[Any]:
    try:
        return list(reader(str(path)))
    except (ValueError, IndexError, RuntimeError) as error:
        raise ReseedError(
            f"{path}: cannot be read as TREC file ({error}). A run has six columns (query Q0 "
            "document rank score tag), judgements have four."
        ) from None


def _refuse_cluster(path: Path, cluster: str | None) -> None:
    if cluster is not None:
        raise ReseedError(f"{path}: TREC files hold no metadata, so no cluster {cluster!r}.")


def _read_first_line(path: Path) -> str:
    if path.suffix.lower() not in _TEXT:
        return ""
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.readline(1000).rstrip("\n")


def _find_seed(path: Path) -> str:
    """The seed that the path names, or empty."""
    return str(parse_run_path(path.absolute().parts[-2:], "").get("seed", ""))


def _as_number(value: str, path: Path, number: int) -> float:
    try:
        return float(value)
    except ValueError:
        raise ReseedError(
            f"{path} (line {number}): {value!r} is no number. Run `trec_eval -q` again."
        ) from None
