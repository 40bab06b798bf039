"""The field's names everywhere; old ones are still taken where calls and files may have them."""

import dataclasses
import importlib
import inspect
import pkgutil

import pytest

import tfcourse
from tfcourse import presets
from tfcourse.arguments import RENAMED
from tfcourse.models.gpt import GPTConfig
from tfcourse.presets import Evaluation, Model, Tokens
from tfcourse.presets.reading import parse
from tfcourse.training.saved import KINDS

#: What nothing public is called any more; in ``data``, ``heads`` are words in a sentence.
OLD = {*RENAMED, "maps"}
#: What a config needs beside the value that is asked for.
NEEDED = {"vocab_size": 8, "classes": 2, "d_model": 12, "num_heads": 2}
#: And the value, if it cannot be 6.
VALUES = {"scale_embeddings": True, "num_kv_heads": 1}


def configs():
    for kind, (module, _) in KINDS.items():
        yield getattr(importlib.import_module(f"tfcourse.models.{module}"), kind)
    yield Tokens
    yield Evaluation


def names_of(config):
    return [f.name for f in dataclasses.fields(config)]


RENAMES = [
    (config, old, new)
    for config in configs()
    for old, new in RENAMED.items()
    if new in names_of(config)
]


@pytest.mark.parametrize(("config", "old", "new"), RENAMES)
def test_a_config_takes_the_old_name_with_a_warning(config, old, new):
    needed = {name: NEEDED[name] for name in names_of(config) if name in NEEDED}
    given = {**needed, new: VALUES.get(new, 6)}
    if new == "target_vocab_size":
        given |= {"shared": False} if "shared" in names_of(config) else {}
    expected = config(**given)
    with pytest.warns(DeprecationWarning, match=f"{config.__name__}: {old} is now called {new}"):
        got = config(**{old if name == new else name: value for name, value in given.items()})
    assert got == expected
    with pytest.warns(DeprecationWarning, match=f"{config.__name__}: {old} is now called {new}"):
        assert getattr(got, old) == getattr(got, new)
    with pytest.raises(ValueError, match=f"must have only {new}, got its old name {old} too"):
        config(**given, **{old: 1})


def test_a_config_has_no_other_names():
    with pytest.raises(AttributeError, match="'GPTConfig' object has no attribute 'kernels'"):
        _ = GPTConfig(8).kernels
    with pytest.raises(TypeError, match="encoder_layers"):
        GPTConfig(8, encoder_layers=2)


def public():
    """Every public function, class and method of the package."""
    for module in pkgutil.walk_packages(tfcourse.__path__, "tfcourse."):
        if module.name.startswith("tfcourse.data"):
            continue
        for name, thing in vars(importlib.import_module(module.name)).items():
            if name.startswith("_") or getattr(thing, "__module__", "") != module.name:
                continue
            if inspect.isclass(thing):
                members = [m for n, m in vars(thing).items() if inspect.isfunction(m)]
                yield from ((f"{name}.{m.__name__}", m) for m in members)
            elif inspect.isfunction(thing):
                yield name, thing


def test_signatures_have_the_standard_names_alone():
    found = list(public())
    old = {name: OLD & set(inspect.signature(thing).parameters) for name, thing in found}
    assert len(found) > 300 and not {name: names for name, names in old.items() if names}
    for config in configs():
        assert list(inspect.signature(config).parameters) == names_of(config)


PRESET = """
about = "A test"
task = "translation"
[data]
name = "dates"
test = "test"
options = {examples = 50, held_out = 20}
[tokenizer]
kind = "bpe"
VOCABULARY = 400
[model]
kind = "Transformer"
LAYERS = 1
d_model = 8
[training]
steps = 3
batch = 4
[evaluation]
NEW_TOKENS = 5
"""
TODAY = {"VOCABULARY": "vocab_size", "LAYERS": "num_encoder_layers", "NEW_TOKENS": "max_new_tokens"}
BEFORE = {new: old for old, new in RENAMED.items()}


def written(names):
    text = PRESET
    for place, name in names.items():
        text = text.replace(place, name)
    return text


def test_an_old_preset_is_read_with_a_warning_for_each_name():
    old = written({place: BEFORE[name] for place, name in TODAY.items()})
    with pytest.warns(FutureWarning, match="is now called") as told:
        got = parse(old, "mine")
    assert got == parse(written(TODAY), "mine")
    assert sorted(str(warning.message) for warning in told) == [
        "mine [evaluation]: new_tokens is now called max_new_tokens",
        "mine [model]: encoder_layers is now called num_encoder_layers",
        "mine [tokenizer]: vocabulary is now called vocab_size",
    ]


def test_a_preset_with_both_names_is_refused():
    both = written(TODAY).replace("d_model = 8", "d_model = 8\nencoder_layers = 1")
    with pytest.raises(ValueError, match=r"mine \[model\] must have only num_encoder_layers"):
        parse(both, "mine")


def test_a_change_of_a_preset_may_have_the_old_name():
    with pytest.warns(FutureWarning, match=r"model\.layers: layers is now called num_layers"):
        got = presets.load("tinyshakespeare-cpu", {"model.layers": 1})
    assert got == presets.load("tinyshakespeare-cpu", {"model.num_layers": 1})


def test_the_choices_of_a_model_may_have_old_names():
    with pytest.warns(DeprecationWarning, match="GPTConfig: layers is now called num_layers"):
        assert Model("GPT", {"layers": 3}) == Model("GPT", {"num_layers": 3})
