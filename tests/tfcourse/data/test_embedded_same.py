"""The embedded corpora are the same everywhere, whatever the hash seed, time zone and language.

These fail after a package update: put the versions, and what `tfcourse.data.embedded.measured`
returns, into `tfcourse/data/embedded.toml`.
"""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from tfcourse import data

EMBEDDED = [name for name in data.names() if data.info(name).kind == "embedded"]
PLACES = {
    "Tokyo": {"PYTHONHASHSEED": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C", "PYTHONUTF8": "0"},
    "Lima": {"PYTHONHASHSEED": "2", "TZ": "America/Lima", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr"},
}
MEASURE = (
    "import json, sys; from tfcourse.data.embedded import measured;"
    "print(json.dumps({name: measured(name) for name in sys.argv[1:]}))"
)


@pytest.mark.parametrize("name", [n for n in EMBEDDED if data.info(n).made_from])
def test_the_packages_are_the_pinned_ones(name, course):
    pins = (course / "requirements.txt").read_text().lower().split()
    for package, pinned in data.info(name).made_from.items():
        assert version(package).partition("+")[0] == pinned
        assert f"{package}=={pinned}" in pins


@pytest.mark.release("test of corpora made anew")
@pytest.mark.parametrize("place", PLACES)
def test_every_corpus_is_the_same_everywhere(place, tmp_path):
    cache = tmp_path / "cache"
    environment = os.environ | PLACES[place] | {"TFCOURSE_CACHE": str(cache)}
    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, *EMBEDDED],
        env=environment, cwd=tmp_path, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    for name, measured in json.loads(ran.stdout).items():
        assert measured == {key: getattr(data.info(name), key) for key in measured}
    assert not cache.exists(), "an embedded corpus wrote into the cache"
