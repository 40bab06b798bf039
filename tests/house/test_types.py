"""The packages' types: checked here, beside other tests, because that takes a core for a minute."""

import subprocess
import sys


def test_the_packages_types_hold(course):
    checked = [sys.executable, "-m", "mypy"]
    done = subprocess.run(checked, cwd=course, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
