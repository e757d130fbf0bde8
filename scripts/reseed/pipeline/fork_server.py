"""One preloaded process a run: jobs are forks of it, and find their libraries loaded.

Loading torch, scikit-learn or matplotlib takes seconds; most jobs of a small study take less. The
server loads what a finished job loaded before it forks the next one. So it loads no library that no
job needs, and never a module of the user. A fork has
its own arguments, folder, environment, output and exit status. Every fork gets fresh entropy, but
all share the server's hash seed. A check that results repeat in *another* process must therefore
start one (rules/checks.smk does).
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import importlib
import marshal
import multiprocessing
import os
import runpy
import secrets
import signal
import socket
import subprocess
import sys
import sysconfig
from collections.abc import MutableMapping
from contextlib import suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import TypedDict

from reseed.core.garbage import collect_rarely
from reseed.pipeline.fork_client import PEER_SIZE, SIZE, VARIABLE, address
from reseed.pipeline.runner import limit_threads

# Modules below these folders are the same for every job. Other modules may be the user's.
SHARED = tuple(
    f"{folder}{os.sep}"
    for folder in {
        str(Path(__file__).parents[2]),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    }
)
BACKLOG = 512
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def start(environment: MutableMapping[str, str] = os.environ) -> subprocess.Popen:
    """Start a server that ends with this process. `environment` names it to the jobs."""
    name = f"reseed-{os.getpid()}-{secrets.token_hex(4)}"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address(name))
        listener.listen(BACKLOG)
        number = listener.fileno()
        command = [sys.executable, "-P", "-m", __name__, str(number)]
        server = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=[number])
    environment[VARIABLE] = name
    atexit.register(stop, server)
    return server


def stop(server: subprocess.Popen) -> None:
    """End a server and its remaining jobs."""
    if server.stdin is not None:
        server.stdin.close()
    server.wait()


def shared_modules() -> list[str]:
    """Names of the loaded modules that jobs may share, in loading order."""
    names = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name != "__main__" and isinstance(file, str) and file.startswith(SHARED):
            names.append(name)
    return names


def program(argv: list[str]) -> tuple[str, list[str]]:
    """The script or module that arguments of `python` name, and its own arguments."""
    if argv[:2] == ["-P", "-m"]:
        return argv[2], argv[3:]
    return argv[0], argv[1:]


class Request(TypedDict):
    """A command of a client, with its folder and environment."""

    argv: list[str]
    folder: str
    environment: dict[str, str]


class ForkedJob:
    """A forked job and the connection of the client that waits for it."""

    def __init__(
        self,
        connection: socket.socket,
        request: Request,
        outputs: list[int],
        others: list[socket.socket],
    ):
        self.connection = connection
        self._loaded = os.memfd_create("loaded")
        self.process = multiprocessing.get_context("fork").Process(
            target=_become, args=(request, outputs, self._loaded, [connection, *others])
        )
        self.process.start()

    def end(self) -> list[str]:
        """Send the exit status to the client; return the modules that the job loaded."""
        self.process.join()
        code = self.process.exitcode or 0
        answer = code if code >= 0 else 128 - code  # as shells report a signal
        with suppress(OSError):  # the client was killed meanwhile
            self.connection.sendall(str(answer).encode())
        self.connection.close()
        with open(self._loaded, "rb") as stream:
            stream.seek(0)
            return stream.read().decode().split()


def serve(listener: socket.socket, lifeline: int) -> None:
    """Fork a process for every request on `listener`, until the other end of `lifeline` closes.

    The job of a client that ends is killed. All jobs are killed when the run ends.
    """
    jobs: list[ForkedJob] = []
    known: set[str] = set()  # modules that finished jobs loaded
    wanted: list[str] = []  # those that the server has not tried to load yet
    gc.disable()  # a collection in a fork would copy every page that it visits
    while True:
        sentinels = {job.process.sentinel: job for job in jobs}
        clients = {job.connection: job for job in jobs}
        ready = wait([listener, lifeline, *sentinels, *clients])
        if lifeline in ready:
            for job in jobs:
                job.process.kill()
                job.end()
            return
        for one in ready:
            if one in sentinels:
                job = sentinels[one]
                new = [name for name in job.end() if name not in known]
                known.update(new)
                wanted += new
                jobs.remove(job)
            elif one in clients and clients[one] in jobs:  # a client writes once: it has ended
                clients[one].process.kill()
                clients[one].process.join()
        if listener in ready:
            connection, _ = listener.accept()
            try:
                jobs.append(_start(connection, wanted, [listener, *clients]))
            except (OSError, ValueError, EOFError, TypeError):  # the client starts a process
                connection.close()


def _start(connection: socket.socket, wanted: list[str], others: list[socket.socket]) -> ForkedJob:
    """Start the job of a client. Raises OSError or ValueError."""
    request, outputs = _receive(connection)
    try:
        _load(wanted)
        wanted.clear()
        gc.freeze()
        return ForkedJob(connection, request, outputs, others)
    finally:
        for number in outputs:
            os.close(number)


def _receive(connection: socket.socket) -> tuple[Request, list[int]]:
    """A client's request and its output streams. Raises ValueError for another user's request."""
    peer = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER_SIZE)
    if int.from_bytes(peer[4:8], sys.byteorder) != os.getuid():
        raise ValueError("another user")
    head, outputs, _, _ = socket.recv_fds(connection, SIZE, 2)
    size, data = int.from_bytes(head, "big"), b""
    while len(outputs) == 2 and len(head) == SIZE and len(data) < size:
        part = connection.recv(1 << 16)
        if not part:
            break
        data += part
    if not data or len(data) < size:
        for number in outputs:
            os.close(number)
        raise ValueError("no request")
    return marshal.loads(data), outputs


def _load(names: list[str]) -> None:
    """Import modules. A module that cannot be imported alone is left to the jobs."""
    for name in names:
        with suppress(Exception):
            importlib.import_module(name)


def _become(
    request: Request, outputs: list[int], loaded: int, servers: list[socket.socket]
) -> None:
    """In the fork: run the program as in a process of its own."""
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    gc.enable()
    collect_rarely()
    atexit._clear()  # what libraries registered in the server
    for one in servers:
        one.close()
    for number, stream in zip(outputs, (1, 2), strict=True):
        os.dup2(number, stream)
    os.environ.clear()
    os.environ.update(request["environment"])
    os.chdir(request["folder"])
    name, arguments = program(request["argv"])
    sys.argv = [name, *arguments]
    for generator in ("numpy.random", "torch.random"):  # `random` does so itself
        if generator in sys.modules:
            sys.modules[generator].seed()
    try:
        if name.endswith(".py"):
            sys.path.insert(0, str(Path(name).resolve().parent))
            runpy.run_path(name, run_name="__main__")
        else:
            runpy.run_module(name, run_name="__main__", alter_sys=True)
    finally:
        atexit._run_exitfuncs()
        with open(loaded, "wb") as modules:
            modules.write("\n".join(shared_modules()).encode())


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # jobs handle it, and so does the parent process
    limit_threads(1)
    serve(socket.socket(fileno=int(sys.argv[1])), sys.stdin.fileno())
