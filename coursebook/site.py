"""The course's site: built by Jupyter Book from the stored outputs, and served on this machine."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: The build script. It calls Jupyter Book's own function, because its command uses one process.
BUILD = """
import sys
from jupyter_book.sphinx import build_sphinx
course, jobs, strict = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "strict"
built = course + "/_build"
failed = build_sphinx(
    course, built + "/html", noconfig=True, path_config=course + "/_config.yml",
    doctreedir=built + "/.doctrees",
    confoverrides={"external_toc_path": course + "/_toc.yml", "latex_individualpages": False},
    warningiserror=strict, keep_going=strict, jobs=jobs,
)
if failed:
    raise failed if isinstance(failed, Exception) else SystemExit(failed)
"""


#: Sphinx's two passes over the pages, and the share of the build time before each.
PASSES = {"reading sources": 0.0, "writing output": 0.6}
_AT = re.compile(r"(reading sources|writing output)\.\.\. *\[ *(\d+)%\] *(\S*)")

#: A progress callback: the share of the build that is done, from 0 to 1, and the current page.
Report = Callable[[float, str], None]


class SiteError(RuntimeError):
    """The site could not be built; the message holds Sphinx's output."""


def require() -> None:
    """Fail early if the site cannot be built.

    Raises
    ------
    ModuleNotFoundError
        If Jupyter Book is not installed.
    """
    if importlib.util.find_spec("jupyter_book") is None:
        raise ModuleNotFoundError("No module named 'jupyter_book'", name="jupyter_book")


def build_site(
    course: Path, clean: bool = False, strict: bool = True, report: Report | None = None
) -> Path:
    """Build the site into ``_build/html`` and return the path of its first page.

    Nothing is done if no file of the course has changed since the last build that succeeded.

    Parameters
    ----------
    course:
        The folder that holds ``_config.yml`` and ``_toc.yml``.
    clean:
        Read and write every page again, as the tests do.
    strict:
        Fail the build on a warning, after collecting all warnings.
    report:
        Called as pages are read and written.

    Raises
    ------
    SiteError
        If the build fails; the message ends with the warnings.
    ModuleNotFoundError
        If Jupyter Book is not installed.
    """
    require()
    built = course / "_build"
    index, kept = built / "html" / "index.html", built / ".doctrees" / "made_from"
    if clean:
        _forget(built)
    how = "strict" if strict else ""
    now = how + state(course)
    if index.is_file() and kept.is_file() and kept.read_text("utf-8") == now:
        return index
    kept.unlink(missing_ok=True)
    jobs = str(min(4, os.cpu_count() or 1))
    command = [sys.executable, "-c", BUILD, str(course.resolve()), jobs, how]
    output = []
    with subprocess.Popen(
        command, cwd=course, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    ) as running:  # fmt: skip
        for line in running.stdout or ():
            output.append(line)
            if report and (at := _AT.search(line)):
                begun = PASSES[at[1]]
                share = next((s for s in PASSES.values() if s > begun), 1.0) - begun
                report(begun + share * int(at[2]) / 100, at[3])
    if running.returncode or not index.is_file():
        # Pages already read are not read again, so a second build would not repeat the warnings.
        _forget(built)
        raise SiteError(f"the site was not built:\n{_warnings(''.join(output))}")
    kept.write_text(now, "utf-8")  # of when the build began: a later change is built next time
    return index


#: Folders of a course that the site is not made from, besides hidden ones.
NOT_READ = {"_build", "node_modules", "__pycache__", "build", "dist", "runs", "work"}


def state(course: Path) -> str:
    """SHA-256 of all that the site is made from: the course's files, and what builds it."""
    total = hashlib.sha256()
    for root in (course, Path(__file__).parent):
        for folder, inner, names in os.walk(root):
            inner[:] = sorted(n for n in inner if n not in NOT_READ and not n.startswith("."))
            for path in (Path(folder) / name for name in sorted(names)):
                content = path.read_bytes()
                total.update(f"{path}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def _forget(built: Path) -> None:
    for folder in (".doctrees", "html", ".jupyter_cache"):
        shutil.rmtree(built / folder, ignore_errors=True)


def _warnings(output: str) -> str:
    said = re.sub(r"\x1b\[[0-9;]*m", "", output).splitlines()
    lines = [line for line in said if "WARNING:" in line or "ERROR:" in line]
    if not lines:  # it crashed: the first traceback has the cause
        trace = [number for number, line in enumerate(said) if line.startswith("Traceback")]
        lines = said[trace[0] :][:60] if trace else said[-30:]
    return "\n".join(lines)


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Log no requests."""


def server(folder: Path, port: int = 0) -> ThreadingHTTPServer:
    """A server for ``folder`` on 127.0.0.1; port 0 picks any free port."""
    return ThreadingHTTPServer(("127.0.0.1", port), partial(_Quiet, directory=str(folder)))


def serve(course: Path, port: int = 8000) -> None:
    """Serve the built site at ``http://127.0.0.1:port`` until interrupted.

    Raises
    ------
    FileNotFoundError
        If the site has not been built.
    """
    folder = course / "_build" / "html"
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(f"there is no site in {folder}: build it by `tfcourse book`")
    with server(folder, port) as running:
        try:
            running.serve_forever()
        except KeyboardInterrupt:
            return
