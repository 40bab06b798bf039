"""Memory in large pages: the same memory, and fewer entries for a fork to copy."""

import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent("""
    import re
    from pathlib import Path
    from nbjudge.inside import linux

    def huge():
        text = Path("/proc/self/smaps_rollup").read_text()
        return int(re.search("AnonHugePages: *([0-9]*)", text)[1])

    held = [bytearray(b"%d" % number) * 50 for number in range(200_000)]
    before = huge()
    linux.use_huge_pages()
    assert all(one == b"%d" % number * 50 for number, one in enumerate(held))
    print(huge() - before)
""")


def test_memory_stays_what_it_was_in_fewer_pages():
    run = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    if not int(run.stdout):
        pytest.skip("this system does not join pages on request (Linux 6.1 does)")
    assert int(run.stdout) > 20_000  # of some 60,000 kB
