"""Presets: all that ship with the package, and every way in which one can be invalid."""

import tomllib

import pytest

from tfcourse import presets
from tfcourse.flops import count_parameters
from tfcourse.presets.reading import change_of, parse
from tfcourse.presets.schema import TASKS

GOOD = """
about = "A test"
task = "translation"
[data]
name = "dates"
test = "test"
options = {examples = 50, held_out = 20}
[tokenizer]
kind = "characters"
[model]
kind = "Transformer"
num_encoder_layers = 1
num_decoder_layers = 1
num_heads = 2
d_model = 8
[training]
steps = 3
batch = 4
"""


@pytest.mark.parametrize("name", presets.names())
def test_each_is_read_says_what_it_does_and_is_written_again(name):
    preset = presets.load(name)
    text = presets.text(name)
    assert text.startswith("# ")  # a person reads it first
    assert preset.about and preset.task in TASKS
    again = parse(presets.to_toml(preset), name)
    assert again == preset
    assert presets.from_mapping(presets.to_mapping(preset), name) == preset


def test_there_is_one_for_every_task():
    assert {presets.load(name).task for name in presets.names()} == set(TASKS)


def test_those_that_are_compared_have_one_budget():
    """Parameters within 3 % of each other, and all but the model the same."""
    for group, vocabulary in (
        (("numbers-de-en", "numbers-de-en-attention", "numbers-de-en-recurrent"), 320),
        (
            (
                "multi30k-de-en-cpu",
                "multi30k-de-en-cpu-attention",
                "multi30k-de-en-cpu-recurrent",
            ),
            6000,
        ),
        (("reviews-bert-cpu", "reviews-bert-cpu-left"), 8000),
    ):
        loaded = [presets.load(name) for name in group]
        sizes = [count_parameters(p.model.make(vocab_size=vocabulary)) for p in loaded]
        assert max(sizes) / min(sizes) < 1.03, dict(zip(group, sizes, strict=True))
        for part in ("data", "tokenizer", "training", "evaluation"):
            assert len({repr(getattr(p, part)) for p in loaded}) == 1, (group, part)


def test_the_reverse_direction_differs_in_its_direction_alone():
    forth, back = (presets.to_mapping(presets.load(f"numbers-{way}")) for way in ("de-en", "en-de"))
    assert (forth["data"]["options"]["source"], back["data"]["options"]["source"]) == ("de", "en")
    for says in (forth, back):
        del says["about"], says["data"]["options"]["source"], says["data"]["options"]["target"]
    assert forth == back


def test_the_left_side_alone_differs_in_that_alone():
    both, left = (presets.to_mapping(presets.load(f"reviews-bert-cpu{x}")) for x in ("", "-left"))
    assert left["model"].pop("causal") is True and not both["model"].get("causal")
    for says in (both, left):
        del says["about"]
    assert both == left


def test_a_file_is_read_and_changed_by_key(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(GOOD)
    assert presets.load(path).training.steps == 3
    changed = presets.load(path, {"training.steps": 9, "data.options.source": "de"})
    assert changed.training.steps == 9
    assert changed.data.options == {"examples": 50, "held_out": 20, "source": "de"}
    assert presets.load(path).data.options == {"examples": 50, "held_out": 20}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("training.steps=10", ("training.steps", 10)),
        ("training.lr = 1e-4", ("training.lr", 1e-4)),
        ("model.norm=pre", ("model.norm", "pre")),
        ('model.norm="pre"', ("model.norm", "pre")),
        ("training.best=true", ("training.best", True)),
        ("training.betas=[0.9, 0.98]", ("training.betas", [0.9, 0.98])),
    ],
)
def test_a_change_is_read_as_toml(text, expected):
    assert change_of(text) == expected


@pytest.mark.parametrize("text", ["steps", "=3", "training.steps=", ""])
def test_what_is_no_change_is_refused(text):
    with pytest.raises(ValueError, match="a change must be KEY=VALUE"):
        change_of(text)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("steps = 3", "steps = ", "mine must be TOML: "),
        ("steps = 3", "stepz = 3", r"mine \[training\] must have no 'stepz'; its keys are \['ste"),
        ("steps = 3", "", r"mine \[training\] must have 'steps', which is missing"),
        ("steps = 3", 'steps = "3"', r"mine \[training\] steps must be a whole number, got '3'"),
        ("steps = 3", "steps = true", r"\[training\] steps must be a whole number, got True"),
        ("steps = 3", "steps = 3.0", r"\[training\] steps must be a whole number, got 3.0"),
        ("steps = 3", "steps = 0", r"\[training\]: steps must be at least 1, got 0"),
        ("batch = 4", "batch = 0", r"\[training\]: either batch or batch_tokens must be above 0"),
        ("batch = 4", "batch = 4\nlr = 0", r"\[training\]: lr must be above 0, got 0.0"),
        ("batch = 4", 'batch = 4\nschedule = "line"', r"schedule must be one of \['constant', "),
        ("batch = 4", "batch = 4\nbetas = [0.9]", r"betas must be two numbers, got \[0.9\]"),
        ("batch = 4", "batch = 4\nbetas = 0.9", r"\[training\] betas must be a list, got 0.9"),
        ("batch = 4", "batch = 4\naverage = 3", "average must be 1 with best, and at most keep=2"),
        ("[model]", "[modell]", r"mine must have no 'modell'; its keys are \['about', 'task', 'da"),
        ('kind = "Transformer"', "", r"mine \[model\] must have 'kind', which is missing"),
        ('"Transformer"', '"Transformers"', r"\[model\]: kind must be one of \['GPT', "),
        ('"Transformer"', '"GPT"', r"\[model\]: num_encoder_layers is not an attribute of GPT"),
        ("num_heads = 2", "headz = 2", r"\[model\]: headz is not an attribute of Transformer"),
        ("num_heads = 2", "num_heads = 3", r"\[model\]: d_model must be divisible by num_heads=3"),
        ("num_heads = 2", "num_heads = 2.5", r"num_heads must be a whole number, got 2.5"),
        ("num_heads = 2", "vocab_size = 9", r"\[model\]: vocab_size is not an attr.* a preset"),
        ('"dates"', '"date"', r"\[data\]: name must be one of \[.*'dates'.* got 'date'"),
        ('test = "test"', 'test = "tests"', r"\[data\]: test must be one of \['train', "),
        ("examples = 50", "exampels = 50", r"\[data\]: options must be among .* got 'exampels'"),
        ('test = "test"', "held_out = 5", "held_out must be above 0 exactly if validation is"),
        ('"characters"', '"letters"', r"\[tokenizer\]: kind must be one of .* got 'letters'"),
        ('"characters"', '"bpe"', r'\[tokenizer\]: vocab_size .* above it for "bpe", got 0'),
        ('"characters"', '"none"', 'mine: tokenizer.kind must be "none" for images and only for'),
        ('"translation"', '"translating"', "mine: task must be one of .* got 'translating'"),
        ('"translation"', '"images"', r"mine: model.kind must be one of \['ViT'\] for the task"),
        ('about = "A test"', "", "mine must have 'about', which is missing"),
        ('about = "A test"', "about = 3", "mine about must be a string, got 3"),
        ("[training]", "[evaluation]\nmeasures = ['blue']\n[training]", "must be one of .*'blue'"),
        ("batch = 4", "batch = 4\nmasked = 0.0", r"\[training\]: masked must be above 0, got 0.0"),
        ("batch = 4", "batch = 4\nmasked = 1.0", r"masked must lie in \[0, 1\), got 1.0"),
        ("[training]", "[evaluation]\nnum_beams = 0\n[training]", "num_beams must be at least 1"),
    ],
)  # fmt: skip
def test_an_error_names_file_section_and_key(old, new, told):
    assert old in GOOD
    with pytest.raises(ValueError, match=told):
        parse(GOOD.replace(old, new, 1), "mine")


def test_what_is_no_preset_is_refused(tmp_path):
    with pytest.raises(ValueError, match="must be one of cifar10-vit, dates, .* got 'nope'.$"):
        presets.load("nope")
    with pytest.raises(ValueError, match=r"got 'numbers-de-n'\. Did you mean numbers-de-en\?$"):
        presets.load("numbers-de-n")
    with pytest.raises(ValueError, match="or a file, got"):
        presets.load(tmp_path / "nope.toml")
    with pytest.raises(ValueError, match="dates has no section 'about' for the"):
        presets.load("dates", {"about.x": 1})


def test_a_preset_says_all_that_its_run_depends_on():
    """What is written out has every key, so that a later default changes no old run."""
    says = tomllib.loads(presets.to_toml(presets.load("dates")))
    assert {"seed", "lr", "betas", "clip", "schedule"} <= set(says["training"])
    assert {"num_beams", "length_penalty", "max_new_tokens"} <= set(says["evaluation"])
