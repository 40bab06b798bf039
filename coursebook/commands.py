"""Commands for those who build or teach the course: `demo`, `book`, `slides`, `chapter` ..."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from coursebook.browser import browser


def register(app: typer.Typer) -> None:
    """Add the commands to `tfcourse`."""
    for command in (demo, book, serve, slides, pdf, chapter):
        app.command()(command)


def demo(
    fresh: Annotated[bool, typer.Option(help="Rebuild and regrade everything.")] = False,
) -> None:
    """Build the site, make the releases and grade an example class."""
    from coursebook import course
    from coursebook.demo import demo as run
    from coursebook.site import SiteError

    try:
        run(course.root(), fresh=fresh)
    except (SiteError, FileNotFoundError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def book(
    clean: Annotated[bool, typer.Option(help="Delete the old site first.")] = False,
) -> None:
    """Build the site into `_build/html`."""
    root, index = _built(clean=clean)
    typer.echo(f"The site: {index.relative_to(root)}")


def serve(
    port: Annotated[int, typer.Option(help="Port to listen on, on 127.0.0.1.")] = 8000,
) -> None:
    """Build the site and serve it to this machine's browser until Ctrl-C."""
    from coursebook import site

    root, _ = _built()
    typer.echo(f"The site: http://127.0.0.1:{port} (Ctrl-C ends it)")
    try:
        site.serve(root, port)
    except OSError as error:
        typer.secho(f"port {port}: {error.strerror}. Try another: --port 8001", err=True, fg="red")
        raise typer.Exit(1) from None


def _built(clean: bool = False) -> tuple[Path, Path]:
    """Build the site; return the course's folder and the site's first page, or end the command."""
    from coursebook import course
    from coursebook.site import SiteError, build_site

    try:
        root = course.root()
        return root, build_site(root, clean=clean)
    except (SiteError, FileNotFoundError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def slides(
    lessons: Annotated[
        list[str] | None, typer.Argument(help="Such as 05 or 05-self-attention; by default all.")
    ] = None,
    pdf: Annotated[
        bool, typer.Option("--pdf", help="Print each deck, too. Needs Chromium.")
    ] = False,
    into: Annotated[Path | None, typer.Option(help="By default `_build/slides`.")] = None,
) -> None:
    """Make slides of lessons: a file for each, which needs no network and moves by arrow keys."""
    from coursebook import course
    from coursebook.browser import BrowserMissing, chromium
    from coursebook.slides import deck

    try:
        root = course.root()
        wanted = [one for name in lessons or [""] for one in course.named(root, name)]
        made = [deck.write(one, into or root / "_build" / "slides") for one in wanted]
        if pdf:
            with chromium() as opened:
                made += deck.print_pdf(opened, made)
        typer.echo("\n".join(map(str, made)))
    except (BrowserMissing, FileNotFoundError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def pdf(
    into: Annotated[Path | None, typer.Option(help="By default `_build/course.pdf`.")] = None,
) -> None:
    """Print the whole built site into one PDF. Needs Chromium, and takes some minutes."""
    from coursebook import course, one_pdf
    from coursebook.browser import BrowserMissing, chromium
    from coursebook.yaml_files import read_yaml

    try:
        root = course.root()
        title = str(read_yaml(root / "_config.yml")["title"])
        target = into or root / "_build" / "course.pdf"
        with (
            typer.progressbar(one_pdf.pages(root), label="Printing") as wanted,
            chromium() as opened,
        ):
            sheets = one_pdf.join(one_pdf.print_pages(opened, wanted), target, title)
        typer.echo(f"{target}: {sheets} pages")
    except (BrowserMissing, FileNotFoundError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def chapter(
    notebooks: Annotated[list[Path], typer.Argument(help="Notebooks to run.", exists=True)],
    draft: Annotated[
        bool,
        typer.Option(help="Run once and report, storing nothing. For trying out a cell."),
    ] = False,
    jobs: Annotated[int, typer.Option(help="Number of runs at a time.")] = 2,
) -> None:
    """Run chapters in the fixed environment, under several arithmetics, and store their outputs.

    A notebook whose outputs differ by more than its cells' bands is not stored; the cells and
    values that differ are listed.
    """
    from nbclient.exceptions import CellExecutionError, CellTimeoutError

    from coursebook import executor, hygiene

    failed = False
    for path in notebooks:
        try:
            if draft:
                notebook, seconds = executor.execute(path)
                differences: dict[str, list[str]] = {}
            else:
                notebook, seconds, differences = executor.execute_in_all(path, jobs=jobs)
        except (CellExecutionError, CellTimeoutError, ValueError) as error:
            typer.secho(f"{path}: not stored, a cell fails\n{error}", err=True, fg="red")
            failed = True
            continue
        problems = hygiene.problems(notebook)
        for arithmetic, cells in differences.items():
            problems += [f"under {arithmetic}, {line}" for line in cells]
        budget = executor.budget_seconds(notebook)
        stored = not draft and not any(differences.values())
        if stored:
            executor.write(notebook, path)
        typer.echo(
            f"{path}: {seconds:.0f} s of {budget:.0f} s, {'stored' if stored else 'not stored'}"
        )
        for problem in problems:
            typer.secho(f"  {problem}", err=True, fg="red")
            failed = True
    raise typer.Exit(int(failed))


def parts() -> list[tuple[str, bool, str]]:
    """What the book needs on this machine, for `tfcourse doctor`."""
    from coursebook import course

    try:
        course.root()
        tree = ("the course's tree", True, "lessons, problem sets, the book")
    except FileNotFoundError as error:
        tree = ("the course's tree", False, str(error))
    return [
        tree,
        ("chromium", browser() is not None, "slides and the site as PDF; tests in a browser"),
    ]
