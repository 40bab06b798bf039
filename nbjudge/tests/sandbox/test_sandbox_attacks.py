"""What a learner's code may try, tried from inside a real kernel: each fails, all else lives."""

import errno
import json
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import zmq
from sandbox_client import Session, below, running, soon

from nbjudge import sandbox
from nbjudge.inside import seccomp
from nbjudge.inside.watcher import Watcher
from nbjudge.sandbox import Limits, Nursery, jail
from nbjudge.sandbox.handles import Child

pytestmark = pytest.mark.skipif(jail.bubblewrap() is None, reason="bubblewrap is not installed")

#: Less of everything, so that it is soon used up.
TIGHT = Limits(memory_mb=256, processes=40, files=64, scratch_mb=8, submission_seconds=60)


@pytest.fixture(scope="module")
def nursery():
    status = sandbox.status()
    assert status.works, status.why
    with Nursery() as nursery:
        yield nursery


@pytest.fixture(scope="module")
def inside(nursery):
    """A kernel that survives what is tried in it."""
    with nursery.kernel(TIGHT) as kernel, Session(kernel) as session:
        yield session


@pytest.fixture
def doomed(nursery):
    """A kernel that may die."""
    with nursery.kernel(TIGHT) as kernel, Session(kernel) as session:
        yield session


def test_it_is_nobody_and_has_no_rights(inside):
    output = inside.run(
        "import os; from nbjudge.inside import linux\n"
        "print(os.getuid(), os.getgroups(), linux.capabilities())"
    )
    assert output == "1000 [1000] 0" or output == "1000 [] 0"
    for call in ("setuid(0)", "setgid(0)", "chroot('/tmp')", "setgroups([0])", "nice(-5)"):
        assert inside.run(f"os.{call}").startswith(("PermissionError", "OSError")), call
    assert "NoNewPrivs:\t1" in inside.run("print(open('/proc/self/status').read())")


def test_files_of_the_machine_are_out_of_sight(inside, course):
    hidden = ["/etc/shadow", "/etc/ssh", "/var", "/opt", "/mnt", "/boot", "/run", "/sys/kernel"]
    private = ("solutions", "tests", "nbjudge/tests", "notebooks", ".git", "book")
    hidden += [f"{course}/{name}" for name in private]
    hidden += [__file__, f"{Path.home()}/.ssh", f"{Path.home()}/.bashrc", "/dev/sda", "/dev/kmsg"]
    output = inside.run(f"import os; print([p for p in {hidden} if os.path.exists(p)])")
    assert output == "[]"
    assert inside.run("print(open('/etc/passwd').read())") == (
        "learner:x:1000:1000::/learner:/bin/sh"
    )
    assert set(json.loads(inside.run("import json; print(json.dumps(os.listdir('/')))"))) <= {
        "bin", "sbin", "lib", "lib32", "lib64", "libx32", "usr", "etc", "dev", "proc", "sys", "tmp",
        "learner", *[Path(path).parts[1] for path in jail.visible()],
    }  # fmt: skip


def test_one_folder_of_the_package_is_there(inside):
    """Whatever lies in :mod:`nbjudge.inside` can be read, and nothing else does."""
    output = inside.run(
        f"import os; print([os.listdir({str(jail.PACKAGE)!r}), os.listdir({str(jail.INSIDE)!r})])"
    )
    package, folder = eval(output)
    assert package == ["inside"] and sorted(folder) == sorted(os.listdir(jail.INSIDE))
    assert "No module named 'nbjudge.intake'" in inside.run("import nbjudge.intake.cells")
    assert inside.run("from nbjudge.testing import close; print(close.__name__)") == "close"


def test_nothing_is_writable_but_scratch(inside):
    output = inside.run("""
import os
from nbjudge.inside import probe
scratch = os.stat("/tmp").st_dev
found = []
for line in open("/proc/self/mounts"):
    top, options = line.split()[1], line.split()[3].split(",")
    for folder, inner, names in os.walk(top):
        if os.stat(folder).st_dev == scratch or folder.startswith("/proc") or "ro" in options:
            inner.clear()
        if os.stat(folder).st_dev != scratch and probe.writable(folder):
            found.append(folder)
print(found)
""")
    assert output == "[]"
    target = next(Path(sys.prefix, "lib").rglob("torch/__init__.py"))
    for attempt in (f"open({str(target)!r}, 'a')", f"os.chmod({str(target)!r}, 0o777)"):
        assert inside.run(attempt).startswith(("OSError", "PermissionError")), attempt
    for attempt in ("os.remove", "os.truncate"):
        path = f"{inside.kernel.wire_path[:-1]}k-1"
        arguments = f"({path!r})" if attempt == "os.remove" else f"({path!r}, 0)"
        assert "OSError" in inside.run(attempt + arguments)


def test_other_submissions_are_out_of_sight(nursery, inside):
    with nursery.kernel(TIGHT) as other, Session(other) as session:
        session.run("secret = 'of another'; open('/tmp/answer', 'w').write(secret)")
        base, _, slot = inside.kernel.wire_path.removesuffix("/w").rpartition("/")
        assert inside.run(f"import os; print(os.listdir({base!r}))") == f"['{slot}']"
        assert inside.run("print(os.path.exists('/tmp/answer'), os.listdir('/dev/shm'))") == (
            "False []"
        )
        theirs = other.wire_path[:-1]
        assert "Error" in inside.run(
            f"import socket; socket.socket(socket.AF_UNIX).connect({theirs + 'k-1'!r})"
        )
        pids = inside.run("print([p for p in os.listdir('/proc') if p.isdigit()], os.getpid())")
        assert pids == "['1'] 1"
        assert inside.run("print(open('/proc/1/environ').read().count('SECRET'))") == "0"


def test_no_open_file_leads_out(inside):
    output = inside.run("""
import os
links = [os.readlink(f"/proc/self/fd/{n}") for n in os.listdir("/proc/self/fd")
         if os.path.lexists(f"/proc/self/fd/{n}")]
print([link for link in links
       if not link.startswith(("pipe:", "socket:", "anon_inode:", "/dev/null", "/proc/1/fd"))])
""")
    assert output == "[]"


def test_there_is_no_network(inside):
    with socket.socket() as server, socket.socket(socket.AF_UNIX) as abstract:
        server.bind(("127.0.0.1", 0))
        server.listen()
        abstract.bind("\0tfcourse-test")
        abstract.listen()
        port = server.getsockname()[1]
        output = inside.run(f"""
import socket
import subprocess
def reach(family, address):
    with socket.socket(family) as s:
        s.settimeout(2)
        try:
            s.connect(address)
            return "reached"
        except OSError as error:
            return type(error).__name__
print(reach(socket.AF_INET, ("127.0.0.1", {port})), reach(socket.AF_INET, ("192.0.2.1", 80)),
      reach(socket.AF_UNIX, "\\0tfcourse-test"), socket.if_nameindex())
""")
    assert output == "ConnectionRefusedError OSError ConnectionRefusedError [(1, 'lo')]"
    assert inside.run("socket.getaddrinfo('example.org', 80)").startswith("gaierror")
    assert inside.run("s = socket.create_server(('127.0.0.1', 0)); print('its own')") == "its own"


def test_system_calls_that_no_notebook_needs(inside):
    column = seccomp.MACHINES[os.uname().machine][0]
    numbers = {
        name: table[name][column]
        for table in (seccomp.REFUSED, seccomp.MISSING)
        for name in table
        if table[name][column] is not None
    }
    output = inside.run(f"""
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def tried(number, *args):
    ctypes.set_errno(0)
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(a) for a in args])
    return errno.errorcode.get(ctypes.get_errno(), "done") if result == -1 else "done"
print([name for name, number in {numbers}.items()
       if tried(number, 0, 0, 0, 0, 0) not in ("EPERM", "ENOSYS")])
clone, sock, ioctl = {seccomp.CLONE[column]}, {seccomp.SOCKET[column]}, {seccomp.IOCTL[column]}
print(tried(clone, 0x10000000 | 17, 0, 0, 0, 0), tried(ioctl, 0, 0x5412, 0),
      {{tried(sock, family, 3, 0) for family in (16, 17, 38, 40, 44)}}, tried(sock, 16, 3, 12),
      tried(0x40000000 + 39))
""")
    assert output.splitlines()[0] == "[]"
    unknown = "EPERM" if os.uname().machine == "x86_64" else "ENOSYS"
    assert output.splitlines()[1] in (
        f"EPERM EPERM {{'EAFNOSUPPORT', 'done'}} EAFNOSUPPORT {unknown}",
        f"EPERM EPERM {{'done', 'EAFNOSUPPORT'}} EAFNOSUPPORT {unknown}",
    )
    assert "done" not in inside.run("print({tried(sock, f, 3, 0) for f in (17, 38, 40, 44)})")


def test_no_file_that_all_can_read_tells_one_what_another_does(nursery, doomed):
    """Two kernels see the same files of Python: a lock or a watch on one would be a signal."""
    locks = """
import fcntl, os, struct
taken = [open(os.__file__, "rb") for _ in range(2)]
fcntl.flock(taken[0], fcntl.LOCK_EX | fcntl.LOCK_NB)
found = fcntl.fcntl(taken[1], 37, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0))
"""
    watches = """
for what in (1024, 1026):
    try:
        print(fcntl.fcntl(taken[0], what, fcntl.F_RDLCK))
    except OSError as error:
        print(error.errno)
try:
    print(os.preadv(taken[0].fileno(), [bytearray(1)], 0, os.RWF_NOWAIT))
except OSError as error:
    print(error.errno)
"""
    with nursery.kernel(TIGHT) as kernel, Session(kernel) as other:
        assert other.run(locks) == ""
        assert doomed.run(locks) == ""
        assert doomed.run(watches).split() == ["22", "22", "95"]


def test_to_be_the_last_that_is_killed(inside):
    adjust = "/proc/self/oom_score_adj"
    assert inside.run(f"print(open('{adjust}').read().strip())") == "1000"
    for value in 0, -1000:
        assert "OSError" in inside.run(f"open('{adjust}', 'w').write('{value}')")
    assert inside.run(f"print(open('{adjust}').read().strip())") == "1000"


def test_kill_everybody(nursery, doomed, inside):
    parents = nursery.parent_pids()
    doomed.run("import os, signal; os.kill(-1, signal.SIGKILL)")
    doomed.run("os.kill(os.getpid(), signal.SIGKILL); os.killpg(0, signal.SIGTERM)")
    for pid in (500, 4000, 100_000):
        assert "ProcessLookupError" in doomed.run(f"os.kill({pid}, 9)")
    assert all(running(pid) for pid in parents.values()) and inside.kernel.alive()


def test_a_fork_bomb(nursery, doomed):
    parent = nursery.parent_pids()["learners"]
    before = len(below(parent))
    output = doomed.run("""
import os, signal, time
made = 0
while True:
    try:
        if not os.fork():
            signal.pause()
        made += 1
    except BlockingIOError as error:
        break
print(made)
""")
    assert 1 <= int(output) < TIGHT.processes
    assert len(below(parent)) >= before + int(output)
    doomed.start("import os\nwhile True:\n try: os.fork()\n except OSError: pass")
    time.sleep(0.3)
    assert len(below(parent)) < before + 2 * TIGHT.processes
    doomed.kernel.kill()
    assert len(below(parent)) < before


def test_memory_for_one(doomed):
    output = doomed.run("import torch; x = torch.zeros(10**9)")
    assert "RuntimeError" in output and "memory" in output
    assert "MemoryError" in doomed.run("x = bytearray(10**9)")
    assert doomed.run("print(torch.zeros(10**7).sum().item())") == "0.0"  # 40 MB: well, why not


def test_memory_for_many(doomed):
    """Each process keeps to its limit, all together do not."""
    doomed.start("""
import os, signal
for _ in range(6):
    if not os.fork():
        held = b"1" * (100 * 2**20)
        signal.pause()
""")
    assert soon(lambda: not doomed.kernel.alive())
    assert doomed.kernel.death().why == "memory"
    assert "more memory" in doomed.kernel.death().message
    assert doomed.kernel.usage().peak_memory_mb > TIGHT.memory_mb


def test_a_kernel_that_is_being_killed_is_known_as_dead_while_it_is_still_there():
    """What hangs on it, as a copy for a test does, can end first."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    watcher = Watcher(None, theirs, None)
    watcher.why = "memory"  # as it is from the kill on
    watcher._look = lambda: None
    answering = threading.Thread(target=watcher._asked)
    with ours, theirs, subprocess.Popen(["sleep", "60"]) as process:
        child = Child(None, ours)
        child._pidfd = os.pidfd_open(process.pid)
        assert child.alive()
        answering.start()
        child.usage()
        answering.join()
        assert not child.alive()
        assert child.death().why == "memory"
        os.close(child._pidfd)
        process.kill()


def test_memory_in_sockets(nursery):
    """It is counted as no process's: each connection can hold only so much."""
    with nursery.kernel(Limits(files=64)) as kernel, Session(kernel) as session:
        output = session.run("""
import socket
import subprocess
server = socket.create_server(("127.0.0.1", 0))
one, other = socket.create_connection(server.getsockname()), server.accept()[0]
one.setblocking(False)
sent = 0
try:
    while True: sent += one.send(bytes(2**16))
except BlockingIOError: print(sent)
""")
        assert int(output) < 2**20, (
            "bytes in one connection; Linux would let it be ten times as many"
        )


def test_sockets_of_many(nursery):
    """One process comes to its own limit and is told; many are ended before they fill gigabytes."""
    with nursery.kernel(Limits(files=128)) as kernel, Session(kernel) as session:
        output = session.run("""
import socket
import subprocess
held = []
try:
    while True: held += socket.socketpair()
except OSError as error: print(error.errno)
del held
""")
        assert int(output) == errno.EMFILE
        assert kernel.alive()
        session.start("""
import os, signal, socket
for _ in range(20):
    if not os.fork():
        held = [socket.socketpair() for _ in range(8)]
        signal.pause()
""")
        assert soon(lambda: not kernel.alive())
        assert kernel.death().why == "sockets"
        assert "more sockets" in kernel.death().message


def test_filling_the_disk(doomed):
    output = doomed.run("""
import errno, os
def fill(folder, size, count):
    for number in range(count):
        try:
            with open(f"{folder}/f{number}", "wb") as file:
                file.write(bytes(size))
        except OSError as error:
            return errno.errorcode[error.errno]
print(fill("/tmp", 2**20, 100), fill("/dev/shm", 2**20, 100))
for n in range(100):
    if os.path.exists(f"/tmp/f{n}"): os.remove(f"/tmp/f{n}")
print(fill(os.path.expanduser("~"), 0, 10**5))
""")
    assert output.split() == ["ENOSPC"] * 3
    assert "OSError" in doomed.run(f"open({doomed.kernel.wire_path + 'x'!r}, 'w')")
    assert sum(f.stat().st_size for f in Path(doomed.kernel.wire_path).parent.iterdir()) < 10**4


def test_a_gigabyte_of_output(doomed):
    """For a reader who is slow: it is the kernel that has to hold what was not read yet."""
    doomed.start("import time; time.sleep(1)\nfor _ in range(1000): print('x' * 10**6)")
    doomed.client.stop_channels()
    ports = doomed.kernel.connection
    with zmq.Context() as context, context.socket(zmq.SUB) as slow:
        slow.set(zmq.RCVHWM, 1)
        slow.set(zmq.SUBSCRIBE, b"")
        slow.connect(f"ipc://{ports['ip']}-{ports['iopub_port']}")
        soon(lambda: not doomed.kernel.alive(), seconds=4)
        assert doomed.kernel.usage().peak_memory_mb < TIGHT.memory_mb + 400
        doomed.kernel.kill()
    assert not doomed.kernel.alive()


def test_a_daemon_does_not_outlive_its_kernel(nursery, doomed):
    parent = nursery.parent_pids()["learners"]
    before = set(below(parent))
    output = doomed.run("""
import os, time
if not os.fork():
    os.setsid()
    if not os.fork():
        for n in range(3, 64):
            try: os.close(n)
            except OSError: pass
        time.sleep(600)
    os._exit(0)
os.wait(); print("left")
""")
    assert output == "left"
    assert soon(lambda: len(set(below(parent)) - before) == 1)
    (daemon,) = set(below(parent)) - before
    doomed.kernel.kill()
    assert not running(daemon)


def test_nothing_persists(nursery):
    with nursery.kernel(TIGHT) as first, Session(first) as session:
        session.run("""
import builtins, os, sys, torch
for folder in ("/tmp", "/dev/shm", os.path.expanduser("~")):
    open(f"{folder}/left", "w").write("1")
os.makedirs(os.path.expanduser("~/.ipython/profile_default/startup"), exist_ok=True)
open(os.path.expanduser("~/.ipython/profile_default/startup/0.py"), "w").write("left = 1")
builtins.left = torch.left = sys.left = os.environ["LEFT"] = "1"
torch.manual_seed(7)
""")
    with nursery.kernel(TIGHT) as second, Session(second) as session:
        output = session.run("""
import builtins, os, sys, torch
print([os.path.exists(f"{f}/left") for f in ("/tmp", "/dev/shm", os.path.expanduser("~"))],
      [hasattr(m, "left") for m in (builtins, torch, sys)], "LEFT" in os.environ)
""")
    assert output == "[False, False, False] [False, False, False] False"


def test_time_is_limited_from_outside(nursery):
    """Nothing in the kernel can prolong it, and the grader need not ask."""
    with nursery.kernel(Limits(submission_seconds=1)) as kernel, Session(kernel) as session:
        session.start(
            "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nwhile True: pass"
        )
        assert soon(lambda: not kernel.alive())
        used = kernel.usage().cpu_seconds
        # A machine so busy that the kernel gets less than its second ends it by the clock.
        why, message = ("cpu", "processor time") if used > 0.9 else ("time", "ran longer")
        assert kernel.death().why == why and message in kernel.death().message
        assert used < 8


@pytest.mark.parametrize(
    ("code", "why", "message"),
    [
        ("import ctypes; ctypes.string_at(0)", "crashed", "Segmentation fault"),
        ("import os; os._exit(3)", "exited", "exit code 3"),
    ],
)
def test_how_it_ended_is_told(doomed, code, why, message):
    doomed.start(code)
    assert soon(lambda: not doomed.kernel.alive())
    death = doomed.kernel.death()
    assert death.why == why and message in death.message


def test_a_cell_can_be_interrupted(inside):
    timer = threading.Timer(0.3, inside.kernel.interrupt)
    timer.start()
    assert "KeyboardInterrupt" in inside.run("import time; time.sleep(20)")


def test_what_must_be_written_by_hand_is_not_there(nursery):
    names = ("attention", "alignment", "rolling_cache")
    answers = [jail.PACKAGE_ROOT / "tfcourse" / f"{name}.py" for name in names]
    assert all("class " in path.read_text("utf-8") for path in answers)
    with (
        nursery.kernel(TIGHT, forbidden=("attention",)) as kernel,
        Session(kernel) as session,
    ):
        assert session.run("import tfcourse.attention").startswith("Mistake")
        output = session.run("""
import os, sys
sys.meta_path = [f for f in sys.meta_path if "nbjudge" not in type(f).__module__]
import tfcourse.alignment
print([name for name in vars(tfcourse.alignment) if "Attention" in name])
""")
        assert output == "[]" or "Error" in output, output
        for path in answers:
            for place in (path, *path.parent.glob(f"__pycache__/{path.stem}.*.pyc")):
                output = session.run(f"print(open({str(place)!r}, 'rb').read())")
                assert output == "b''" or output.startswith("PermissionError"), output


def test_the_parent_has_none_of_the_answers_loaded(inside):
    output = inside.run(
        "import sys; print(sorted({'.'.join(m.split('.')[:2]) for m in sys.modules"
        " if m.split('.')[0] in ('coursebook', 'nbjudge', 'nbjudge_tfcourse', 'tfcourse')}))"
    )
    assert eval(output) == ["nbjudge", "nbjudge.inside", "nbjudge.testing"]


def test_the_tests_own_packages_are_empty_and_out_of_reach(inside):
    folder = jail.PACKAGE_ROOT / "nbjudge_tfcourse"
    assert list(folder.rglob("*.py")) and list(folder.rglob("*.jsonl"))
    output = inside.run(f"""
import pathlib
import nbjudge_tfcourse.translating as tests
print(getattr(tests, "__file__", None), list(pathlib.Path({str(folder)!r}).rglob("*.*")))
""")
    assert output == "None []" or output.startswith("PermissionError")
    assert inside.run("tests.as_texts()").startswith("Mistake")


def test_random_numbers(nursery):
    code = "import random, numpy, torch; print(random.random(), numpy.random.rand(), torch.rand(1))"
    drawn = []
    for seed in (None, None, 5, 5):
        with nursery.kernel(TIGHT, seed=seed) as kernel, Session(kernel) as session:
            drawn.append(session.run(code))
    assert drawn[0] != drawn[1] and drawn[2] == drawn[3] and drawn[2] not in drawn[:2]


def test_honest_work_is_not_hindered(nursery):
    """Shell commands, figures, worker processes, threads, files of the problem set."""
    files = {"data/words.txt": "zwölf\n".encode()}
    with nursery.kernel(files=files) as kernel, Session(kernel) as session:
        assert session.run("print(open('data/words.txt').read())") == "zwölf"
        assert session.run("!echo from the shell") == "from the shell"
        output = session.run("import matplotlib.pyplot as plt; plt.plot([1, 2]); plt.show()")
        assert "image/png" in output
        output = session.run("""
import subprocess, sys, torch
from concurrent.futures import ThreadPoolExecutor
from torch.utils.data import DataLoader
print(subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True).stdout)
print(len(list(DataLoader(list(range(8)), num_workers=1))))
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(abs, range(-4, 0))))
x = torch.randn(64, 64, requires_grad=True); torch.set_num_threads(2)
(x @ x).sum().backward(); print(x.grad.shape)
""")
        assert output.splitlines() == ["b'42\\n'", "8", "10", "torch.Size([64, 64])"]
    assert kernel.death().why == "killed" and not kernel.alive()
