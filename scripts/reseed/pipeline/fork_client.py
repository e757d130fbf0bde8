"""Run Python in a fork of the run's fork server; without a server, in a process of its own.

Started by its path (`job.sh`), with the arguments of `python`: `[-P] -m module …` or `script …`.
It starts for every job, so it loads compiled modules alone: `socket` and `json` would treble its
time.
"""

from __future__ import annotations

import _socket
import marshal
import os
import sys
from itertools import pairwise

# Names the server's socket to the jobs of a run.
VARIABLE = "RESEED_FORKSERVER"
SIZE = 4  # bytes that state the length of the request
PEER_SIZE = 12  # process, user, group: `struct ucred` of unix(7)
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
    request = {"argv": argv, "folder": os.getcwd(), "environment": dict(os.environ)}
    data = marshal.dumps(request)
    outputs = b"".join(number.to_bytes(4, sys.byteorder) for number in (1, 2))
    ancillary = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, outputs)]
    connection = _socket.socket(_socket.AF_UNIX)
    try:
        connection.connect(address(name))
        # A socket without a file belongs to the process that takes its name first, of any user.
        peer = connection.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, PEER_SIZE)
        if int.from_bytes(peer[4:8], sys.byteorder) != os.getuid():
            return None
        connection.sendmsg([len(data).to_bytes(SIZE, "big")], ancillary)
        connection.sendall(data)
        status = connection.recv(16)
    except OSError:
        return None
    finally:
        connection.close()
    return int(status) if status else None


if __name__ == "__main__":
    status = run_in_fork(sys.argv[1:])
    if status is None:
        os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
    sys.exit(status)
