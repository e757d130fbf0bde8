"""Locks of GPUs: each local training claims its own devices.

Snakemake grants a *number* of GPUs without naming them. On a cluster the scheduler names them. On
one machine the job claims them here: it takes one lock a device, held until the process ends,
and sets `CUDA_VISIBLE_DEVICES` to the claimed devices. Call `claim` before torch is
imported. No lock is taken inside a scheduler's allocation of exactly as many devices as granted.
"""

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from reseed.core.errors import ReseedError

if TYPE_CHECKING:
    from filelock import BaseFileLock

VISIBLE = "CUDA_VISIBLE_DEVICES"
# Each allocation often numbers its devices from 0: their locks must differ.
ALLOCATIONS = (
    *("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"),
    *("FLUX_JOB_ID", "OAR_JOB_ID", "_CONDOR_SCRATCH_DIR"),
)
POLL_SECONDS = 0.5
_HELD: list["BaseFileLock"] = []


def installed_devices() -> list[str] | None:
    """Index of every GPU that the NVIDIA driver shows this process; None if it is unknown."""
    command = ["nvidia-smi", "--query-gpu=index", "--format=csv,noheader"]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return run.stdout.split()


def visible_devices(
    environment: MutableMapping[str, str],
    installed: Callable[[], list[str] | None] = installed_devices,
) -> list[str] | None:
    """Devices that `CUDA_VISIBLE_DEVICES` names, or those of `installed` where it is not set.

    As in CUDA, an empty text hides all devices, and -1 hides the devices after it. A device that is
    named twice takes two jobs at a time.
    """
    named = environment.get(VISIBLE)
    if named is None:
        return installed()
    devices = []
    for entry in named.split(","):
        device = entry.strip()
        if device in ("", "-1"):
            break
        devices.append(device)
    return devices


def lock_folder(environment: MutableMapping[str, str]) -> Path:
    """Folder of the locks of this machine, this user, and this allocation, if any."""
    name = f"reseed-devices-{os.getuid()}-{_word(_allocation(environment) or 'local')}"
    return Path(tempfile.gettempdir(), name)


def _allocation(environment: MutableMapping[str, str]) -> str | None:
    return next((environment[name] for name in ALLOCATIONS if environment.get(name)), None)


def claim(
    count: int,
    environment: MutableMapping[str, str] = os.environ,
    folder: Path | None = None,
    installed: Callable[[], list[str] | None] = installed_devices,
    report: Callable[[str], object] = print,
) -> list[str] | None:
    """Claim `count` devices for this process and hide all others.

    It takes the first free visible devices, all at once, and waits while too few are free. It sets
    `CUDA_VISIBLE_DEVICES` in `environment`. With fewer devices installed than granted it returns
    all of them; a model that needs a device raises its own error. Where the devices are unknown (no
    `nvidia-smi`: other vendors, a bare container) it returns None and hides nothing.

    Args:
        count: GPUs granted to the job; 0 hides all.
        environment: variables to read and change.
        folder: folder of the locks (default: `lock_folder`).
        installed: names all devices where the environment names none.
        report: receives a message when the job waits.

    Returns the claimed devices, as `CUDA_VISIBLE_DEVICES` names them.
    """
    if count < 0:
        raise ReseedError(f"a job was granted {count} GPUs: the profile's gpu must be 0 or more")
    devices = visible_devices(environment, installed) if count else []
    if devices is None:
        return None
    if len(distinct := list(dict.fromkeys(devices))) < count:
        devices = distinct
    spare = len(devices) - count
    if count and (spare > 0 or (spare == 0 and not _allocation(environment))):
        devices = _claim(devices, count, folder or lock_folder(environment), report)
    environment[VISIBLE] = ",".join(devices)
    return devices


def _claim(
    devices: list[str], count: int, folder: Path, report: Callable[[str], object]
) -> list[str]:
    from filelock import FileLock, Timeout  # only jobs with GPUs need it

    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.lstat().st_uid != os.getuid():  # opening a link in it could empty another file
        raise ReseedError(f"{folder}: belongs to another user. Set TMPDIR to another folder.")
    is_waiting = False
    while True:
        # One job chooses at a time, so that two jobs never hold one device each and wait.
        with FileLock(folder / "choosing.lock"):
            taken: dict[str, BaseFileLock] = {}
            for place, device in enumerate(devices):
                if len(taken) == count or device in taken:
                    continue
                name = f"device-{_word(device)}-{devices[:place].count(device)}.lock"
                lock = FileLock(folder / name, blocking=False)
                with suppress(Timeout):
                    lock.acquire()
                    taken[device] = lock
            if len(taken) == count:
                _HELD.extend(taken.values())
                return list(taken)
            for held in taken.values():
                held.release()
        if not is_waiting:
            report(f"Waiting: {count} of {len(devices)} GPUs are requested, but too few are free.")
            is_waiting = True
        time.sleep(POLL_SECONDS)


def release() -> None:
    """Release the devices of this process before it ends."""
    while _HELD:
        _HELD.pop().release()


def _word(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text)
