"""Hostile input: broken downloads, malicious archives, pickles, and misbehaving models."""

import functools
import hashlib
import io
import os
import pickle
import resource
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from fault_harness.outcome import LOST, UNNOTICED, Bench, Outcome, case
from fault_harness.workspace import MODULE, Workspace

DOWNLOADS = "Downloads and data files"
MODELS = "Misbehaving models"
ROWS = "a,b,y\n" + "".join(f"{i % 7},{i % 5},{'yes' if i % 7 > 3 else 'no'}\n" for i in range(200))
BOMB_BYTES = 5 * 2**30
NOTES = "notes"
LIMIT_BYTES = 6 * 2**30


class Served:
    """A local web server for one file. With `cut` it sends only half of the file."""

    def __init__(self, data: bytes):
        self.data, self.cut = data, False
        served = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                """Announce the full length; send all or half."""
                self.send_response(200)
                self.send_header("Content-Length", str(len(served.data)))
                self.end_headers()
                end = len(served.data) // 2 if served.cut else len(served.data)
                self.wfile.write(served.data[:end])

            def log_message(self, *_) -> None:
                """Log nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/table.csv"

    def __enter__(self) -> "Served":
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()


def _with_source(workspace: Workspace, **source) -> Workspace:
    workspace.write_table(sources=[source])
    workspace.environment |= {"NO_PROXY": "127.0.0.1", "no_proxy": "127.0.0.1"}
    return workspace


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _refused(run, *words: str) -> Outcome:
    """Return `refused` if the run failed with one message that contains all words."""
    if run.ok:
        return Outcome(UNNOTICED, "the run succeeded")
    if "Traceback" in run.text:
        return Outcome(LOST, f"no clear message: {run.text.strip().splitlines()[-1]}")
    missing = [word for word in words if word not in run.text]
    if missing:
        return Outcome(LOST, f"the message lacks {missing}: {run.message}")
    return Outcome("refused", run.message)


@case(DOWNLOADS, "an interrupted download, then a working server", "recovered")
def download_cut(bench: Bench) -> Outcome:
    """No partial file is stored or used."""
    with Served(ROWS.encode()) as served:
        served.cut = True
        workspace = _with_source(
            bench.small(), kind="url", url=served.url, sha256=_sha256(served.data)
        )
        run = workspace.run(timeout=300)
        if run.ok:
            return Outcome(UNNOTICED, "half a table was accepted")
        outcome = _refused(run, "broke off")
        served.cut = False
        again = workspace.run(timeout=300)
    if not again.ok or len(workspace.trials()) != 6:
        return Outcome(LOST, again.message)
    return Outcome("recovered", outcome.message)


@case(DOWNLOADS, "a download without a checksum", "refused")
def download_unpinned(bench: Bench) -> Outcome:
    """A download without a checksum cannot be verified."""
    with Served(ROWS.encode()) as served:
        workspace = _with_source(bench.small(), kind="url", url=served.url)
        return _refused(workspace.run(timeout=300), "sha256")


@case(DOWNLOADS, "a download that differs from its checksum", "refused")
def download_other(bench: Bench) -> Outcome:
    """The file on the server has changed."""
    with Served(ROWS.encode() + b"0,0,no\n") as served:
        workspace = _with_source(
            bench.small(), kind="url", url=served.url, sha256=_sha256(ROWS.encode())
        )
        return _refused(workspace.run(timeout=300), "checksum")


def _zip(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def _tar(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _extract(bench: Bench, archive: bytes, member: str, target: Path) -> Outcome:
    with Served(archive) as served:
        workspace = _with_source(
            bench.small(),
            kind="url",
            url=served.url.replace("table.csv", "table.zip"),
            sha256=_sha256(archive),
            members={member: _sha256(ROWS.encode())},
        )
        if target.exists():
            return Outcome(LOST, f"{target} already exists: nothing was tested")
        run = workspace.run(timeout=300)
    outside = [
        path
        for path in workspace.folder.parent.rglob("climbed*")
        if workspace.results not in path.parents
    ]
    if outside or target.exists():
        return Outcome(LOST, f"written outside: {outside or target}")
    if not run.ok:
        return Outcome(LOST, f"not read: {run.message}")
    return Outcome("refused", "read in memory; stored below results/downloads under its hash")


@case(DOWNLOADS, "a zip archive with a member ../../../climbed.csv", "refused")
def zip_climbs(bench: Bench) -> Outcome:
    """Nothing may be written outside the results folder."""
    name = "../../../climbed.csv"
    return _extract(bench, _zip({name: ROWS.encode()}), name, Path("/climbed.csv"))


@case(DOWNLOADS, "a tar archive with a member /climbed.csv", "refused")
def tar_climbs(bench: Bench) -> Outcome:
    """Nothing may be written outside the results folder."""
    name = "/climbed.csv"
    return _extract(bench, _tar({name: ROWS.encode()}), name, Path(name))


@functools.cache
def bomb() -> bytes:
    """Return a zip archive of a few megabytes with a member of five gigabytes of zeros."""
    buffer = io.BytesIO()
    with (
        zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("table.csv", "w", force_zip64=True) as member,
    ):
        for _ in range(BOMB_BYTES >> 20):
            member.write(bytes(2**20))
    return buffer.getvalue()


@case(DOWNLOADS, "a zip bomb: a few megabytes that expand to five gigabytes", "refused")
def zip_bomb(bench: Bench) -> Outcome:
    """It must be refused before it is unpacked."""
    with Served(bomb()) as served:
        workspace = _with_source(
            bench.small(),
            kind="url",
            url=served.url.replace("table.csv", "table.zip"),
            sha256=_sha256(served.data),
            members={"table.csv": "0" * 64},
        )
        run = workspace.run(timeout=300)
    sizes = (path.stat().st_size for path in workspace.results.rglob("*") if path.is_file())
    largest = max(sizes, default=0)
    if largest > 100 * 2**20:
        return Outcome(UNNOTICED, f"unpacked to {largest >> 20} MB on disk")
    return _refused(run, "expands")


@case(DOWNLOADS, "a data file replaced by another one with an earlier date", "recovered")
def data_file_replaced(bench: Bench) -> Outcome:
    """`mv`, `cp -p` and `rsync -a` keep the date of a file."""
    workspace = bench.small()
    if not (run := workspace.run(timeout=300)).ok:
        return Outcome(LOST, run.message)
    before = {trial.key for trial in workspace.trials().values()}
    table = workspace.folder / "table.csv"
    table.write_text(ROWS)
    os.utime(table, (1e9, 1e9))
    run = workspace.run(timeout=300)
    if not run.ok:
        return Outcome(LOST, run.message)
    after = {trial.key for trial in workspace.trials().values()}
    if len(after) != 6 or before & after:
        return Outcome(UNNOTICED, "trials of the earlier file remain")
    return Outcome("recovered", "every trial is trained again")


class _Payload:
    """An object whose pickle creates a file when it is loaded."""

    def __init__(self, marker: Path):
        self.marker = marker

    def __reduce__(self):
        return (open, (str(self.marker), "w"))


def _pickle_case(bench: Bench, name: str) -> Outcome:
    workspace = bench.small()
    marker = workspace.folder / "executed"
    (workspace.folder / name).write_bytes(pickle.dumps(_Payload(marker)))
    _with_source(workspace, kind="file", path=name)
    run = workspace.run(timeout=120)
    if marker.exists():
        return Outcome(LOST, "the code in the file was executed")
    return _refused(run, name)


@case(DOWNLOADS, "a data file that is a pickle with code, named .csv", "refused")
def pickle_csv(bench: Bench) -> Outcome:
    """Nothing of a data file is executed."""
    return _pickle_case(bench, "rows.csv")


@case(DOWNLOADS, "the same, named .parquet", "refused")
def pickle_parquet(bench: Bench) -> Outcome:
    """Nothing of a data file is executed."""
    return _pickle_case(bench, "rows.parquet")


@case(DOWNLOADS, "the same, named .pkl", "refused")
def pickle_pkl(bench: Bench) -> Outcome:
    """Nothing of a data file is executed."""
    return _pickle_case(bench, "rows.pkl")


# The model misbehaves only for model seed 2; a second model works.
BAD = """
import os, signal, sys, time
import numpy as np
from {module} import tree as good


def bad(task, n_classes, hyperparameters, seeds, device, threads):
    if seeds["init"] == 2:
        {action}
    time.sleep(2.1)  # what was finished two seconds before an end is kept
    return good(task, n_classes, hyperparameters, seeds, device, threads)
"""


def _misbehaving(bench: Bench, action: str) -> Workspace:
    workspace = bench.small(models={"bad": {"factory": "bad_models:bad"}, "tree": {}})
    code = BAD.format(module=MODULE, action=action)
    (workspace.folder / "bad_models.py").write_text(code)
    workspace.environment["WORKSPACE_NOTES"] = str(workspace.folder / NOTES)
    return workspace


def _reported(workspace: Workspace, run) -> Outcome:
    """After the crash other trials must exist, and the job must be named and tried again."""
    tree = [name for name in workspace.trials() if "/tree/" in name]
    if run.ok:
        return Outcome(UNNOTICED, "the run succeeded")
    if len(tree) != 6:
        return Outcome(LOST, "trials of the other model are missing")
    if "FAILED train" not in run.text:
        return Outcome(LOST, f"the job is not named: {run.message}")
    again = workspace.run(timeout=300)
    if again.ok or "FAILED train" not in again.text:
        return Outcome(LOST, f"not tried again: {again.message}")
    notes = (workspace.folder / NOTES).read_text().splitlines()
    # Model seed 1 was trained before seed 2 ended the process, and must not be trained again.
    if sum(line.startswith("bad|") and line.endswith("|1") for line in notes) != 1:
        return Outcome(LOST, "a finished trial of the same job was trained again")
    return Outcome("reported", run.message)


@case(MODELS, "a model that raises", "recorded")
def model_raises(bench: Bench) -> Outcome:
    """One seed diverges: the study finishes with one failed trial."""
    word = "loss is NaN at epoch 3"
    workspace = _misbehaving(bench, f"raise FloatingPointError('{word}')")
    run = workspace.run(timeout=300)
    if not run.ok:
        return Outcome(LOST, run.message)
    study = workspace.results / "studies" / "small"
    if word not in (study / "about.json").read_text():
        return Outcome(UNNOTICED, f"about.json does not contain {word!r}")
    silent = [path.name for path in study.glob("tables/*.md") if "ailed" not in path.read_text()]
    if silent:
        return Outcome(UNNOTICED, f"the failed trial is missing in {', '.join(silent)}")
    return Outcome("recorded", f"a failed trial in every exhibit: {word}")


@case(MODELS, "a model that calls sys.exit", "reported")
def model_exits(bench: Bench) -> Outcome:
    """SystemExit is not an Exception."""
    workspace = _misbehaving(bench, "sys.exit(3)")
    return _reported(workspace, workspace.run(timeout=300))


@case(MODELS, "a model that ends its process without a message (os._exit)", "reported")
def model_leaves(bench: Bench) -> Outcome:
    """The process cannot catch this itself."""
    workspace = _misbehaving(bench, "os._exit(3)")
    return _reported(workspace, workspace.run(timeout=300))


@case(MODELS, "a model whose process is killed, as when out of memory", "reported")
def model_killed(bench: Bench) -> Outcome:
    """SIGKILL from inside."""
    workspace = _misbehaving(bench, "os.kill(os.getpid(), signal.SIGKILL)")
    return _reported(workspace, workspace.run(timeout=300))


@case(MODELS, "a model that kills the process it was forked from", "reported")
def model_kills_parent(bench: Bench) -> Outcome:
    """The fork server, with which its jobs end: those of the other model run again."""
    workspace = _misbehaving(bench, "os.kill(os.getppid(), signal.SIGKILL)")
    workspace.run(timeout=300)
    return _reported(workspace, workspace.run(timeout=300))


@case(MODELS, "a model that requests 50 GB with a limit of 6 GB", "reported")
def model_eats_memory(bench: Bench) -> Outcome:
    """The address space is limited, as on a cluster."""
    workspace = _misbehaving(bench, "np.ones((50, 2**30 // 8))")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, before[1]))
    try:
        run = workspace.run(timeout=300)
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
    if "MemoryError" not in run.text:
        return Outcome(LOST, f"the message does not name memory: {run.message}")
    return _reported(workspace, run)


@case(MODELS, "a model that hangs", "reported")
def model_hangs(bench: Bench) -> Outcome:
    """A trial that exceeds its time limit (`trial_seconds` in config.yaml) is stopped."""
    workspace = _misbehaving(bench, "time.sleep(3600)")
    workspace.write("config", {"scale": "smoke", "seeds_per_job": 100, "trial_seconds": 10})
    run = workspace.run(timeout=300)
    if "model-seed-2: took longer than trial_seconds" not in run.text:
        return Outcome(LOST, f"the trial is not named: {run.message}")
    return _reported(workspace, run)
