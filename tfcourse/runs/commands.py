"""``tfcourse train``, ``tfcourse translate`` and ``tfcourse generate``."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.markup import escape
from rich.table import Table

Device = Annotated[
    str | None, typer.Option(help="cpu, cuda, cuda:1 ...; a GPU if available, else the CPU.")
]
Folder = Annotated[Path, typer.Argument(help="A folder of `tfcourse train`, such as runs/dates.")]


def register(app: typer.Typer) -> None:
    """Add the commands to ``tfcourse``."""
    app.command()(train)
    app.command()(translate)
    app.command()(generate)


@contextmanager
def plain_errors() -> Iterator[None]:
    """Print errors that the caller can fix on one line, without a traceback; exit code 2."""
    try:
        yield
    except (ValueError, OSError) as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False)
        raise typer.Exit(2) from None


def train(
    preset: Annotated[
        str | None, typer.Argument(help="A preset's name or a TOML file; none lists them all.")
    ] = None,
    into: Annotated[
        Path | None, typer.Option(help="Folder for all output; runs/PRESET by default.")
    ] = None,
    device: Device = None,
    steps: Annotated[int | None, typer.Option(help="Overrides the preset's.", min=1)] = None,
    seed: Annotated[int | None, typer.Option(help="Overrides the preset's.", min=0)] = None,
    change: Annotated[
        list[str] | None,
        typer.Option("--set", help="KEY=VALUE, such as model.num_layers=2; may be repeated."),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Continue the run that was stopped in the folder.")
    ] = False,
    show: Annotated[
        bool, typer.Option("--show", help="Print the preset's file, for copying, and exit.")
    ] = False,
    tensorboard: Annotated[
        bool, typer.Option("--tensorboard", help="Also write logs for TensorBoard.")
    ] = False,
) -> None:
    """Train a model from a preset, evaluate it, and save it in a folder.

    `tfcourse train` lists the presets; `tfcourse train numbers-de-en` runs one; `tfcourse train
    numbers-de-en --show > my.toml` copies one for you to change and run as `tfcourse train
    my.toml`. On several devices: `torchrun --standalone --nproc-per-node 2 --no-python tfcourse
    train PRESET`.

    Ctrl-C saves the progress; the same command with `--resume` continues the run.
    """
    from tfcourse import presets

    console = Console()
    with plain_errors():
        if preset is None:
            console.print(_list_of(presets))
            return
        if show:
            typer.echo(presets.text(preset), nl=False)
            return
        changes = dict(presets.change_of(one) for one in change or [])
        for key, value in (("steps", steps), ("seed", seed)):
            changes |= {} if value is None else {f"training.{key}": value}
        chosen = presets.load(preset, changes)
        _check(device)
        folder = into or Path("runs") / Path(preset).stem
        _train(chosen, folder, device, resume, tensorboard, console)


def _train(
    chosen: Any, folder: Path, device: str | None, resume: bool, tensorboard: bool, console: Console
) -> None:
    from tfcourse import runs
    from tfcourse.training import Interrupted, NotFinite

    leads = os.environ.get("RANK", "0") == "0"  # only one of torchrun's processes prints
    task = runs.prepare(chosen)
    if leads:
        console.print(_plan(chosen, task, folder))
    try:
        results = runs.run(
            chosen, folder, task=task, device=device, resume=resume, progress=leads,
            tensorboard=tensorboard,
        )  # fmt: skip
    except Interrupted as stopped:
        console.print(f"\n{escape(str(stopped))}\nTo continue, run the same command with --resume.")
        raise typer.Exit(130) from None
    except NotFinite as error:
        Console(stderr=True).print(f"[red]{escape(str(error))}[/red]", highlight=False)
        raise typer.Exit(1) from None
    if not leads:
        return
    console.print(_found(results))
    console.print(f"In {folder}: the model, preset.toml, history.csv and results.json.")
    if chosen.task == "translation":
        console.print(f"Now: tfcourse translate {folder} 'a sentence'", highlight=False)
    elif chosen.task == "language model":
        console.print(f"Now: tfcourse generate {folder} --prompt 'a beginning'", highlight=False)


def translate(
    folder: Folder,
    texts: Annotated[
        list[str] | None, typer.Argument(help="Texts to translate; default: lines of stdin.")
    ] = None,
    num_beams: Annotated[int, typer.Option(help="Hypotheses; 1 is greedy search.", min=1)] = 1,
    length_penalty: Annotated[
        float, typer.Option(help="Power of the length; larger favours longer translations.")
    ] = 1.0,
    max_new_tokens: Annotated[
        int | None,
        typer.Option("--tokens", help="Maximum to write; default the preset's.", min=1),
    ] = None,
    device: Device = None,
) -> None:
    """Translate texts with a trained model, one per line.

    `tfcourse translate runs/numbers-de-en siebenundzwanzig`, or
    `tfcourse translate runs/multi30k-de-en-cpu --num-beams 5 < sentences.txt`.
    """
    from tfcourse import runs

    with plain_errors():
        model, extra = _opened(folder, device, "source_tokenizer", "translate")
        lines = texts or [line.rstrip("\n") for line in sys.stdin]
        if not lines:
            raise ValueError("texts must have at least one, got none: pass it, or lines on stdin")
        found = runs.translate(
            model, extra["source_tokenizer"], extra["target_tokenizer"], lines,
            num_beams=num_beams, length_penalty=length_penalty,
            max_new_tokens=max_new_tokens or extra["preset"]["evaluation"]["max_new_tokens"],
        )  # fmt: skip
        for line in found:
            typer.echo(line)


def generate(
    folder: Folder,
    prompt: Annotated[str, typer.Option(help="Text to continue.")] = "",
    max_new_tokens: Annotated[
        int, typer.Option("--tokens", help="Maximum number of tokens to write.", min=1)
    ] = 300,
    temperature: Annotated[
        float, typer.Option(help="Below 1, unlikely tokens are rarer; 0 is greedy.", min=0)
    ] = 0.8,
    top_k: Annotated[
        int | None, typer.Option(help="Sample from this many most likely tokens.", min=1)
    ] = None,
    top_p: Annotated[
        float | None, typer.Option(help="Sample from the top tokens of this probability.")
    ] = None,
    seed: Annotated[int, typer.Option(help="A different seed gives a different text.", min=0)] = 0,
    device: Device = None,
) -> None:
    """Continue a prompt with a trained language model.

    `tfcourse generate runs/tinyshakespeare-cpu --prompt 'ROMEO:' --tokens 500 --top-k 20`
    """
    import torch

    from tfcourse.generation import greedy, sample
    from tfcourse.models.gpt import GPT

    with plain_errors():
        model, extra = _opened(folder, device, "tokenizer", "generate")
        tokens = extra["tokenizer"]
        starts = tokens.start is not None
        # A model without a start token begins on a new line.
        ids = tokens.encode(prompt, start=starts) if prompt or starts else tokens.encode("\n")
        asked = {
            "max_new_tokens": max_new_tokens, "eos_id": tokens.end,
            "beyond": "slide" if isinstance(model, GPT) else "refuse",
        }  # fmt: skip
        begin = torch.tensor([ids])
        if temperature == 0:
            got = greedy(model, begin, **asked)
        else:
            generator = torch.Generator(next(model.parameters()).device).manual_seed(seed)
            got = sample(
                model, begin, **asked, temperature=temperature, top_k=top_k, top_p=top_p,
                generator=generator,
            )  # fmt: skip
        typer.echo(tokens.decode([*(ids if prompt else []), *got.rows()[0]]))


def _opened(folder: Path, device: str | None, needed: str, command: str) -> tuple[Any, dict]:
    """A trained model on its device, and what was saved with it."""
    from tfcourse.devices import default_device
    from tfcourse.models.skipgram import SkipGram
    from tfcourse.training import open_saved

    model, extra = open_saved(folder)
    if needed not in extra or isinstance(model, SkipGram):
        what = extra.get("preset", {}).get("task", "another kind")
        raise ValueError(
            f"folder must hold a model that can {command}, got one of {what}: {folder}"
        )
    _check(device)
    return model.to(device or default_device()), extra


def _check(device: str | None) -> None:
    """Raise ``ValueError`` for a device that PyTorch does not know or that is not available."""
    import torch

    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        why = str(error).splitlines()[0]
        raise ValueError(f"device must be available, got {device!r}: {why}") from None


def _list_of(presets: Any) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("preset", no_wrap=True)
    table.add_column("what it trains")
    for name in presets.names():
        table.add_row(name, escape(presets.load(name).about))
    return table


def _plan(chosen: Any, task: Any, folder: Path) -> Table:
    """What a run will do."""
    from tfcourse import data
    from tfcourse.flops import count_parameters
    from tfcourse.runs.running import schedule

    t, card = chosen.training, data.info(chosen.data.name)
    facts = ", ".join(f"{value:,} {name}" for name, value in task.says.items() if name[0] == "t")
    vocabulary = task.says.get("vocabulary")
    tokens = f"{chosen.tokenizer.kind}, {vocabulary:,} tokens" if vocabulary else ""
    batch = f"{t.batch} examples" if t.batch else f"at most {t.batch_tokens:,} tokens"
    rows = {
        "about": chosen.about,
        "data": f"{card.title} ({card.kind}): {facts}",
        "licence": card.licence,
        "tokenizer": tokens,
        "model": f"{chosen.model.kind}, {count_parameters(task.model):,} parameters",
        "training": f"{t.steps:,} steps of {batch}"
        + (f", at most {t.max_seconds:,.0f} s" if t.max_seconds else ""),
        "rate": str(schedule(chosen)),
        "into": str(folder),
    }
    return _table({name: value for name, value in rows.items() if value})


def _found(results: Mapping[str, Any]) -> Table:
    """The results, with nested names on one line."""
    rows: dict[str, str] = {}

    def add(name: str, value: Any) -> None:
        if isinstance(value, Mapping):
            for inner, part in value.items():
                add(f"{name}: {inner}" if name else inner, part)
        elif isinstance(value, list):
            rows[name] = " to ".join(_number(part) for part in value)
        else:
            rows[name] = _number(value)

    for name in ("steps", "training seconds", "tokens / s", "evaluation"):
        add("" if name == "evaluation" else name, results[name])
    return _table(rows)


def _number(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(rows: Mapping[str, str]) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, value in rows.items():
        table.add_row(escape(name), escape(value))
    return table
