"""End a job when the Snakemake process that started it ends, also by `kill -9`.

Snakemake starts a shell, and the shell starts the job. The kernel tells the end of the shell
(prctl(2)); a thread waits for the end of Snakemake (pidfd_open(2)). Only Linux can do both;
elsewhere `reseed.core.run_token` keeps a job from replacing newer files.
"""

import ctypes
import os
import select
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

from reseed.core.errors import ReseedError

#: Process that started the shell of the job (`scripts/reseed/pipeline/job.sh`).
VARIABLE = "RESEED_PARENT"
_END_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


def end_with_parent() -> None:
    """End this process when its parent ends, or the process that `RESEED_PARENT` names.

    Raises ReseedError if that process has ended already.
    """
    named = os.environ.get(VARIABLE, "")
    # In a container with its own processes, the shell sees 0 or 1.
    if sys.platform != "linux" or not named.isdigit() or int(named) <= 1:
        return
    ctypes.CDLL(None).prctl(_END_WITH_PARENT, signal.SIGKILL)
    try:
        descriptor = os.pidfd_open(int(named))
    except ProcessLookupError:
        descriptor = None
    except OSError:  # an old kernel
        return
    # Checked after opening: the number may belong to a new process meanwhile.
    if descriptor is None or int(named) not in set(_ancestors()):
        raise ReseedError("the run that started this job has ended. Run snakemake again.")
    threading.Thread(target=_end_after, args=(descriptor,), daemon=True).start()


def _end_after(descriptor: int) -> None:
    waiting = select.poll()
    waiting.register(descriptor, select.POLLIN)
    waiting.poll()
    os.kill(os.getpid(), signal.SIGKILL)


def _ancestors() -> Iterator[int]:
    """Numbers of the processes above this one."""
    number = os.getpid()
    while number > 1:
        try:
            status = Path("/proc", str(number), "stat").read_text()
        except OSError:
            return
        number = int(status.rpartition(")")[2].split()[1])
        yield number
