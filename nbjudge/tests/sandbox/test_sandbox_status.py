"""Whether the sandbox works is tried, and told with what to do; its filter is the one it says."""

import json
import platform
import struct
import sys

import pytest
from around import WITHOUT
from sandbox_client import Session

from nbjudge import sandbox
from nbjudge.inside import probe, seccomp
from nbjudge.sandbox import SandboxError, jail, nursery, parents, trial


@pytest.fixture
def anew():
    """The status is kept for the life of a process."""
    sandbox.status.cache_clear()
    yield
    sandbox.status.cache_clear()


@pytest.mark.skipif(jail.bubblewrap() is None, reason="bubblewrap is not installed")
def test_it_works_here(anew):
    status = sandbox.status()
    assert status.works and not status.missing and status.rung == nursery.FULL, status
    sandbox.require()


def test_without_bubblewrap(anew, monkeypatch):
    monkeypatch.setattr(jail, "bubblewrap", lambda: None)
    status = sandbox.status()
    assert not status.works and status.rung == nursery.NONE
    assert "apt-get install bubblewrap" in status.why
    with pytest.raises(SandboxError, match="--no-sandbox"):
        sandbox.require()


def test_on_another_system(anew, monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    assert "deploy/README.md" in sandbox.status().why
    monkeypatch.setattr(sys, "platform", "linux")
    sandbox.status.cache_clear()
    monkeypatch.setattr(jail, "bubblewrap", lambda: "/usr/bin/bwrap")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert "riscv64" in sandbox.status().why


def test_where_namespaces_are_forbidden(anew, monkeypatch, tmp_path):
    refusing = tmp_path / "bwrap"
    refusing.write_text(
        "#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1"
    )
    refusing.chmod(0o755)
    tmp_path.chmod(0o755)
    monkeypatch.setattr(jail, "bubblewrap", lambda: str(refusing))
    monkeypatch.setattr(jail.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(trial, "_SWITCHES", {"kernel.ostype": ("Linux", "Other")})
    status = sandbox.status()
    assert not status.works and "Permission denied" in status.why
    assert "sysctl kernel.ostype=Other" in status.why


def changed(monkeypatch, old: list[str], new: list[str]) -> None:
    """Ask bubblewrap for something else; root's plan is JSON in the last argument."""
    whole = jail.command

    def command(*args, **kwargs):
        asked = whole(*args, **kwargs)
        inside = "--" in asked
        text = json.dumps(asked if inside else json.loads(asked[-1]))
        before, after = (json.dumps(part)[1:-1] for part in (old, new))
        assert before in text
        text = text.replace(before, after)
        return json.loads(text) if inside else [*asked[:-1], text]

    monkeypatch.setattr(parents.jail, "command", command)


@pytest.mark.skipif(jail.bubblewrap() is None, reason="bubblewrap is not installed")
@pytest.mark.parametrize(
    ("old", "new", "missing"),
    [
        (["--remount-ro", "/dev"], ["--dir", "/dev"], "a read-only system"),
        (["--remount-ro", "/"], ["--dir", "/"], "a read-only system"),
        (["--remount-ro", "/"], ["--ro-bind", "COURSE", "COURSE"], "the course hidden"),
    ],
)
def test_a_jail_with_a_hole_is_found_out(anew, monkeypatch, course, old, new, missing):
    """The promises are tried, so that a jail that does not keep one cannot pass."""
    changed(monkeypatch, old, [part.replace("COURSE", str(course)) for part in new])
    status = sandbox.status()
    assert not status.works and missing in status.missing and missing in status.why


@pytest.mark.skipif(jail.bubblewrap() is None, reason="bubblewrap is not installed")
def test_where_parts_of_proc_are_hidden(anew, monkeypatch):
    """As in many containers: then the kernel allows no new /proc, and a small one must do."""
    changed(
        monkeypatch,
        ["--proc", "/proc"],
        ["--proc", "/proc", "--ro-bind", "/dev/null", "/proc/interrupts"],
    )
    status = sandbox.status()
    assert status.works, status
    with nursery.Nursery() as held, held.kernel() as kernel, Session(kernel) as session:
        output = session.run(
            "import os, torch; x = torch.ones(2); print(sorted(os.listdir('/proc')), x @ x)"
        )
        assert "meminfo" in output and "'1'" not in output and "tensor(2.)" in output


def test_the_probe_finds_that_nothing_is_kept_without_a_sandbox():
    """Every promise but the two that hold for a forked child anywhere."""
    with nursery.Nursery(False, learners=(), examiner_entry="") as servers:
        entry = f"{probe.__name__}:promises"
        with servers.isolated(entry, probe.LIMITS) as child:
            child.socket.settimeout(30)
            child.socket.sendall(b'{"/usr": []}')
            broken = child.socket.recv(65536).decode()
    for promise in (
        "no network",
        "a read-only system",
        "the course hidden",
        "other processes hidden",
        "a limit on processes",
        "no system calls to escape with",
    ):
        assert promise in broken, promise


def test_doctor_has_a_line_for_it():
    cli = pytest.importorskip("tfcourse.cli", reason=WITHOUT)
    extras = pytest.importorskip("tfcourse.extras", reason=WITHOUT)
    parts = {part[0]: part[1] for part in extras.examine(cli.plugins())}
    assert parts["bubblewrap"] == (jail.bubblewrap() is not None)
    assert parts["the sandbox"] == sandbox.status().works


@pytest.mark.parametrize("machine", list(seccomp.MACHINES))
def test_the_filters_numbers_are_those_of_libseccomp(machine):
    library = pytest.importorskip("pyseccomp", exc_type=ImportError)
    column = seccomp.MACHINES[machine][0]
    architecture = {"x86_64": library.Arch.X86_64, "aarch64": library.Arch.AARCH64}[machine]
    named = {"clone": seccomp.CLONE, "socket": seccomp.SOCKET, "ioctl": seccomp.IOCTL}
    named |= {"fcntl": seccomp.FCNTL, "preadv2": seccomp.PREADV2, **seccomp.PRETENDED}
    compared = 0
    for name, numbers in {**seccomp.REFUSED, **seccomp.MISSING, **named}.items():
        number = library.resolve_syscall(architecture, name)
        if number >= 0:
            assert numbers[column] == number, name
            compared += 1
    assert compared > 60


@pytest.mark.parametrize("machine", list(seccomp.MACHINES))
def test_the_filter_decides_as_it_says(machine):
    """Run by an interpreter of the few instructions that it uses."""
    column, audit = seccomp.MACHINES[machine]

    def decided(number, *arguments, machine=audit):
        data = struct.pack("<iIQ6Q", number, machine, 0, *[*arguments, *[0] * 6][:6])
        return _interpret(seccomp.program(platform_machine), data)

    platform_machine = machine
    allow, kill = 0x7FFF0000, 0x80000000

    def error(number):
        return 0x00050000 | number

    assert decided(9999) == allow and decided(9999, machine=0x40000003) == kill
    for name, numbers in seccomp.REFUSED.items():
        if numbers[column] is not None:
            assert decided(numbers[column]) == error(1), name
    for name, numbers in seccomp.MISSING.items():
        if numbers[column] is not None:
            assert decided(numbers[column]) == error(38), name
    for numbers in seccomp.PRETENDED.values():
        assert decided(numbers[column]) == error(0)
    lock, fcntl, read = (error(0), seccomp.FCNTL[column], seccomp.PREADV2[column])
    assert [decided(fcntl, 3, what) for what in (6, 7, 37, 38, 3)] == [*[lock] * 4, allow]
    assert decided(fcntl, 3, 1024) == decided(fcntl, 3, 1026) == error(22)
    assert decided(read, *[0] * 5, 8) == error(95) and decided(read) == allow
    clone, socket = seccomp.CLONE[column], seccomp.SOCKET[column]
    assert decided(clone, 0x11) == allow and decided(clone, 0x10000011) == error(1)
    assert decided(socket, 1) == decided(socket, 2) == decided(socket, 10) == allow
    assert decided(socket, 16, 3, 0) == allow and decided(socket, 16, 3, 12) == error(97)
    assert decided(socket, 17) == decided(socket, 38) == decided(socket, 40) == error(97)
    assert decided(seccomp.IOCTL[column], 0, 0x5412) == error(1)
    assert decided(seccomp.IOCTL[column], 0, 0x5401) == allow
    if machine == "x86_64":
        assert decided(0x40000000 + 39) == error(1)


def _interpret(program: bytes, data: bytes) -> int:
    steps = list(struct.iter_unpack("<HBBI", program))
    held, at = 0, 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x06:
            return value
        if code == 0x20:
            (held,) = struct.unpack_from("<I", data, value)
            continue
        holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
        at += if_true if holds else if_false


def test_the_filter_knows_its_machines():
    with pytest.raises(ValueError, match="machine must be one of x86_64, aarch64, got 'vax'"):
        seccomp.program("vax")
