"""Commands for those who build the course: `chapter`, `book`, `serve`, `demo`, `doctor`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the commands to `tfcourse`."""
    for command in (demo, book, serve, chapter, doctor):
        app.command()(command)


def demo(
    fresh: Annotated[bool, typer.Option(help="Build and grade all of it again.")] = False,
) -> None:
    """Build the site, make the releases and grade an example class."""
    from tfcourse import course
    from tfcourse.authoring.demo import demo as run

    run(course.root(), fresh=fresh)


def book(
    clean: Annotated[bool, typer.Option(help="Throw the old site away first.")] = False,
) -> None:
    """Build the site into `_build/html`."""
    from tfcourse import course
    from tfcourse.authoring.site import build_site

    root = course.root()
    typer.echo(f"The site: {(build_site(root, clean=clean)).relative_to(root)}")


def serve(
    port: Annotated[int, typer.Option(help="Where to listen on 127.0.0.1.")] = 8000,
) -> None:
    """Build the site and show it at http://127.0.0.1:8000 until Ctrl-C."""
    from tfcourse import course
    from tfcourse.authoring import site

    root = course.root()
    site.build_site(root)
    site.serve(root, port)


def chapter(
    notebooks: Annotated[list[Path], typer.Argument(help="Notebooks to run.", exists=True)],
) -> None:
    """Run chapters from the top in the fixed environment and store their outputs."""
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    from tfcourse.authoring import executor, hygiene

    failed = False
    for path in notebooks:
        try:
            notebook, seconds = executor.execute(path)
        except (CellExecutionError, CellTimeoutError) as error:
            typer.secho(f"{path}: not written, a cell fails\n{error}", err=True, fg="red")
            failed = True
            continue
        executor.write(notebook, path)
        budget = executor.budget_seconds(notebook)
        typer.echo(f"{path}: {seconds:.0f} s of {budget:.0f} s")
        for problem in hygiene.problems(notebook):
            typer.secho(f"  {problem}", err=True, fg="red")
            failed = True
    raise typer.Exit(int(failed))


def doctor() -> None:
    """Say what is installed, and what of the course can run here."""
    from rich.console import Console
    from rich.table import Table

    from tfcourse.authoring.doctor import examine

    table = Table("", "", "what it is for, or what to do", title="This machine")
    for part in examine():
        table.add_row("yes" if part.present else "no", part.name, part.note)
    Console().print(table)
