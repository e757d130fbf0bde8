"""Samples of lm-eval (`--log_samples`), HELM and `trec_eval -q`; whatever fails is damage."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from reseed.core.errors import ReseedError
from reseed.readers.foreign_files import load_beside, load_json, parse_json, parse_lines
from reseed.readers.names import name_filtered, parse_label


class Sample(NamedTuple):
    """One item of a log.

    scores: by metric; NaN if the sample failed. metadata: fields, one of which may be the cluster.
    asked: hash of what the model was asked; empty if unknown. greater: whether more is better, by
    metric, where the log says so.
    """

    dataset: str
    model: str
    item: str
    scores: Mapping[str, float]
    seed: str = ""
    repetition: str = ""
    metadata: object = None
    asked: str = ""
    greater: Mapping[str, bool] = {}


def hash_input(value: Any) -> str:
    """Hash of a JSON value, equal for equal values."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return hashlib.sha256(text.encode()).hexdigest()


_LM_EVAL = re.compile(r"samples_(?P<task>.+)_(?P<date>\d{4}-\d\d-\d\dT[\d.:-]+)\.jsonl")
_SEEDS = ("random_seed", "numpy_seed", "torch_seed", "fewshot_seed")


def is_lm_eval_samples(path: Path, head: str) -> bool:
    """Whether a file has the name of lm-eval's samples."""
    return _LM_EVAL.fullmatch(path.name) is not None


def read_lm_eval_samples(path: Path) -> Iterator[Sample]:
    """The samples of a task.

    Model and seeds are read from `results_DATE.json` beside the file; without it the model is the
    folder, and the run is its date. The direction of a metric is the harness's. Metrics that are
    not numbers, such as pairs of a likelihood and a length, are left out.
    """
    match = _LM_EVAL.fullmatch(path.name)
    assert match is not None
    results = load_beside(path.with_name(f"results_{match['date']}.json"), missing={})
    config = results.get("config") or {}
    model = str(results.get("model_name") or path.absolute().parent.name)
    seed = "-".join(str(config.get(name)) for name in _SEEDS) if config else match["date"]
    directions = (results.get("higher_is_better") or {}).get(match["task"]) or {}

    def read(line: str) -> Sample:
        one = parse_json(line)
        scores: dict[str, float] = {}
        greater: dict[str, bool] = {}
        for name in one["metrics"]:
            value, full = one.get(name), name_filtered(f"{name},{one.get('filter', '')}")
            if not isinstance(value, list | dict | str):
                scores[full] = float("nan") if value is None else float(value)
                greater |= {full: directions[name]} if name in directions else {}
        return Sample(
            match["task"], model, str(one["doc_id"]), scores, seed, metadata=one.get("doc"),
            asked=str(one.get("doc_hash", "")), greater=greater,
        )  # fmt: skip

    return parse_lines(path, read)


def is_helm_stats(path: Path, head: str) -> bool:
    """Whether a file has the name of HELM's per-instance statistics."""
    return path.name == "per_instance_stats.json"


def read_helm_stats(path: Path) -> Iterator[Sample]:
    """The instances of a run and trial; `train_trial_index` is the seed.

    The folder of the run is named `SCENARIO:ARGUMENT=…,model=…`. The model is that of
    `run_spec.json`, else that of the folder. Instances with a perturbation are left out. Inputs
    come from `instances.json` (`helm-summarize`), else from `scenario_state.json` (`helm-run`).
    """
    scenario, _, arguments = path.absolute().parent.name.partition(":")
    parts = [part for part in arguments.split(",") if part]
    models = [part.partition("=")[2] for part in parts if part.startswith("model=")]
    rest = [part for part in parts if not part.startswith("model=")]
    spec = load_beside(path.with_name("run_spec.json"), missing={})
    model = (spec.get("adapter_spec") or {}).get("model") or next(iter(models), None)
    if model is None:
        raise ValueError("neither run_spec.json nor the folder names the model")
    asked = _hash_instances(path.parent)
    for one in load_json(path):
        if not one.get("perturbation"):
            item = str(one["instance_id"])
            scores = {
                stat["name"]["name"]: float(stat["mean"]) if stat.get("count") else float("nan")
                for stat in one["stats"]
            }
            yield Sample(
                f"{scenario}:{','.join(rest)}" if rest else scenario, str(model), item, scores,
                str(one["train_trial_index"]), asked=asked.get(item, ""),
            )  # fmt: skip


def _hash_instances(folder: Path) -> dict[str, str]:
    """Hash of the input and the references of each instance, by its name."""
    instances = load_beside(folder / "instances.json", missing=None)
    if instances is None:
        state = load_beside(folder / "scenario_state.json", missing={"request_states": []})
        instances = [one["instance"] for one in state["request_states"]]
    return {
        str(one["id"]): hash_input([one["input"], one.get("references")])
        for one in instances
        if not one.get("perturbation")
    }


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
