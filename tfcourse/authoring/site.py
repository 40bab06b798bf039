"""The course's site: built by Jupyter Book from the stored outputs, and shown on this machine."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: Jupyter Book cannot be run by ``python -m``, and its command may not be on the path.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


class SiteError(RuntimeError):
    """The site could not be built; the message holds what Sphinx said."""


def build_site(course: Path, clean: bool = False, strict: bool = True) -> Path:
    """Build the site into ``_build/html`` and give the path of its first page.

    Parameters
    ----------
    course:
        The folder that holds ``_config.yml`` and ``_toc.yml``.
    clean:
        Read and write every page again, as the tests do.
    strict:
        A warning fails the build; all warnings are gathered first.

    Raises
    ------
    SiteError
        Where the build fails; the message ends with the warnings.
    """
    built = course / "_build"
    if clean:
        _forget(built)
    command = [sys.executable, "-c", JUPYTER_BOOK, "build", str(course)]
    if strict:
        command += ["-W", "--keep-going"]
    done = subprocess.run(command, cwd=course, capture_output=True, text=True, errors="replace")
    index = built / "html" / "index.html"
    if done.returncode or not index.is_file():
        # Pages that were read are not read again, so a second build would not repeat the warnings.
        _forget(built)
        raise SiteError(f"the site was not built:\n{_warnings(done.stdout + done.stderr)}")
    return index


def _forget(built: Path) -> None:
    for folder in (".doctrees", "html", ".jupyter_cache"):
        shutil.rmtree(built / folder, ignore_errors=True)


def _warnings(output: str) -> str:
    said = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    lines = [line for line in said if "WARNING:" in line or "ERROR:" in line]
    if not lines:  # it fell over: what it fell over comes first in the trace
        trace = [number for number, line in enumerate(said) if line.startswith("Traceback")]
        lines = said[trace[0] :][:60] if trace else said[-30:]
    return "\n".join(lines)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for each request."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server of ``folder`` on 127.0.0.1; port 0 takes any that is free."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


def serve(course: Path, port: int = 8000) -> None:
    """Show the built site at ``http://127.0.0.1:port`` until interrupted.

    Raises
    ------
    FileNotFoundError
        Where the site has not been built.
    """
    folder = course / "_build" / "html"
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"there is no site in {folder}: build it by `tfcourse book`")
    with server(folder, port) as running:
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
