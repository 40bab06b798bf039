"""Open the marking page: find the graded folder, read the requests, and serve until stopped."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import typer
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from tornado.web import Application

from nbjudge.course import in_full, root, whole_name
from nbjudge.intake.policy import one_spelling
from nbjudge.intake.roster import rows_of
from nbjudge.intake.sources import notebooks_in, source_folder
from nbjudge.marking.desk import MarkingDesk
from nbjudge.marking.server import make_app
from nbjudge.store.folder import GradingFolder

#: Regrade requests, in the folder of graded work.
REQUESTS = "requests.csv"

#: The only address that the page is served on.
HERE = "127.0.0.1"


def open_desk(
    problem_set: str,
    into: Path,
    marker: str = "",
    database: str | None = None,
    *,
    course: Path | None = None,
) -> MarkingDesk:
    """The desk for a problem set that was graded into a folder.

    Raises
    ------
    ValueError
        If there is no such problem set, it was not graded there, or has nothing to mark by hand.
    """
    course = course or root()
    problem_set = in_full(problem_set, course)
    source = source_folder(problem_set, course)
    if not (into / "source" / problem_set).is_dir() or not (into / "ledger.db").is_file():
        raise ValueError(
            f"into is {str(into)!r}, but {problem_set} was not graded there: run `grade` first."
        )
    desk = MarkingDesk(
        [
            GradingFolder(into, course, problem_set, database, notebook=name)
            for name in notebooks_in(source)
        ],
        marker,
    )
    if not desk.questions:
        desk.__exit__()
        raise ValueError(f"{problem_set} has no answer that is marked by hand.")
    return desk


def read_requests(path: Path, desk: MarkingDesk) -> list[str]:
    """Put the requests of a table on record; returns a line for each row that cannot be.

    Rows that are on record already are passed over, and so are those of other problem sets, if the
    table has a column ``problem_set``.

    Raises
    ------
    ValueError
        If it is no CSV table or lacks a column.
    """
    notes = []
    for line, row in rows_of(path):
        cell = {name: (row.get(name) or "").strip() for name in row if isinstance(name, str)}
        if not {"student", "exercise", "text"} <= set(cell):
            raise ValueError(f"{path} must have the columns student, exercise and text.")
        named = cell.get("problem_set", "")
        if named and whole_name(named, [desk.problem_set]) != desk.problem_set:
            continue
        student = one_spelling(cell["student"])
        try:
            desk.ask(student, cell["exercise"], cell["text"], cell.get("asked", ""))
        except ValueError as error:
            notes.append(f"{path.name}, line {line}: {error}.")
    return notes


def serve(
    problem_set: str,
    into: Path,
    marker: str = "",
    port: int = 0,
    database: str | None = None,
) -> None:
    """Serve the page until Ctrl-C.

    Raises
    ------
    ValueError
        As :func:`open_desk` and :func:`read_requests`; if the port is taken.
    """
    with open_desk(problem_set, into, marker, database) as desk:
        for note in read_requests(into / REQUESTS, desk):
            typer.echo(note)
        app = make_app(desk)
        try:
            sockets = bind_sockets(port, HERE)
        except OSError as error:
            raise ValueError(f"port is {port}, but it cannot be used: {error.strerror}.") from None
        port = sockets[0].getsockname()[1]
        typer.echo(f"Marking as {desk.marker}. Open this address, and give it to nobody:")
        typer.echo(f"http://{HERE}:{port}/{app.settings['token']}/")
        try:
            asyncio.run(_forever(app, sockets))
        except KeyboardInterrupt:
            typer.echo("\nStopped. Run `grade` to put the marks into grades.csv and on the pages.")


async def _forever(app: Application, sockets: list[socket.socket]) -> None:
    server = HTTPServer(app, max_body_size=1 << 20)
    server.add_sockets(sockets)
    await asyncio.Event().wait()
