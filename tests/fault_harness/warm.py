"""Runs of Snakemake as forks of one process that has loaded all libraries, for many short runs.

`python warm.py` reads one JSON request a line from its standard input and answers with one line
each: `{"pid": …}` at the start of a run, and `{"pid": …, "status": …}` at its end. It never loads
a module of the project: each run imports the project's own copy of the library.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import runpy
import select
import signal
import site
import socket
import subprocess
import sys
import time
import traceback
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

#: Libraries of planning, of jobs and of Snakemake.
LIBRARIES = (
    *("snakemake.cli", "snakemake.api", "snakemake.workflow", "snakemake.executors.local"),
    *("numpy", "pandas", "pyarrow.parquet", "pyarrow.dataset", "scipy.stats", "pydantic", "yaml"),
    *("sklearn.ensemble", "sklearn.tree", "sklearn.metrics", "sklearn.model_selection"),
    *("matplotlib.pyplot", "matplotlib.backends.backend_agg", "PIL.Image", "jinja2"),
    *("matplotlib.backends.backend_pdf", "pandas.io.parquet", "pydantic.dataclasses"),
    *("smart_open", "pooch", "xgboost"),
    *("sklearn.impute", "sklearn.compose", "narwhals.stable.v2", "snakemake.report", "dpath"),
    *("PIL.ImageOps", "PIL.ImageMath", "PIL.JpegImagePlugin", "fontTools.subset"),
)


ONE_THREAD = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL")}


@dataclass
class WarmRun:
    """A run that was started. status: None while it runs."""

    pid: int
    log: Path
    status: int | None = None

    @property
    def text(self) -> str:
        """Output of the run so far."""
        return self.log.read_text(errors="replace")


class WarmRunner:
    """The process that runs are forks of.

    Args:
        environment: variables of the runs.
        library: folder of the library, whose files are hashed once for all runs.
    """

    def __init__(self, environment: dict[str, str], library: Path):
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment | ONE_THREAD,
        )
        self._runs: dict[int, WarmRun] = {}

    def start(
        self,
        folder: Path,
        arguments: list[str],
        log: Path,
        server: bool = True,
        environment: dict[str, str] | None = None,
        patch: str = "",
    ) -> WarmRun:
        """Start a run in a project folder.

        server: whether its jobs are forks too. environment: its variables, if others than those of
        this process. Python has read its own, such as PYTHONDEVMODE, before. patch: code that the
        run executes first, and so do its jobs, which are forks.
        """
        request = {"folder": str(folder), "argv": arguments, "log": str(log), "server": server}
        request["environment"] = None if environment is None else environment | ONE_THREAD
        request["patch"] = patch
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        while "status" in (answer := self._read(None)):
            pass
        run = self._runs[answer["pid"]] = WarmRun(answer["pid"], log)
        return run

    def wait(self, run: WarmRun, seconds: float | None = None) -> bool:
        """Wait until a run ends, at most `seconds`; returns whether it has ended."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while run.status is None:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not self._read(left) and left == 0:
                return False  # what ended while this process was stopped has been read
        return True

    def _read(self, seconds: float | None) -> dict:
        assert self._process.stdout is not None
        ready, _, _ = select.select([self._process.stdout], [], [], seconds)
        if not ready:
            return {}
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the warm process has ended")
        answer = json.loads(line)
        if "status" in answer:
            self._runs.pop(answer["pid"]).status = answer["status"]
        return answer

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


@cache
def shared_runner() -> WarmRunner:
    """The process that runs of all tests are forks of. It is started once and ends with them."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SNAKEMAKE")}
    runner = WarmRunner(inherited, Path(__file__).resolve().parents[2] / "scripts")
    atexit.register(runner.close)
    return runner


def suits_warm_runs(environment: dict[str, str]) -> bool:
    """Whether a run needs no flags that Python reads at its start.

    Packages are found all the same: see `_add_packages`.
    """
    names = ("PYTHONDEVMODE", "PYTHONOPTIMIZE", "PYTHONUTF8")
    return all(environment.get(name) == os.environ.get(name) for name in names)


def start_warm(folder: Path, arguments: list[str], environment: dict[str, str]) -> WarmRun:
    """Start Snakemake in a project folder as a fork of the shared process."""
    log = folder / ".snakemake" / "run.log"
    log.parent.mkdir(exist_ok=True)
    arguments = ["snakemake", *arguments]
    return shared_runner().start(folder.resolve(), arguments, log, environment=environment)


def kill_all(run: WarmRun) -> None:
    """Kill a run and all of its processes, as a power cut would."""
    with suppress(ProcessLookupError):
        os.killpg(run.pid, signal.SIGKILL)


def kill_snakemake(run: WarmRun) -> None:
    """Kill the main process of a run alone."""
    with suppress(ProcessLookupError):
        os.kill(run.pid, signal.SIGKILL)


# --- the warm process ----------------------------------------------------------------------------


#: What `reseed.core.source_facts` finds in a file, by its bytes.
_READ: dict[bytes, tuple] = {}


def _read_library(library: Path) -> None:
    """Fill `_READ`. No module of the library stays loaded."""
    sys.path.insert(0, str(library))
    source_facts = importlib.import_module("reseed.core.source_facts")
    for path in library.rglob("*.py"):
        content = path.read_bytes()
        _READ[content] = source_facts.find_facts(path, content)
    sys.path.pop(0)
    for name in [name for name in sys.modules if name.partition(".")[0] == "reseed"]:
        del sys.modules[name]


def _use_read_library() -> None:
    """In a run: do not parse files again whose bytes were read before."""
    from reseed.core import source_facts

    parse = source_facts.find_facts
    source_facts.find_facts = lambda path, content: _READ.get(content) or parse(path, content)


def _serve() -> None:
    for name in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(name)
    sys.modules["snakemake.cli"].get_argument_parser()  # finds Snakemake's plugins
    _read_library(Path(sys.argv[1]))
    gc.collect()
    gc.freeze()  # forks would copy the pages that a collection touches
    waiting, children = select.poll(), {}
    waiting.register(0, select.POLLIN)
    buffer = b""
    while True:
        for descriptor, _ in waiting.poll():
            if descriptor in children:
                pid = children.pop(descriptor)
                waiting.unregister(descriptor)
                os.close(descriptor)
                status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
                print(json.dumps({"pid": pid, "status": status}), flush=True)
                continue
            part = os.read(0, 1 << 16)
            if not part:
                return
            *lines, buffer = (buffer + part).split(b"\n")
            for line in lines:
                pid = os.fork()
                if pid == 0:
                    _become_run(json.loads(line))
                descriptor = os.pidfd_open(pid)
                children[descriptor] = pid
                waiting.register(descriptor, select.POLLIN)
                print(json.dumps({"pid": pid}), flush=True)


def _become_run(request: dict) -> None:
    """In the fork: run Snakemake, or `python -m reseed`, in the project's folder."""
    status = 1
    try:
        os.setsid()
        log = os.open(request["log"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(log, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(request["folder"])
        if request["environment"] is not None:
            os.environ.clear()
            os.environ.update(request["environment"])
        sys.path[0] = str(Path("scripts").resolve())
        _add_packages(Path("lib/site-packages").resolve())
        _use_read_library()
        exec(request["patch"], {})
        program, *arguments = request["argv"]
        if program == "snakemake":
            _prepare_server(request["server"])
            from snakemake.cli import main

            main(arguments)
        else:
            inherited = os.environ.get("PYTHONPATH", "")
            os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [sys.path[0], inherited]))
            sys.argv = [program, *arguments]
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _add_packages(site_packages: Path) -> None:
    """In a run: use the project's own installed packages, as an interpreter does at its start."""
    if site_packages.is_dir():
        os.environ["PYTHONPATH"] = str(site_packages)
        sys.path.insert(1, str(site_packages))
        site.addsitedir(str(site_packages))


def _prepare_server(is_wanted: bool) -> None:
    """Replace the start of a fork server by a fork of this process, or by an error."""
    from reseed.pipeline import fork_client, fork_server

    if not is_wanted:

        def refuse(*_: object) -> None:
            raise OSError("no fork server")

        fork_server.start = refuse
        return
    name = f"reseed-{os.getpid()}-warm"
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(fork_client.address(name))
    listener.listen(fork_server.BACKLOG)
    lifeline, other_end = os.pipe()
    if os.fork() == 0:
        os.close(other_end)
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        fork_server.serve(listener, lifeline)
        os._exit(0)
    os.close(lifeline)
    listener.close()

    def start(environment: os._Environ = os.environ) -> None:
        environment[fork_client.VARIABLE] = name

    fork_server.start = start


if __name__ == "__main__":
    _serve()
