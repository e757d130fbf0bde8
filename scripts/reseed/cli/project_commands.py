"""Commands on a project: `reseed cost`, `reseed prune`, `reseed reference`, `reseed verify`."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

from reseed.core.errors import ReseedError

CONFIG = "config"
#: Folders that `prune` shows, those with most files.
_MOST_SHOWN = 20


def add_commands(commands: Any) -> None:
    """Add the commands to the subparsers of `reseed`."""
    _add_cost(commands)
    _add_prune(commands)
    _add_reference(commands)
    _add_verify(commands)


def _add_cost(commands: Any) -> None:
    command = commands.add_parser(
        "cost",
        help="estimate jobs, hours and disk of a project's studies",
        description="Estimate what each study costs, from measured seconds and hints.",
        epilog="example: python -m reseed cost --scale paper --output docs/scale.md",
    )
    add = command.add_argument
    add("--scale", default="paper", help="scale of the studies (paper)")
    add("--results", type=Path, nargs="+", help="folders with finished studies (the project's)")
    add("--block-seconds", type=float, help="training time of a job (as in the configuration)")
    add(
        "--output",
        type=Path,
        metavar="FILE",
        help="write the page to a file, and the models to a CSV file",
    )
    command.set_defaults(run=_cost)


def _cost(options: argparse.Namespace) -> None:
    from reseed.core.layout import REFERENCES
    from reseed.planning.costs import (
        describe_gaps,
        format_models,
        format_page,
        list_processors,
        measured_seconds,
        rows_of,
        study_costs,
    )
    from reseed.planning.plan import HINT_ROWS
    from reseed.planning.read_plan import read_plan

    overrides: dict[str, Any] = {"scale": options.scale}
    if options.block_seconds:
        overrides["block_seconds"] = options.block_seconds
    project, plan, _ = read_plan(CONFIG, overrides)
    folders = [Path(REFERENCES), *(options.results or [Path(project.main.results)])]
    measured = measured_seconds(folders)
    rows = {name: rows_of(folders, name, entry) for name, entry in plan.datasets.items()}
    known = {name: count or HINT_ROWS for name, count in rows.items()}
    costs = study_costs(plan, measured, known)
    # The page names folders without their location on this machine.
    named = (
        f" --results {shlex.join(path.name for path in options.results)}" if options.results else ""
    )
    facts = {
        "scale": options.scale,
        "command": f"python -m reseed cost --scale {options.scale} "
        f"--block-seconds {plan.block_seconds:g}{named}",
        "cpu": ", ".join(list_processors(folders)) or "none measured yet",
        "block": f"{plan.block_seconds / 60:g} minutes",
        "gaps": describe_gaps(
            {name for names in plan.left_out.values() for name in names},
            [name for name, count in rows.items() if not count],
        ),
    }
    titles = {name: study.title for name, study in project.studies.items()}
    if options.output is None:
        print(format_page(costs, titles, facts))
        return
    models, text = options.output.with_suffix(".csv"), format_models(costs)
    header = text.partition("\n")[0].encode()
    if models.exists() and not models.read_bytes().startswith(header):
        raise ReseedError(
            f"{models}: is no table of costs, and would be replaced. Name another file (--output)."
        )
    models.write_text(text, encoding="utf-8")
    options.output.write_text(format_page(costs, titles, facts, models.name), encoding="utf-8")
    print(f"{options.output}: {len(costs)} studies, {len(measured)} settings measured")


def _add_prune(commands: Any) -> None:
    command = commands.add_parser(
        "prune",
        help="delete trials, searches and cache entries that no study plans",
        description="Delete files of the results folder that Reseed made and that no study plans "
        "at the given scales. Shows them and asks first. Seeds that were requested by path are "
        "listed apart and kept; so is the cache where the keys of planned trials are not known.",
        epilog="example: python -m reseed prune --dry-run",
    )
    add = command.add_argument
    add("--scale", action="append", help="scales to keep (all)")
    add("--results", help="the results folder (the configuration's)")
    add("--seeds", action="store_true", help="delete seeds that no study plans, too")
    add("--dry-run", action="store_true", help="show the files, delete nothing")
    add("--yes", action="store_true", help="delete without asking")
    command.set_defaults(run=_prune)


def _prune(options: argparse.Namespace) -> None:
    from reseed.core.identifiers import SCALES
    from reseed.core.ownership import delete
    from reseed.pipeline.planned_keys import planned_keys, recorded_keys
    from reseed.pipeline.snakemake_metadata import is_last_run_here
    from reseed.planning.build import make_plan
    from reseed.planning.project import load_project
    from reseed.planning.prune import (
        find_unplanned,
        find_unused_entries,
        planned_blocks,
        planned_searches,
    )

    # All studies and datasets: also those that this run does not request, or cannot read here.
    overrides: dict[str, Any] = {"studies": []}
    if options.results:
        overrides["results"] = options.results
    planned: set[Path] = set()
    settings: set[str] = set()
    known: set[str] = set()
    unknown: list[str] = []
    results = Path()
    for scale in options.scale or SCALES:
        project = load_project(CONFIG, overrides | {"scale": scale})
        results = Path(project.main.results)
        plan = make_plan(project)
        planned |= planned_blocks(plan) | planned_searches(plan)
        settings.update(one.folder for one in plan.settings)
        keys = planned_keys(plan)
        known |= keys.known
        unknown += keys.unknown
    if not results.is_dir():
        raise ReseedError(f"{results}: there is no such folder. Nothing to prune.")
    if not Path(plan.layout.run_token).exists() or not is_last_run_here(plan.layout.root):
        raise ReseedError(
            f"{results}: the last run in this folder was none of this project, so nothing is "
            "deleted. Run snakemake here first."
        )
    paths, seeds = find_unplanned(results, planned, settings)
    if options.seeds:
        paths += seeds
    recorded = recorded_keys([*planned, *(() if options.seeds else seeds)])
    unknown += recorded.unknown
    if not unknown:
        paths += find_unused_entries(results, known | recorded.known)
    size = sum(path.stat().st_size for path in paths)
    _print_folders(results, paths)
    if seeds and not options.seeds:
        print("Seeds that no study plans, requested by path or of an earlier plan, are kept:")
        _print_folders(results, seeds)
        print("Delete them, too: --seeds")
    if unknown:
        print(
            f"{plan.layout.cache}: is kept, because the keys of {len(unknown)} planned trials and "
            f"searches are not known ({unknown[0].rstrip('.')}). Run the studies, or name the "
            "scales to keep, as --scale demo."
        )
    is_confirmed = not options.dry_run and (options.yes or not paths or _confirm(len(paths), size))
    if is_confirmed:
        delete(paths, results)
    verb = "deleted" if is_confirmed else "would be deleted"
    print(f"{results}: {len(paths)} files {verb}, {size / 1e6:.1f} MB")


def _print_folders(results: Path, paths: list[Path]) -> None:
    """The number of files of each folder, those with most first."""
    counts = Counter("/".join(path.relative_to(results).parts[:2]) for path in paths)
    for folder, count in counts.most_common(_MOST_SHOWN):
        print(f"  {results / folder}: {count}")
    if len(counts) > _MOST_SHOWN:
        print(f"  and {len(counts) - _MOST_SHOWN} more folders")


def _confirm(count: int, size: int) -> bool:
    """Ask whether to delete; ReseedError where nobody can answer."""
    if not sys.stdin.isatty():
        raise ReseedError(f"{count} files would be deleted, and nobody can be asked. Give --yes.")
    return input(f"Delete {count} files, {size / 1e6:.1f} MB? [y/N] ").strip().lower() == "y"


def _add_reference(commands: Any) -> None:
    command = commands.add_parser(
        "reference",
        help="copy the reference results of finished studies, to be committed",
        description="Copy what `snakemake references` gathered to results/reference, which pages "
        "of later runs show. A reference is not replaced by fewer trials, a lower scale or more "
        "failures.",
        epilog="example: python -m reseed reference protocol",
    )
    add = command.add_argument
    add("studies", nargs="*", metavar="study", help="these studies only")
    add("--results", help="the results folder (the configuration's)")
    add("--replace", action="store_true", help="replace a reference by less, too")
    add("--judge", action="store_true", help="copy nothing: judge committed trials again, by the "
        "statements of today")  # fmt: skip
    command.set_defaults(run=_reference)


def _reference(options: argparse.Namespace) -> None:
    from reseed.core.checked_io import read_json
    from reseed.core.layout import REFERENCES, ResultsLayout
    from reseed.jobs.judge_references import judge_references
    from reseed.planning.project import load_project
    from reseed.planning.validation import check_name
    from reseed.report.pages.reference import copy_references, update_records, write_indented

    project = load_project(CONFIG, {"results": options.results} if options.results else {})
    known = [*project.studies, *project.left_out]
    for name in options.studies:
        if errors := [*check_name("study", name, known, "study")]:
            raise ReseedError(errors[0])
    if options.judge:
        for path, study, found in judge_references(Path(REFERENCES), Path(CONFIG), options.studies):
            content = read_json(path)
            content["statements"] = update_records(study.statements, content["statements"], found)
            write_indented(path, content)
            kept = len(content["statements"]) - len(found)
            print(f"{path}: {len(found)} statements judged, {kept} kept as they were")
        return
    layout = ResultsLayout(project.main.results)
    studies = {name: layout.study(name) for name in options.studies or known}
    for folder in copy_references(studies, Path(REFERENCES), options.replace):
        print(f"Reference results: {folder}")


def _add_verify(commands: Any) -> None:
    command = commands.add_parser(
        "verify",
        help="check finished results: recompute metrics and tables, retrain a sample",
        description="Check the finished results of a project; unfinished studies are left out. "
        "Nothing is deleted without --delete.",
        epilog="example: python -m reseed verify inherent_randomness --sample 20",
    )
    add = command.add_argument
    add("studies", nargs="*", metavar="study", help="check these studies only")
    add("--scale", help="scale of the studies (the configuration's)")
    add("--results", help="the results folder (the configuration's)")
    add("--sample", type=int, help="trials to retrain (verify_sample of the configuration)")
    add("--all", action="store_true", help="retrain every trial")
    add("--gpus", type=int, default=0, help="GPUs that retraining may use (0)")
    add("--delete", action="store_true", help="delete what is wrong and can be made again; asks")
    add("--yes", action="store_true", help="delete without asking")
    command.set_defaults(run=_verify)


def _verify(options: argparse.Namespace) -> None:
    from reseed.pipeline.device_locks import claim
    from reseed.pipeline.runner import Granted, limit_threads

    limit_threads(1)
    claim(options.gpus)
    from reseed.core.ownership import delete, is_owned
    from reseed.jobs.verify import check, describe, run
    from reseed.pipeline.workflow import RunMode, Workflow
    from reseed.planning.project import load_project
    from reseed.planning.training_specs import build_verify_spec, list_finished

    names = {"studies": options.studies, "scale": options.scale, "results": options.results}
    overrides = {name: value for name, value in names.items() if value}
    folder = Path(load_project(CONFIG, overrides).main.results)
    if not folder.is_dir():  # planning would create it
        raise ReseedError(f"{folder}: there is no such folder. Nothing to verify.")
    mode = RunMode(dry=False, is_main=False, has_records=False)
    workflow = Workflow(Path(CONFIG), overrides, mode)
    project, plan = workflow.project, workflow.plan
    sample = None if options.all else options.sample or project.main.verify_sample
    write_sources = workflow.specs.write_sources
    spec = build_verify_spec(project, list_finished(plan), write_sources, sample)
    spec = replace(spec, steps=tuple(workflow.list_steps(finished_only=True)))
    granted = Granted(options.gpus)
    if not options.delete:
        return run(spec, granted)
    findings = check(spec, granted)
    files = {file for one in findings for file in one.files if file.is_file()}
    wrong = sorted(file for file in files if is_owned(file, folder))
    print(*wrong, sep="\n")
    if wrong and (options.yes or _confirm(len(wrong), sum(one.stat().st_size for one in wrong))):
        delete(wrong, folder)
    if findings:
        kept = [file for file in wrong if file.exists()]
        raise ReseedError(
            f"{describe(findings)}\n{len(wrong) - len(kept)} files deleted. Run snakemake again."
        )
