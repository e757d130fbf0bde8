"""Code that a run and its jobs execute first: failures of the system that no test can cause."""

#: The clock of the process jumps by an hour at every reading, forth and back.
CLOCK = """
import itertools, time
jumps = itertools.cycle([0, 3600, -3600])
real, real_ns = time.time, time.time_ns
time.time = lambda: real() + next(jumps)
time.time_ns = lambda: real_ns() + next(jumps) * 10**9
"""

#: A block looks damaged when it is opened, and at the second time the file system is away.
FAIL_SECOND_READ = """
import errno, os
import pyarrow.parquet as pq
seen, real = set(), pq.ParquetFile.__init__

def init(self, source, *arguments, **options):
    path = str(source)
    if "/trials/" in path:
        if path in seen:
            raise OSError(errno.{number}, os.strerror(errno.{number}), path)
        seen.add(path)
        raise ValueError("page checksum")
    real(self, source, *arguments, **options)

pq.ParquetFile.__init__ = init
"""

#: A job is killed before step number `step` of writing a segment.
KILL_IN_SEGMENT = """
import itertools, os, pathlib, signal
import pyarrow.parquet as pq
from reseed.trials.cached_trials import TrialWriter

steps, inside, real = itertools.count(), [], TrialWriter._write_segment

def killing(function):
    def call(*arguments, **options):
        if inside and next(steps) == {step}:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **options)
    return call

def write(self, *arguments):
    inside.append(True)
    real(self, *arguments)
    if next(steps) == {step}:
        os.kill(os.getpid(), signal.SIGKILL)
    inside.pop()

TrialWriter._write_segment = write
for owner, names in (
    (os, ("fsync", "replace", "mkdir", "chmod")),
    (pathlib.Path, ("open", "unlink", "chmod")),
    (pq.ParquetWriter, ("__init__", "write_table", "close")),
):
    for name in names:
        setattr(owner, name, killing(getattr(owner, name)))
"""
