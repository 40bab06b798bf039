"""A model as a folder: what comes back is what went in, and nothing else is opened."""

import json

import pytest
import torch
from small_run import same_bits, small_model
from test_optimisers import MODELS
from torch import nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper

from tfcourse.files import digest_of
from tfcourse.models.gpt import GPT
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.tokenizers import CharTokenizer
from tfcourse.training import open_saved, save
from tfcourse.training.checkpoints import pack, unpack
from tfcourse.training.saved import KINDS
from tfcourse.wrapped import class_of, load_weights, weights_of


@pytest.mark.parametrize("model", [*MODELS, SkipGram(SkipGramConfig(9, 4))],
                         ids=lambda model: type(model).__name__)  # fmt: skip
def test_every_kind_comes_back(model, tmp_path):
    torch.manual_seed(0)
    before = torch.get_rng_state()
    found, extra = open_saved(save(tmp_path / "model", model.train()))
    assert type(found) is type(model) and found.config == model.config and not extra
    assert not found.training
    expected = model.state_dict()
    assert list(found.state_dict()) == list(expected)
    assert all(torch.equal(v, expected[k]) for k, v in found.state_dict().items())
    assert torch.equal(before, torch.get_rng_state())


def test_every_model_has_a_kind():
    """One that is added must be saved too."""
    import importlib
    import pkgutil

    from tfcourse import models

    found = set()
    for module in pkgutil.walk_packages(models.__path__, "tfcourse.models."):
        names = vars(importlib.import_module(module.name))
        found |= {n for n, v in names.items() if n.endswith("Config") and isinstance(v, type)}
    assert found - {"Config"} == set(KINDS)  # the base of all is no model's


def with_block(wrapper):
    model = small_model()
    model.blocks[0] = wrapper(model.blocks[0])
    return model


#: The same model in wrappers that add to its parameters' names.
WRAPPED = {
    "compiled": lambda: torch.compile(small_model()),
    "data-parallel": lambda: nn.DataParallel(small_model()),
    "both": lambda: torch.compile(nn.DataParallel(small_model())),
    "a block compiled": lambda: with_block(torch.compile),
    "a block checkpointed": lambda: with_block(checkpoint_wrapper),
}


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("wrapper", WRAPPED)
def test_a_wrapped_model_is_saved_as_the_model_itself(wrapper, tmp_path):
    plain, wrapped = small_model(), WRAPPED[wrapper]()
    assert contents(save(tmp_path / "a", plain)) == contents(save(tmp_path / "b", wrapped))
    assert same_bits(open_saved(tmp_path / "b").model, plain)
    assert class_of(wrapped) is GPT and same_bits(weights_of(wrapped), plain.state_dict())
    other = {name: torch.randn_like(t) for name, t in plain.state_dict().items()}
    load_weights(wrapped, other)
    assert same_bits(weights_of(wrapped), other)


def test_weights_of_other_names_are_refused():
    with pytest.raises(RuntimeError, match="Unexpected key.*no.such.name"):
        load_weights(torch.compile(small_model()), small_model().state_dict() | {"no.such.name": 0})


def test_what_could_not_be_opened_is_not_saved(tmp_path):
    model = small_model()
    model.adapter = nn.Linear(2, 3)
    with pytest.raises(ValueError, match=r"2 differ, .* adapter.bias: must be absent, got \(3,"):
        save(tmp_path / "model", model)
    assert not (tmp_path / "model").exists()


def test_tied_weights_are_written_once_and_stay_tied(tmp_path):
    model = MODELS[4]
    save(tmp_path, model)
    found = open_saved(tmp_path).model
    assert found.source_embedding.weight is found.target_embedding.weight
    tensors = {t.data_ptr(): t for t in model.state_dict().values()}
    numbers = sum(t.numel() for t in tensors.values())
    assert (tmp_path / "model.safetensors").stat().st_size < 4 * numbers + 8000


def test_tokenizers_and_whatever_json_holds_come_along(tmp_path):
    tokenizer = CharTokenizer.train(["to be or not to be"])
    preset = {"steps": 3, "about": "ein Versuch über Öl"}
    save(tmp_path, small_model(), tokenizer=tokenizer, preset=preset)
    _, extra = open_saved(tmp_path)
    assert extra["preset"] == preset
    assert type(extra["tokenizer"]) is CharTokenizer
    assert extra["tokenizer"].encode("not") == tokenizer.encode("not")
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        "config.json", "model.safetensors", "tokenizer.json",
    ]  # fmt: skip


def test_saving_again_replaces(tmp_path):
    save(tmp_path, small_model(0))
    save(tmp_path, small_model(1))
    found = open_saved(tmp_path).model
    expected = small_model(1)
    assert torch.equal(found.embedding.weight, expected.embedding.weight)


def test_what_cannot_be_saved_is_named(tmp_path):
    with pytest.raises(ValueError, match="model must have a config of one of .*got a Linear"):
        save(tmp_path, nn.Linear(1, 1))
    with pytest.raises(ValueError, match="extra must be tokenizers or what JSON can hold"):
        save(tmp_path, small_model(), thing=object())
    with pytest.raises(ValueError, match="extra must have another name than 'config'"):
        save(tmp_path, small_model(), config=1)
    assert not list(tmp_path.iterdir())


def change(**says):
    def changed(folder):
        path = folder / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | says))

    return changed


def config(without=(), **fields):
    def changed(folder):
        says = json.loads((folder / "config.json").read_text())["config"] | fields
        change(config={n: v for n, v in says.items() if n not in without})(folder)

    return changed


def rename_a_tensor(folder):
    """Store one matrix under another name, with its digest."""
    path = folder / "model.safetensors"
    weights, _ = unpack(path)
    weights["blocks.0.attention.W_Q"] = weights.pop("blocks.0.attention.W_QKV")
    path.write_bytes(pack(weights))
    sums = json.loads((folder / "config.json").read_text())["sha256"]
    change(sha256=sums | {path.name: digest_of(path)})(folder)


ANOTHER = "was written by another version of tfcourse and cannot be read: it "


def cut(name):
    def changed(folder):
        data = (folder / name).read_bytes()
        (folder / name).write_bytes(data[:-1])

    return changed


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (lambda folder: (folder / "config.json").unlink(), "no config.json there"),
        (cut("config.json"), "no config.json there that describes"),
        (cut("model.safetensors"), "model.safetensors must be what was saved"),
        (cut("tokenizer.json"), "tokenizer.json must be what was saved"),
        (change(kind="os.system"), "must name one of .*got 'os.system'"),
        (config(vocab_size=0), "must hold a GPTConfig: vocab_size must be"),
        (config(vocab_size=5), "fit its config"),
        (change(config=[1]), "no config.json there that describes"),
        (config(without=["window"]), f"config.json {ANOTHER}lacks window$"),
        (
            config(without=["num_heads", "num_layers"], heads=2),
            f"config.json {ANOTHER}lacks num_heads and 1 more, it has heads$",
        ),
        (
            rename_a_tensor,
            rf"{ANOTHER}lacks blocks\.0\.attention\.W_QKV, it has blocks\.0\.attention\.W_Q$",
        ),
        (change(sha256={"../../model.safetensors": "0"}), "must name files of its own folder"),
    ],
)
def test_a_damaged_or_hostile_folder_is_told(harm, said, tmp_path):
    save(tmp_path, small_model(), tokenizer=CharTokenizer.train(["abc"]))
    cuts = harm.__qualname__.startswith("cut") and said.startswith("no config")
    if cuts:  # one byte less is only the line's end
        cut("config.json")(tmp_path)
    harm(tmp_path)
    with pytest.raises(ValueError, match=said):
        open_saved(tmp_path)
