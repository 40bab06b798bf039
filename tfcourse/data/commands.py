"""`tfcourse data`: list the corpora, describe one, and download it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlparse

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from tfcourse.data import corpus, real
from tfcourse.data.corpus import Card
from tfcourse.data.download import DownloadError
from tfcourse.data.real.files import there
from tfcourse.data.real.registry import FILES

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
    """List every corpus: its task, size and licence, and whether it is on this machine."""
    table = Table(box=None, pad_edge=False)
    table.add_column("name", no_wrap=True)
    for column in ("task", "size", "licence", "from", "here"):
        table.add_column(column, justify="right" if column == "size" else "left")
    cards = map(corpus.info, corpus.names())
    for card in sorted(cards, key=lambda card: (card.kind, card.name)):
        here = {"partly here": "in part", "not here": "no"}.get(real.state(card.name), "yes")
        table.add_row(
            card.name, card.task, _size(card.size_bytes), card.licence, _origin(card), here
        )
    console = Console()
    console.print(table)
    console.print(f"\nLooked in: {', '.join(map(str, real.folders()))}", soft_wrap=True)


@data.command()
def info(name: Name) -> None:
    """Show everything known about one corpus, and where its files are."""
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
    for file in FILES.get(name, {}).values():
        place = there(file)
        line("file", f"{file.path} ({file.size:,} bytes, {file.known.replace(':', ' ')})")
        line("", f"here: {place}" if place else f"not here; {' or '.join(file.urls) or 'by hand'}")


@data.command()
def get(
    name: Name,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Accept the licence without being asked.")
    ] = False,
) -> None:
    """Show the licence of a corpus and, once it is accepted, download the corpus."""
    from rich.progress import DownloadColumn, Progress, TaskID

    card = _card(name)
    if card.kind == "embedded":
        typer.echo(f"{name} comes with this package: there is nothing to download.")
        return
    try:
        if real.missing(name):
            typer.echo(real.terms(card))
            typer.echo(f"Into: {real.cache()}")
            if not yes and not typer.confirm("Download it under this licence?", default=False):
                typer.echo("Nothing was downloaded.")
                raise typer.Exit(1)
        columns = (*Progress.get_default_columns(), DownloadColumn())
        with Progress(*columns, console=Console(stderr=True)) as bars:
            tasks: dict[str, TaskID] = {}

            def show(path: str, done: int, size: int) -> None:
                if path not in tasks:
                    tasks[path] = bars.add_task(path, total=size)
                bars.update(tasks[path], completed=done)

            paths = real.get(name, accept=True, progress=show)
    except (ValueError, DownloadError) as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None
    for path in paths:
        typer.echo(str(path))


def _card(name: str) -> Card:
    """The corpus's card; an unknown name ends the command."""
    try:
        return corpus.info(name)
    except ValueError as error:
        typer.secho(str(error), err=True, fg="red")
        raise typer.Exit(1) from None


def _size(size: int | None) -> str:
    if size is None:
        return ""
    return f"{size / 1e6:.1f} MB" if size >= 1e5 else f"{size / 1e3:.1f} kB"


def _origin(card: Card) -> str:
    """The source of a corpus, in a word."""
    if card.kind == "embedded":
        return ", ".join(card.made_from) or "this package"
    urls = [url for file in FILES[card.name].values() for url in file.urls[:1]]
    return ", ".join(sorted({urlparse(url).hostname or "" for url in urls}))
