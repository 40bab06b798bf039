"""The commands ``python -m coursebook new lesson``, ``exercise``, ``claim`` and ``figure``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

import typer

from coursebook import course
from coursebook.new.changes import Changes, Refused

app = typer.Typer(
    help="For those who build the course, in a clone of it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
new = typer.Typer(
    help="Make an empty lesson, exercise, claim or figure that passes its tests.",
    no_args_is_help=True,
)
app.add_typer(new, name="new")


@app.callback()
def _course() -> None:
    pass


LessonName = Annotated[str, typer.Argument(metavar="LESSON", help="Such as 06-multi-head.")]


@new.command()
def lesson(
    name: Annotated[str, typer.Argument(metavar="NUMBER-NAME", help="Such as 15-diffusion.")],
) -> None:
    """Make the next lesson, with evidence, one claim, topics and a question."""
    from coursebook.new import lesson as maker

    _make(lambda changes: maker.make(changes, name))


@new.command()
def exercise(
    problem_set: Annotated[str, typer.Argument(metavar="PS", help="Such as ps06-multi-head.")],
    name: Annotated[str, typer.Argument(metavar="EXERCISE", help="Such as two-heads.")],
) -> None:
    """Add an exercise with known answers to a problem set; a new lesson's set is made with it."""
    from coursebook.new import exercise as maker

    _make(lambda changes: maker.make(changes, problem_set, name))


@new.command()
def claim(
    lesson: LessonName,
    name: Annotated[str, typer.Argument(metavar="ID", help="Such as heads-noise.")],
) -> None:
    """Add a claim, not settled yet, to a lesson, its evidence and its list of claims."""
    from coursebook.new import claim as maker

    _make(lambda changes: maker.make(changes, lesson, name))


@new.command()
def figure(
    lesson: LessonName,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as two-heads.")],
) -> None:
    """Make a live figure with one slider, its test, its still picture and the lesson's cell."""
    from coursebook.new import figure as maker

    _make(lambda changes: maker.make(changes, lesson, name))


def _make(maker: Callable[[Changes], list[str]]) -> None:
    """Run one of the makers; print what it wrote and what is left to do."""
    try:
        with Changes(course.root()) as changes:
            steps = maker(changes)
    except (Refused, FileNotFoundError) as error:
        typer.secho(f"Nothing was made: {error}", err=True, fg="red")
        raise typer.Exit(1) from None
    for word, paths in (("Made", changes.named(new=True)), ("Changed", changes.named(new=False))):
        if paths:
            typer.echo("\n  ".join([f"{word}:", *paths]))
    typer.echo("To do:")
    for number, step in enumerate(steps, 1):
        typer.echo(f"{number:>3}. {step}")
