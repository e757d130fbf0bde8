"""Reads `per_instance_stats.json`, which HELM writes in the folder of each run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError
from reseed.readers.log_rows import LogRow, hash_input

_FILE = "per_instance_stats.json"


def is_helm_stats(path: Path) -> bool:
    """Whether a file has the name of HELM's per-instance statistics."""
    return path.name == _FILE


def read_helm_stats(path: Path, cluster: str | None = None) -> list[LogRow]:
    """One row an instance, trial and statistic; `train_trial_index` is the seed.

    The folder of the run is named `SCENARIO:ARGUMENT=…,model=…`. The model is that of
    `run_spec.json`, else that of the folder. Instances with a perturbation are left out.

    Raises ReseedError for a file that is damaged, a run without a model, and a requested cluster:
    HELM's statistics hold no metadata. Inputs of items come from `instances.json`
    (`helm-summarize`), else from `scenario_state.json` (`helm-run`), if one exists.
    """
    if cluster is not None:
        raise ReseedError(f"{path}: HELM's statistics hold no metadata, so no cluster {cluster!r}.")
    try:
        instances = json.loads(path.read_text(encoding="utf-8"))
        dataset, model = _identify(path)
        hashes = _hash_instances(path.parent)
        return [
            LogRow(
                dataset=dataset,
                model=model,
                item=str(instance["instance_id"]),
                metric=stat["name"]["name"],
                score=float(stat["mean"]) if stat.get("count") else float("nan"),
                seed=str(instance["train_trial_index"]),
                input_hash=hashes.get(str(instance["instance_id"]), ""),
                file=str(path),
            )
            for instance in instances
            if not instance.get("perturbation")
            for stat in instance["stats"]
        ]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ReseedError(
            f"{path}: is damaged, or no file of HELM ({error!r}). Run `helm-run` again for it."
        ) from None


def _hash_instances(folder: Path) -> dict[str, str]:
    """Hash of the input and the references of each instance, by its name."""
    summary, state = folder / "instances.json", folder / "scenario_state.json"
    if summary.exists():
        instances = json.loads(summary.read_text(encoding="utf-8"))
    elif state.exists():
        requests = json.loads(state.read_text(encoding="utf-8"))["request_states"]
        instances = [request["instance"] for request in requests]
    else:
        return {}
    return {
        str(one["id"]): hash_input([one["input"], one.get("references")])
        for one in instances
        if not one.get("perturbation")
    }


def _identify(path: Path) -> tuple[str, str]:
    """Dataset and model of a run."""
    folder = path.absolute().parent.name
    scenario, _, arguments = folder.partition(":")
    parts = [part for part in arguments.split(",") if part]
    models = [part.partition("=")[2] for part in parts if part.startswith("model=")]
    rest = [part for part in parts if not part.startswith("model=")]
    spec_file = path.with_name("run_spec.json")
    if spec_file.exists():
        spec: dict[str, Any] = json.loads(spec_file.read_text(encoding="utf-8"))
        named = (spec.get("adapter_spec") or {}).get("model")
        models = [str(named)] if named else models
    if not models:
        raise ReseedError(f"{path}: neither run_spec.json nor the folder names the model.")
    return f"{scenario}:{','.join(rest)}" if rest else scenario, models[0]
