"""Run Python in a fork of the run's fork server; without a server, in a process of its own.

Started by its path (`scripts/job.sh`), with the arguments of `python`: `[-P] -m module …` or
`script …`. It loads nothing that takes time.
"""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
from itertools import pairwise

# Names the server's socket to the jobs of a run.
VARIABLE = "RESEED_FORKSERVER"
SIZE = struct.Struct("!I")  # of the request that follows, in bytes
# A job with other values sizes its pools, or picks its device, before it loads anything.
_DEFAULTS = {"--threads": "1", "--gpus": "0"}


def address(name: str) -> str:
    """The abstract socket (unix(7)) of a server. It has no file."""
    return f"\0{name}"


def run_in_fork(argv: list[str]) -> int | None:
    """Run a program in a fork of the run's server and return its exit status.

    None: there is no server, it could not start the job, or it ended, and the job with it. The
    status of a job that a signal ended is 128 plus the signal, as in a shell.
    """
    name = os.environ.get(VARIABLE)
    needs_process = any(_DEFAULTS.get(flag, value) != value for flag, value in pairwise(argv))
    if not name or needs_process:
        return None
    with socket.socket(socket.AF_UNIX) as connection:
        request = {"argv": argv, "folder": os.getcwd(), "environment": dict(os.environ)}
        text = json.dumps(request).encode()
        try:
            connection.connect(address(name))
            socket.send_fds(connection, [SIZE.pack(len(text))], [1, 2])
            connection.sendall(text)
            status = connection.recv(16)
        except OSError:
            return None
    return int(status) if status else None


if __name__ == "__main__":
    status = run_in_fork(sys.argv[1:])
    if status is None:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    sys.exit(status)
