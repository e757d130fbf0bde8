"""A real Slurm on one machine: two nodes, two fake GPUs, no accounting, no munge.

Its nodes claim more cores and memory than there are: most jobs of the tests sleep, and two GPU jobs
must find room beside others.

All daemons are children of this process and are stopped by their ids. It needs root, because slurmd
does, and `/etc/slurm` without a configuration, because jobs look only there.
"""

import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

# 1: run the tests that install packages and start daemons; full: run the long ones too.
SWITCH = "RESEED_CLUSTER_TESTS"
CONFIGURATION = """
ClusterName=rehearsal
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/none
CredType=cred/none
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_interval=2,bf_interval=2
ReturnToService=2
MinJobAge=86400
KillWait=2
SlurmdParameters=config_overrides
GresTypes=gpu
NodeName=DEFAULT CPUs=4 RealMemory=32000
NodeName=one NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[1]} Gres=gpu:fake:2 State=UNKNOWN
NodeName=two NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[2]} State=UNKNOWN
PartitionName=main Nodes=one,two LLN=YES Default=YES MaxTime=60 State=UP
"""
# Character devices represent GPUs; Slurm refuses plain files.
DEVICES = """
AutoDetect=off
NodeName=one Name=gpu Type=fake File=/dev/null
NodeName=one Name=gpu Type=fake File=/dev/zero
"""
CGROUPS = """
CgroupAutomount=no
ConstrainCores=no
ConstrainDevices=no
ConstrainRAMSpace=no
"""
#: Each new job gets the node with the lower load (LLN).
NODES = ("one", "two")
SYSTEM = Path("/etc/slurm")


def find_obstacle() -> str | None:
    """Install Debian's Slurm if needed. Return why it cannot be started; None if it can."""
    if os.geteuid() != 0:
        return "slurmd needs root"
    if any((SYSTEM / name).exists() for name in ("slurm.conf", "gres.conf", "cgroup.conf")):
        return "/etc/slurm already contains a configuration"
    if shutil.which("slurmctld") and shutil.which("slurmd"):
        return None
    if not shutil.which("apt-get"):
        return "neither Slurm nor apt-get is installed"
    for command in (
        ["apt-get", "update"],
        ["apt-get", "install", "-y", "--no-install-recommends", "slurm-wlm"],
    ):
        run = subprocess.run(command, capture_output=True, text=True, timeout=300)
        if run.returncode:
            return f"Debian's slurm-wlm cannot be installed: {run.stderr.strip()[-200:]}"
    return None


def _free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


class SlurmCluster:
    """A Slurm that runs within a `with` block; `jobs()` returns the state of every job."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.daemons: list[subprocess.Popen] = []
        self.links: list[Path] = []

    def __enter__(self) -> "SlurmCluster":
        (self.folder / "state").mkdir(parents=True)
        for node in NODES:
            (self.folder / f"spool-{node}").mkdir()
        text = CONFIGURATION.format(
            host=socket.gethostname().partition(".")[0],
            ports=_free_ports(1 + len(NODES)),
            folder=self.folder,
        )
        SYSTEM.mkdir(exist_ok=True)
        for name, body in (("slurm", text), ("gres", DEVICES), ("cgroup", CGROUPS)):
            file = self.folder / f"{name}.conf"
            file.write_text(body.lstrip())
            link = SYSTEM / file.name
            link.symlink_to(file)
            self.links.append(link)
        try:
            self._daemon("slurmctld", "-D", "-c")
            for node in NODES:
                self._daemon("slurmd", "-D", "-N", node)
            self._wait_until_idle()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        if self.daemons:
            subprocess.run(["scancel", "--user=root"])
            self._wait_for_the_end_of_jobs()
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        for link in self.links:
            link.unlink(missing_ok=True)

    def _daemon(self, *command: str) -> None:
        quiet = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.DEVNULL)  # it has a log
        self.daemons.append(subprocess.Popen(command, start_new_session=True, **quiet))

    def _wait_until_idle(self) -> None:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            run = subprocess.run(["sinfo", "-h", "-N", "-o", "%T"], capture_output=True, text=True)
            if run.stdout.split() == ["idle"] * len(NODES):
                return
            time.sleep(0.2)
        logs = "\n".join(path.read_text()[-2000:] for path in self.folder.glob("*.log"))
        raise RuntimeError(f"Slurm did not start:\n{logs}")

    def _wait_for_the_end_of_jobs(self) -> None:
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            run = subprocess.run(["squeue", "-h"], capture_output=True, text=True)
            if not run.stdout.strip():
                return
            time.sleep(0.2)

    def jobs(self) -> list[dict[str, str]]:
        """Every job since the start, with the fields of `scontrol show job`."""
        run = subprocess.run(
            ["scontrol", "show", "job", "-o"], capture_output=True, text=True, check=True
        )
        jobs = []
        for line in run.stdout.splitlines():
            fields = dict(part.split("=", 1) for part in line.split(" ") if "=" in part)
            if "JobId" in fields:
                jobs.append(fields)
        return jobs
