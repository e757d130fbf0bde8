"""Jobs as forks of one process behave like processes of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from reseed.core.module_finder import SCRIPTS
from reseed.pipeline import fork_client, fork_server
from reseed.pipeline.fork_client import VARIABLE, address

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's")


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(SCRIPTS))
    environment = dict(os.environ, OMP_NUM_THREADS="1")
    process = fork_server.start(environment)
    process.environment = environment
    yield process
    fork_server.stop(process)


@pytest.fixture
def client(server, tmp_path):
    """Starts a script with arguments as a job of the server, in an empty folder."""

    def start(text, *arguments, name="job.py", **more):
        script = tmp_path / name
        script.write_text(text)
        command = [sys.executable, "-ES", fork_client.__file__, str(script), *arguments]
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
            env=server.environment | more,
        )  # fmt: skip

    return start


def out(process):
    """What a job printed; fails where it failed."""
    text, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    return text


PRINT_STATE = """
import json, os, sys
print(json.dumps([__name__, sys.argv[1:], os.getcwd(), os.environ.get("WHO"), os.getppid(),
                  sys.path[0], sys.stdin.read()]))
print("aside", file=sys.stderr)
"""


def test_forked_job_sees_the_state_of_a_new_process(server, client, tmp_path):
    job = client(PRINT_STATE, "--a", "b c", WHO="me")
    text, errors = job.communicate(timeout=60)
    name, arguments, folder, who, parent, place, given = json.loads(text)
    assert (name, arguments, who, given) == ("__main__", ["--a", "b c"], "me", "")
    assert folder == place == str(tmp_path)
    assert parent == server.pid  # or else nothing here tests a fork
    assert errors == "aside\n"


@pytest.mark.parametrize(
    ("end", "status"),
    [
        ("pass", 0),
        ("sys.exit(3)", 3),
        ("sys.exit('words')", 1),
        ("1 / 0", 1),
        ("os._exit(7)", 7),
        ("os.kill(os.getpid(), signal.SIGKILL)", 137),
        ("os.kill(os.getpid(), signal.SIGTERM)", 143),
    ],
)
def test_exit_status(client, end, status):
    job = client(f"import os, signal, sys\nprint('begun', flush=True)\n{end}\n")
    text, errors = job.communicate(timeout=60)
    assert (job.returncode, text) == (status, "begun\n")
    if "/" in end:
        assert "ZeroDivisionError" in errors
    if "words" in end:
        assert "words" in errors


LOADED = """
import sys
print("wave" in sys.modules, "own" in sys.modules, "zipapp" in sys.modules)
import wave, zipapp
sys.path.insert(0, ".")
import own
"""


def test_second_job_reuses_libraries_but_no_user_module(client, tmp_path):
    (tmp_path / "own.py").write_text("")
    assert out(client(LOADED)) == "False False False\n"
    assert out(client(LOADED)) == "True False True\n"
    assert out(client(LOADED, name="another.py")) == "True False True\n"


def test_forks_draw_different_numbers_without_a_seed(client):
    text = "import numpy, random, torch\nprint(numpy.random.rand(), random.random(), torch.rand(1))"
    drawn = [out(client(text)).split() for _ in range(3)]
    for column in zip(*drawn, strict=True):
        assert len(set(column)) == 3


def test_jobs_run_at_the_same_time(client):
    meet = "import os, time\nopen('{}', 'w')\nwhile not os.path.exists('{}'): time.sleep(0.01)"
    jobs = [client(meet.format(*pair), name=f"{pair[0]}.py") for pair in ("ab", "ba")]
    assert [job.wait(timeout=60) for job in jobs] == [0, 0]


HANGS = "import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(600)"


def has_ended(pid):
    """Whether a process ends within ten seconds."""
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return True
        if "State:\tZ" in Path(f"/proc/{pid}/status").read_text():
            return True
        time.sleep(0.05)
    return False


def test_job_ends_with_its_client(client):
    job = client(HANGS)
    pid = int(job.stdout.readline())
    job.kill()
    assert has_ended(pid)
    assert out(client("print(1)")) == "1\n"


def test_jobs_end_with_the_run(server, client):
    job = client(HANGS)
    pid = int(job.stdout.readline())
    fork_server.stop(server)
    assert has_ended(pid)
    assert job.wait(timeout=60) == 128 + signal.SIGKILL


def test_job_restarts_alone_if_the_server_dies(server, client):
    job = client("import os, time\nprint(os.getpid(), flush=True)\ntime.sleep(0.5)")
    pid = int(job.stdout.readline())
    server.kill()
    assert has_ended(pid)
    assert int(job.stdout.readline()) == job.pid
    assert job.wait(timeout=60) == 0


@pytest.mark.parametrize(
    ("arguments", "variable"),
    [([], "reseed-nobody"), ([], ""), (["--threads", "2"], None), (["--gpus", "1"], None)],
)
def test_new_process_is_used_without_a_usable_server(server, client, arguments, variable):
    more = {} if variable is None else {VARIABLE: variable}
    job = client("import os, sys\nprint(os.getppid())\nsys.exit(5)", *arguments, **more)
    assert int(job.stdout.readline()) == os.getpid() != server.pid
    assert job.wait(timeout=60) == 5


def test_job_runs_alone_if_the_server_refuses_it(client):
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address("reseed-refuses"))
        listener.listen()
        job = client("print(1)", **{VARIABLE: "reseed-refuses"})
        listener.accept()[0].close()
        assert out(job) == "1\n"


def test_job_with_one_thread_and_no_gpu_is_forked(server, client):
    assert int(out(client("import os; print(os.getppid())", "--threads", "1", "--gpus", "0"))) == (
        server.pid
    )


def test_malformed_requests_get_no_answer(server, client):
    for words in (b"", b"\0\0\0\5", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.socket(socket.AF_UNIX) as connection:
            connection.connect(address(server.environment[VARIABLE]))
            connection.sendall(words)
            connection.shutdown(socket.SHUT_WR)
            with suppress(ConnectionResetError):  # it did not read to the end
                assert connection.recv(16) == b""
    assert out(client("print(1)")) == "1\n"


def test_server_of_another_user_gets_no_request(server, client, monkeypatch):
    """Whoever takes the name of the socket first would otherwise run the job's program."""
    monkeypatch.setenv(VARIABLE, server.environment[VARIABLE])
    monkeypatch.setattr(fork_client.os, "getuid", lambda: os.geteuid() + 1)
    assert fork_client.run_in_fork(["job.py"]) is None
