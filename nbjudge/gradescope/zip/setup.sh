#!/usr/bin/env bash
# Gradescope runs this once as root, while it builds the image that grades. It installs Python, the
# judge and the course, in the versions that the course's requirements.txt pins, and bubblewrap,
# which makes the sandbox if the container allows one.
set -euo pipefail

root=${AUTOGRADER_ROOT:-/autograder}
cd "$root/source/course"

apt-get update
apt-get install --yes bubblewrap
for python in python3.14 python3.13 python3.12 python3.11; do
    apt-get install --yes "$python" "$python-venv" && break
done
command -v "$python" || {
    echo "This image has no Python from 3.11 to 3.14: choose the newest Ubuntu in Gradescope."
    exit 1
}

# Constraints name versions and install nothing; what is editable cannot be among them.
pins=$(mktemp)
[ ! -f requirements.txt ] || sed '/^-e /d' requirements.txt > "$pins"
packages=(--editable "./nbjudge[@EXTRAS@]")
[ ! -f pyproject.toml ] || packages+=(--editable ".[grade]")
"$python" -m venv "$root/venv"
# PyTorch's builds for CPUs are smaller by gigabytes.
"$root/venv/bin/pip" install --no-cache-dir --disable-pip-version-check --constraint "$pins" \
    --extra-index-url https://download.pytorch.org/whl/cpu "${packages[@]}"
