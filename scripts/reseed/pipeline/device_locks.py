"""Which GPUs a job may see: each local training claims its own, and nobody shares one by accident.

Snakemake grants a *number* of GPUs and names none. On a cluster the scheduler names them; on one
machine the job claims them here: one advisory lock a device (`flock`, kept until the process ends,
however it ends), and `CUDA_VISIBLE_DEVICES` narrowed to what was claimed. Call `claim` before torch
is imported. Inside a scheduler's allocation of as many devices as were granted there is nothing to
choose, and no lock is taken.
"""

import fcntl
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from pathlib import Path
from typing import IO

from reseed.core.errors import ReseedError

VISIBLE = "CUDA_VISIBLE_DEVICES"
# Inside an allocation devices are often numbered from 0 again: locks of two must not meet.
ALLOCATIONS = (
    *("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"),
    *("FLUX_JOB_ID", "OAR_JOB_ID", "_CONDOR_SCRATCH_DIR"),
)
POLL_SECONDS = 0.5
# Locks last as long as these handles: as long as the process.
_HELD: list[IO] = []


def installed_devices() -> list[str] | None:
    """Index of every GPU that the NVIDIA driver shows this process; None where nobody can tell."""
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
    """Devices that `CUDA_VISIBLE_DEVICES` names, or what `installed` tells where it is not set.

    As CUDA reads it: an empty text or -1 hides all devices (-1 those from there on).
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
    """Folder of the locks: on this machine, of this user, of this allocation if there is one."""
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
    """Claim `count` devices for this process and let it see no other.

    Takes the first free ones of those visible, all at once, waiting while too few are free
    (told once through `report`). Sets `CUDA_VISIBLE_DEVICES` in `environment`. With fewer devices
    installed than granted it returns what there is: a model that needs one says so itself. Where
    nobody can tell which there are (no `nvidia-smi`: other makers' devices, a bare container) it
    returns None and hides nothing.

    Args:
        count: GPUs granted to the job; 0 hides all.
        environment: what is read and changed.
        folder: where locks are kept (default: `lock_folder`).
        installed: names all devices where the environment names none.
        report: told that the job waits.

    Returns the claimed devices, as `CUDA_VISIBLE_DEVICES` names them.
    """
    if count < 0:
        raise ReseedError(f"a job was granted {count} GPUs: the profile's gpu must be 0 or more")
    devices = visible_devices(environment, installed) if count else []
    if devices is None:
        return None
    spare = len(devices) - count
    if count and (spare > 0 or (spare == 0 and not _allocation(environment))):
        devices = _claim(devices, count, folder or lock_folder(environment), report)
    environment[VISIBLE] = ",".join(devices)
    return devices


def _claim(devices: list[str], count: int, folder: Path, report: Callable) -> list[str]:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.lstat().st_uid != os.getuid():  # opening a link in it would empty what it leads to
        raise ReseedError(f"{folder}: belongs to somebody else. Ask them, or set TMPDIR.")
    waiting = False
    while True:
        # One job chooses at a time: two that want two devices each never hold one and wait.
        with open(folder / "choosing.lock", "w") as turn:
            fcntl.flock(turn, fcntl.LOCK_EX)
            taken: dict[str, IO] = {}
            for device in devices:
                if len(taken) < count and (handle := _lock(folder, device)):
                    taken[device] = handle
            if len(taken) == count:
                _HELD.extend(taken.values())
                return list(taken)
            for handle in taken.values():
                handle.close()
        if not waiting:
            report(f"Waiting: {count} of {len(devices)} GPUs are wanted, and too few are free.")
            waiting = True
        time.sleep(POLL_SECONDS)


def _lock(folder: Path, device: str) -> IO | None:
    """The device's lock, held; None if another process holds it."""
    handle = open(folder / f"device-{_word(device)}.lock", "w")  # noqa: SIM115
    with suppress(BlockingIOError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return handle
    handle.close()
    return None


def release() -> None:
    """Give back what this process claimed, before it ends."""
    while _HELD:
        _HELD.pop().close()


def _word(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text)
