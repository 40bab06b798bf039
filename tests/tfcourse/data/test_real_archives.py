"""Members of archives, in memory: only the wanted ones, and nothing on disk."""

import gzip
import io
import random
import tarfile
import zipfile

import pytest

from tfcourse.data.real.files import gunzip, tar_members, zip_members

NOISE = random.Random(0).randbytes(50_000)
MEMBERS = {"d/a.txt": b"one", "d/b.txt": b"two", "d/c.bin": NOISE}


def zipped(path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("d/", b"")
        for name, content in MEMBERS.items():
            archive.writestr(name, content)
    return path


def tarred(path):
    with tarfile.open(path, "w:gz") as archive:
        for name, content in MEMBERS.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for kind, name in ((tarfile.DIRTYPE, "d.txt"), (tarfile.SYMTYPE, "link.txt")):
            entry = tarfile.TarInfo(name)
            entry.type, entry.linkname = kind, "/etc/passwd"
            archive.addfile(entry)
    return path


@pytest.mark.parametrize(("make", "read"), [(zipped, zip_members), (tarred, tar_members)])
def test_the_wanted_members_and_nothing_on_the_disk(tmp_path, make, read):
    found = read(make(tmp_path / "archive"), lambda name: name.endswith("txt"))
    assert found == {name: MEMBERS[name] for name in ("d/a.txt", "d/b.txt")}
    assert read(tmp_path / "archive", "d/c.bin".__eq__) == {"d/c.bin": NOISE}
    assert [path.name for path in tmp_path.iterdir()] == ["archive"]


def test_gunzip():
    assert gunzip(gzip.compress(NOISE)) == NOISE
    assert gunzip(gzip.compress(NOISE), most=len(NOISE)) == NOISE
    with pytest.raises(ValueError, match="at most 1,000,000 bytes"):
        gunzip(gzip.compress(bytes(20_000_000)), most=1_000_000)


@pytest.mark.parametrize("harm", ["cut off", "a bit turned", "none at all"])
def test_what_is_no_whole_gzip_file(harm):
    content = bytearray(gzip.compress(NOISE))
    if harm == "cut off":
        del content[-20:]
    elif harm == "a bit turned":
        content[len(content) // 2] ^= 1
    else:
        content = b"cos\nsystem\n(S'touch evil'\ntR."
    with pytest.raises(ValueError, match="must be a whole gzip file"):
        gunzip(bytes(content))
