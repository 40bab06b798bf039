"""Fork servers: what they give, that nothing leaks, and that all die with whoever started them."""

import json
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import msgspec
import pytest
from sandbox_client import Session, below, running, soon

from nbjudge.inside import probe
from nbjudge.sandbox import Limits, Nursery, SandboxError, jail, nursery

PROMISES = f"{probe.__name__}:promises"

both = pytest.mark.parametrize(
    "sandboxed",
    [
        pytest.param(
            True,
            marks=pytest.mark.skipif(jail.bubblewrap() is None, reason="needs bubblewrap"),
        ),
        False,
    ],
)


def light(sandboxed: bool) -> Nursery:
    """A nursery whose parents load nothing."""
    return Nursery(sandboxed, learners=(), examiners=(), examiner_entry=PROMISES)


def broken_promises(child, allowed: dict) -> list[str]:
    """What the child answers to what is allowed."""
    child.socket.settimeout(30)
    child.socket.sendall(json.dumps(allowed).encode())
    return json.loads(child.socket.recv(65536))


def open_files(pid: int) -> int:
    return len(os.listdir(f"/proc/{pid}/fd"))


@pytest.mark.thorough("test of fork servers")
@both
def test_nothing_leaks_in_two_hundred_forks(sandboxed):
    with light(sandboxed) as servers:
        for _ in range(3):
            servers.examiner().kill()
            servers.isolated(PROMISES).kill()
        parents = servers.parent_pids().values()
        before = [open_files(os.getpid()), *[open_files(pid) for pid in parents]]
        for number in range(200):
            child = servers.examiner() if number % 2 else servers.isolated(PROMISES)
            if number % 5 == 0:
                assert child.wait_ready()
            child.kill()
            assert not child.alive()
        assert [open_files(os.getpid()), *[open_files(pid) for pid in parents]] == before
        assert sorted(os.listdir(servers.base)) == ["etc"]
        # A watcher has told of its child's end when it ends itself: it is collected soon after.
        assert soon(lambda: not any(below(pid) for pid in parents))
        base = servers.base
    assert not os.path.exists(base) and not any(running(pid) for pid in parents)


@both
def test_all_dies_with_the_process_that_started_it(sandboxed, tmp_path, monkeypatch):
    script = tmp_path / "grader.py"
    script.write_text(
        textwrap.dedent(f"""
            import os, sys, threading, time
            sys.path.insert(0, {str(jail.PACKAGE_ROOT)!r})
            from nbjudge.sandbox import Nursery
            found = Nursery({sandboxed}, learners=(), examiners=(), examiner_entry={PROMISES!r})
            # From a thread that ends, as a worker's may.
            thread = threading.Thread(target=found.start)
            thread.start(); thread.join()
            held = [found.examiner(), found.isolated({PROMISES!r})]
            assert all(child.wait_ready() for child in held)
            print(found.base, *found.parent_pids().values(), flush=True)
            time.sleep(600)
        """)
    )
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as run:
        base, *parents = run.stdout.readline().split()
        everyone = [int(pid) for pid in parents]
        everyone += [pid for parent in parents for pid in below(int(parent))]
        assert len(everyone) >= 6 and all(running(pid) for pid in everyone)
        run.send_signal(signal.SIGKILL)
    assert soon(lambda: not any(running(pid) for pid in everyone))
    # The next one clears its folder away.
    monkeypatch.setattr(nursery, "_YOUNG", -1)
    nursery.clear_left_over()
    assert not os.path.exists(base) and not os.path.exists(base + nursery.STAGE)


@both
def test_a_parent_that_died_is_started_again(sandboxed):
    with light(sandboxed) as servers:
        held = servers.isolated(PROMISES)
        assert held.wait_ready()
        first = servers.parent_pids()["learners"]
        os.kill(first, signal.SIGKILL)
        assert soon(lambda: not held.alive())
        held.kill()
        assert held.death().why == "killed"
        with servers.isolated(PROMISES) as child:
            assert child.wait_ready()
        assert servers.parent_pids()["learners"] != first


@pytest.mark.skipif(jail.bubblewrap() is None, reason="needs bubblewrap")
def test_an_examiner_sees_the_package_and_its_files_and_nothing_else(course):
    with light(True) as servers, servers.examiner(probe.LIMITS, files={"a/b": b"c"}) as child:
        broken = broken_promises(
            child, {str(course): [".venv", "nbjudge", "nbjudge_tfcourse", "tfcourse"]}
        )
        assert "the course hidden" not in broken and "no network" not in broken
        assert "not root, and no capabilities" not in broken
        assert "no system calls to escape with" not in broken
        # It found a file in its home, and other examiners are no secret to it.
        assert "an empty home" in broken and "a limit on processes" in broken


@pytest.mark.thorough("test of fork servers")
def test_without_a_sandbox():
    """The same kernels, ended in the same way; but what runs in them is the user's own."""
    with Nursery(False) as servers:
        assert servers.description.startswith("none")
        servers.start()
        learners = servers.parent_pids()["learners"]
        began = time.monotonic()
        # A child is there as soon as it is forked, not when it has come up.
        others = [servers.kernel() for _ in range(2)]
        kernel = servers.kernel(Limits(memory_mb=512), files={"x.txt": b"5"})
        forked = time.monotonic() - began
        assert all(child.wait_ready() for child in (*others, kernel))
        assert forked < time.monotonic() - began
        for other in others:
            other.kill()
        with Session(kernel) as session:
            assert session.run("print(open('x.txt').read())") == "5"
            assert "memory" in session.run("import torch; torch.zeros(10**9)")
            output = session.run("""
import os, time
read, write = os.pipe()
if not os.fork():
    os.setsid()
    if not os.fork():
        os.write(write, str(os.getpid()).encode())
        time.sleep(600)
    os._exit(0)
print(os.getcwd(), os.getuid(), os.read(read, 20).decode())
""")
        home, user, daemon = output.split()
        assert user == str(os.getuid()) and home.startswith(servers.base) and running(int(daemon))
        kernel.kill()
        assert not running(int(daemon)) and not os.path.exists(home)
        assert soon(lambda: not below(learners))
        assert set(servers.memory_mb()) == {"learners", "examiners"}
        assert all(50 < memory < 2000 for memory in servers.memory_mb().values())


def test_wall_time_ends_what_does_nothing():
    with (
        light(False) as servers,
        servers.isolated(PROMISES, Limits(submission_seconds=0.1)) as child,
    ):
        child.wait_ready()
        # The grader itself would have stopped it by then.
        assert soon(lambda: not child.alive(), seconds=25)
        assert child.death().why == "time"
        assert child.usage().wall_seconds > 5


def test_what_cannot_be_loaded_is_told():
    with (
        Nursery(False, learners=("tfcourse.no_such_module",)) as servers,
        pytest.raises(SandboxError, match="No module named 'tfcourse.no_such_module'"),
    ):
        servers.kernel()
    with light(False) as servers, servers.isolated("json:no_such_function") as child:
        assert not child.wait_ready()
        assert child.death().why == "failed" and "no_such_function" in child.death().message


@pytest.mark.parametrize("name", ["/etc/passwd", "../x", "a/../../x", "", "a\0b"])
def test_files_stay_in_the_folder(name):
    with light(False) as servers, pytest.raises(ValueError, match="inside the working folder"):
        servers.kernel(files={name: b""})


def test_files_must_leave_room():
    with light(False) as servers, pytest.raises(ValueError, match="half of the scratch space"):
        servers.kernel(Limits(scratch_mb=1), files={"x": bytes(2**20)})


@pytest.mark.parametrize("value", [0, -1, float("nan"), True, "2"])
def test_limits_are_above_zero(value):
    with pytest.raises(ValueError, match="memory_mb must be a number above 0, got"):
        Limits(memory_mb=value)


def test_other_systems_are_told_of_the_container(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(SandboxError, match="deploy/README.md"):
        Nursery()


def test_folders_of_the_living_are_left_alone(monkeypatch):
    monkeypatch.setattr(nursery, "_YOUNG", -1)
    with light(False) as servers:
        servers.start()
        nursery.clear_left_over()
        assert os.path.isdir(servers.base) and os.path.isdir(servers.base + nursery.STAGE)
        with servers.isolated(PROMISES) as child:
            assert child.wait_ready()


@pytest.mark.skipif(
    os.geteuid() != 0 or jail.bubblewrap() is None or not shutil.which("setpriv"),
    reason="needs root, to become an ordinary user, and bubblewrap",
)
def test_an_ordinary_user_has_a_sandbox_too():
    """With the system's Python, as nobody can read root's."""
    python = next((p for p in ("/usr/bin/python3", "/usr/local/bin/python3") if _can(p)), None)
    if python is None:
        pytest.skip("no Python 3.11 or later that an ordinary user can run the package with")
    code = "from nbjudge import sandbox; print(sandbox.status())"
    done = subprocess.run([*_NOBODY, python, "-c", code], **_AS_NOBODY, timeout=60)
    assert "works=True" in done.stdout, done.stdout + done.stderr


@pytest.mark.skipif(jail.bubblewrap() is None, reason="needs bubblewrap")
def test_a_course_that_was_cloned_into_tmp(tmp_path):
    """Where the sandbox has a /tmp of its own; and sockets lie elsewhere where /tmp is closed."""
    for package in map(Path, jail.packages(whole=True)):
        without = shutil.ignore_patterns("__pycache__")
        shutil.copytree(package, tmp_path / package.name, ignore=without)
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
            from nbjudge import sandbox
            from nbjudge.sandbox import jail, nursery
            assert str(jail.PACKAGE) == {str(tmp_path / "nbjudge")!r}
            assert sandbox.status().works, sandbox.status()
            asked = nursery.os.access
            nursery.os.access = lambda path, mode: path != "/tmp" and asked(path, mode)
            sandbox.status.cache_clear()
            assert sandbox.status().works, sandbox.status()
            with sandbox.Nursery(learners=()) as found:
                found.isolated("json:dumps").kill()
                print(found.base)
        """)
    )
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "TMPDIR": "/var/tmp"}
    done = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, cwd=tmp_path
    )
    assert done.stdout.startswith("/var/tmp/"), done.stdout + done.stderr


_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
#: The judge, and what its processes' messages need.
_FOUND_IN = [str(jail.PACKAGE_ROOT), str(Path(msgspec.__file__).parents[1])]
_AS_NOBODY = {
    "cwd": "/",
    "env": {"PATH": "/usr/bin:/bin", "HOME": "/", "PYTHONPATH": os.pathsep.join(_FOUND_IN)},
    "capture_output": True,
    "text": True,
}


def _can(python: str) -> bool:
    code = (
        "import sys, nbjudge.sandbox, nbjudge.inside.messages; sys.exit(sys.version_info < (3, 11))"
    )
    if not Path(python).exists():
        return False
    return subprocess.run([*_NOBODY, python, "-c", code], **_AS_NOBODY).returncode == 0


def test_each_nursery_keeps_its_learners_to_a_core_of_their_own():
    def cores(servers):
        """Where a learner's child may run, and the parents' own word."""
        child = servers.isolated(PROMISES)
        try:
            assert child.wait_ready()
            descendants = below(servers.parent_pids()["learners"])
            return {frozenset(os.sched_getaffinity(pid)) for pid in descendants}
        finally:
            child.kill()

    everywhere = os.sched_getaffinity(0)
    with light(False) as one, light(False) as other:
        taken = [cores(one), cores(other)]
    pinned = [servers for servers in taken if servers != {frozenset(everywhere)}]
    assert all(len(servers) == 1 and len(*servers) == 1 for servers in pinned)
    # Unless somebody else on this machine grades too, there is a core for each of as many.
    assert len({*map(frozenset, pinned)}) == len(pinned)
    assert os.sched_getaffinity(0) == everywhere
