"""Hostile archives: each is refused with a reason, and nothing of it reaches the disk."""

import gzip
import io
import os
import random
import stat
import struct
import tarfile
import zipfile

import pytest

from tfcourse.data.real.archives import gunzip, tar_members, zip_members

NOISE = random.Random(0).randbytes(50_000)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An empty folder below another; at the end nothing may lie there but the archive."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    yield inner
    found = [path.name for path in tmp_path.rglob("*") if path.is_file() or path.is_symlink()]
    assert set(found) <= {"x.zip", "x.tar.gz", "x.gz"}


def zipped(folder, *members, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(folder / "x.zip", "w", method) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return folder / "x.zip"


def tarred(folder, *members):
    """Members: a name and its bytes, or a ``TarInfo``."""
    with tarfile.open(folder / "x.tar.gz", "w:gz") as archive:
        for member in members:
            if isinstance(member, tarfile.TarInfo):
                archive.addfile(member)
            else:
                entry = tarfile.TarInfo(member[0])
                entry.size = len(member[1])
                archive.addfile(entry, io.BytesIO(member[1]))
    return folder / "x.tar.gz"


def everything(name):
    return True


def test_the_wanted_members_only(folder):
    members = [("d/a.txt", b"one"), ("d/b.txt", b"two"), ("d/c.bin", NOISE)]
    wanted = {"d/a.txt": b"one", "d/b.txt": b"two"}
    assert zip_members(zipped(folder, ("d/", b""), *members), lambda n: n.endswith("txt")) == wanted
    directory = tarfile.TarInfo("d")
    directory.type = tarfile.DIRTYPE
    path = tarred(folder, directory, *members)
    assert tar_members(path, lambda n: n.endswith("txt")) == wanted
    assert gunzip(gzip.compress(NOISE)) == NOISE
    (folder / "x.gz").write_bytes(gzip.compress(NOISE))
    assert gunzip(folder / "x.gz", most=len(NOISE)) == NOISE


CLIMBING = [
    "../evil", "d/../../evil", "/tmp/evil", "..\\evil", "\\evil", "C:\\evil", "C:evil", "d/..",
]  # fmt: skip


@pytest.mark.parametrize("name", CLIMBING)
@pytest.mark.parametrize("wanted", [True, False])
def test_paths_that_climb_out(folder, name, wanted):
    members = [("good", b"good"), (name, b"evil")]
    for read, path in (
        (zip_members, zipped(folder, *members)),
        (tar_members, tarred(folder, *members)),
    ):
        with pytest.raises(ValueError, match="paths that lead out of it.*do not use this archive"):
            read(path, everything if wanted else "good".__eq__)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE,
                                  tarfile.BLKTYPE, tarfile.FIFOTYPE])  # fmt: skip
def test_links_and_devices_in_a_tar(folder, kind):
    entry = tarfile.TarInfo("evil")
    entry.type, entry.linkname = kind, "/etc/passwd"
    with pytest.raises(ValueError, match="files only: evil is a link or device"):
        tar_members(tarred(folder, ("good", b"good"), entry), "good".__eq__)


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_a_zip(folder, kind):
    entry = zipfile.ZipInfo("evil")
    entry.external_attr = (kind | 0o777) << 16
    with pytest.raises(ValueError, match="files only: evil is a link or device"):
        zip_members(zipped(folder, (entry, b"/etc/passwd")), everything)


def test_a_member_twice(folder):
    members = [("same", b"one"), ("same", b"two")]
    with pytest.warns(UserWarning, match="Duplicate"):
        first = zipped(folder, *members)
    for read, path in ((zip_members, first), (tar_members, tarred(folder, *members))):
        with pytest.raises(ValueError, match="a member twice"):
            read(path, everything)


def test_bombs(folder):
    """Each by the growth of a member, by all bytes, by all members; wanted or not."""
    path = zipped(folder, ("bomb", bytes(20_000_000)))
    with pytest.raises(ValueError, match="a bomb: bomb grows from .* to 20,000,000 bytes"):
        zip_members(path, everything)
    many = [(f"{i}", NOISE) for i in range(30)]
    for read, path in (
        (zip_members, zipped(folder, *many)),
        (tar_members, tarred(folder, *many)),
    ):
        with pytest.raises(ValueError, match="at most 100,000 bytes"):
            read(path, "none".__eq__, most=100_000)
        with pytest.raises(ValueError, match="at most 29 members"):
            read(path, "none".__eq__, members=29)
    with pytest.raises(ValueError, match="at most 1,000,000 bytes"):
        tar_members(tarred(folder, ("bomb", bytes(20_000_000))), "none".__eq__, most=1_000_000)
    with pytest.raises(ValueError, match="packed must hold at most 1,000,000 bytes"):
        gunzip(gzip.compress(bytes(20_000_000)), most=1_000_000)


def test_a_bomb_behind_the_last_member(folder):
    path = tarred(folder, ("good", b"good"))
    content = gzip.decompress(path.read_bytes()) + bytes(20_000_000)
    path.write_bytes(gzip.compress(content))
    with pytest.raises(ValueError, match="at most 1,000,000 bytes"):
        tar_members(path, everything, most=1_000_000)


def test_a_sparse_member(folder):
    """A few bytes that say they are many."""
    entry = tarfile.TarInfo("evil")
    entry.type = tarfile.GNUTYPE_SPARSE
    block = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    block[386:410] = b"00000000000\000000000000\0"
    block[483:495] = b"77777777777\0"
    block[148:156] = b" " * 8
    block[148:156] = f"{sum(block):06o}\0 ".encode()
    path = folder / "x.tar.gz"
    path.write_bytes(gzip.compress(bytes(block) + bytes(1024)))
    with pytest.raises(ValueError, match="x.tar.gz must"):
        tar_members(path, everything)


def test_sizes_that_lie(folder):
    """A header that says less than there is, or more."""
    path = zipped(folder, ("lie", NOISE), method=zipfile.ZIP_STORED)
    true = struct.pack("<I", len(NOISE))
    for size in (10, len(NOISE) + 1000):
        lying = path.read_bytes().replace(true, struct.pack("<I", size))
        (folder / "x.zip").write_bytes(lying)
        with pytest.raises(ValueError, match="x.zip|lie in x.zip"):
            zip_members(folder / "x.zip", everything)
        path = zipped(folder, ("lie", NOISE), method=zipfile.ZIP_STORED)


def test_an_encrypted_member(folder):
    path = zipped(folder, ("secret", NOISE))
    content = bytearray(path.read_bytes())
    content[6] |= 1
    content[content.rindex(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="must not be encrypted: secret is"):
        zip_members(path, everything)


@pytest.mark.parametrize("part", [0, 1, 20, 0.3, 0.9, -1])
def test_archives_cut_off(folder, part):
    for read, path, name in (
        (lambda p: zip_members(p, everything), zipped(folder, ("a", NOISE)), "zip"),
        (lambda p: tar_members(p, everything), tarred(folder, ("a", NOISE)), "tar.gz"),
        (gunzip, folder / "x.gz", "gz"),
    ):
        if name == "gz":
            path.write_bytes(gzip.compress(NOISE))
        content = path.read_bytes()
        cut = int(part * len(content)) if 0 < part < 1 else part
        path.write_bytes(content[:cut])
        if name == "gz" and not cut:
            assert read(path) == b""  # an empty file is gzip of nothing
            continue
        with pytest.raises(ValueError, match=f"x.{name} must be a whole"):
            read(path)


def test_archives_with_a_bit_turned(folder):
    """In the data, where only the checksum tells."""
    for read, path in (
        (lambda p: zip_members(p, everything), zipped(folder, ("a", NOISE))),
        (lambda p: tar_members(p, everything), tarred(folder, ("a", NOISE))),
    ):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
        with pytest.raises(ValueError, match="must be a whole"):
            read(path)


def test_a_pickle_is_no_archive(folder):
    """What is not an archive is not tried in any other way."""
    evil = b"cos\nsystem\n(S'touch evil'\ntR."
    for read, name in (
        (lambda p: zip_members(p, everything), "x.zip"),
        (lambda p: tar_members(p, everything), "x.tar.gz"),
        (gunzip, "x.gz"),
    ):
        (folder / name).write_bytes(evil)
        with pytest.raises(ValueError, match="must be a whole"):
            read(folder / name)
    assert not os.path.exists("evil")
