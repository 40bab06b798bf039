"""`tfcourse data`: which corpora there are, what is known of one, and downloading it."""

from __future__ import annotations

from typing import Annotated

import typer

data = typer.Typer(
    name="data",
    help="List the course's corpora and their licences, and download them.",
    no_args_is_help=True,
)

Name = Annotated[str, typer.Argument(help="The corpus; `tfcourse data list` shows the names.")]


def register(app: typer.Typer) -> None:
    """Add the commands to `tfcourse`."""
    app.add_typer(data)


@data.command("list")
def list_() -> None:
    """Every corpus: what it is for, its size and licence, and whether it is here."""
    from rich.console import Console
    from rich.table import Table

    from tfcourse.data import info, names, real

    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    for column in ("task", "size", "licence", "from", "here"):
        table.add_column(column, justify="right" if column == "size" else "left")
    rows = sorted((info(name) for name in names()), key=lambda card: (card.kind, card.name))
    for card in rows:
        embedded = card.kind == "embedded"
        here = "yes" if embedded else {"here": "yes"}.get(real.state(card.name), "")
        here = here or {"partly here": "in part"}.get(real.state(card.name), "no")
        table.add_row(
            card.name, card.task, _size(card.size_bytes), card.licence, _origin(card), here
        )
    console = Console()
    console.print(table)
    console.print(f"\nLooked in: {', '.join(map(str, real.folders()))}", soft_wrap=True)


@data.command()
def info(name: Name) -> None:
    """All that is known of one corpus, and where its files are."""
    from rich.console import Console
    from rich.markup import escape

    from tfcourse.data import real
    from tfcourse.data.real import files
    from tfcourse.data.real.registry import FILES

    card = _card(name)
    console = Console()

    def line(label: str, text: str) -> None:
        if text:
            console.print(
                f"[bold]{label:10}[/bold] {escape(text)}", soft_wrap=True, highlight=False
            )

    line("name", f"{card.name}: {card.title}")
    line("example", card.what)
    line("task", card.task)
    for split, count in card.splits.items():
        line("split", split + (f": {count:,} examples" if count is not None else ""))
    for option, meaning in card.options.items():
        line("option", f"{option}: {meaning}")
    line("labels", ", ".join(card.labels))
    line("size", _size(card.size_bytes))
    line("licence", f"{card.licence} {card.licence_url}".strip())
    line("cite", card.citation)
    line("from", card.homepage)
    line("made from", ", ".join(f"{name} {which}" for name, which in card.made_from.items()))
    line("here", "in this package" if card.kind == "embedded" else real.state(name))
    for file in FILES.get(name, {}).values() if card.kind == "real" else ():
        place = files.there(file)
        line("file", f"{file.path} ({file.size:,} bytes, {file.known.replace(':', ' ')})")
        line("", f"here: {place}" if place else f"not here; {' or '.join(file.urls) or 'by hand'}")


@data.command()
def get(
    name: Name,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Accept the licence without being asked.")
    ] = False,
) -> None:
    """Download a corpus, after its licence was shown and accepted."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeRemainingColumn,
    )

    from tfcourse.data import real
    from tfcourse.data.download import DownloadError

    card = _card(name)
    if card.kind == "embedded":
        typer.echo(f"{name} comes with this package: there is nothing to download.")
        return
    try:
        missing = real.missing(name)
        if missing and all(file.urls for file in missing):
            typer.echo(real.terms(card))
            typer.echo(f"Into: {real.cache()}")
            if not yes and not typer.confirm("Download it under this licence?", default=False):
                typer.echo("Nothing was downloaded.")
                raise typer.Exit(1)
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        ) as bars:
            tasks: dict[str, TaskID] = {}

            def show(path: str, done: int, size: int) -> None:
                if path not in tasks:
                    tasks[path] = bars.add_task(path, total=size)
                bars.update(tasks[path], completed=done)

            paths = real.get(name, accept=True, progress=show)
    except (ValueError, real.NotHere, DownloadError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None
    for path in paths:
        typer.echo(str(path))


def _card(name: str):
    """The corpus' card; a name that is none ends the command."""
    from tfcourse.data import info

    try:
        return info(name)
    except ValueError as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def _size(size: int | None) -> str:
    if size is None:
        return ""
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _origin(card) -> str:
    """Where a corpus would come from, in a word."""
    from urllib.parse import urlparse

    from tfcourse.data.real.registry import FILES

    if card.kind == "embedded":
        return ", ".join(card.made_from) or "this package"
    urls = [url for file in FILES[card.name].values() for url in file.urls[:1]]
    return ", ".join(sorted({urlparse(url).hostname or "" for url in urls})) or "by hand"
