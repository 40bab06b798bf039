"""Checkpoints of an older version load, and its runs resume."""

import json
import re
import shutil

import pytest
import torch
from small_run import same_bits, small_fit, small_model

from tfcourse.arguments import RENAMED
from tfcourse.files import digest_of
from tfcourse.training import average_checkpoints, checkpoints, load_best, open_saved, save
from tfcourse.training.checkpoints import pack, unpack
from tfcourse.training.settings import digest

#: What GPTConfig did not have yet.
NEW_FIELDS = ("rotary_scaling", "rotary_factor", "rotary_original", "window",
              "rotary_dim", "qk_norm")  # fmt: skip


def apart(weights):
    """W_QKV and b_QKV as an older version stored them, in its order."""
    found = {}
    for name, tensor in weights.items():
        path, _, last = name.rpartition(".")
        if last in ("W_QKV", "b_QKV"):
            for letter, part in zip("QKV", tensor.chunk(3, dim=-1), strict=True):
                found[f"{path}.{last[0]}_{letter}"] = part.clone()
        else:
            found[name] = tensor
    return found


def optimiser_apart(state, model):
    """The optimiser's numbers as it held them: three parameters for each that is one now."""
    named = list(model.named_parameters())
    # The groups of adamw: what decays, then what does not.
    ordered = [n for n, p in named if p.dim() > 1 and not n.endswith(("gain", "shift"))]
    ordered += [n for n, _ in named if n not in ordered]
    held, groups, number = {}, [], 0
    for group in state["param_groups"]:
        first = number
        for now in group["params"]:
            parts = 3 if ordered[now].endswith("_QKV") else 1
            for part in range(parts):
                held[number] = {
                    key: v.chunk(3, -1)[part].clone() if parts > 1 and v.dim() else v
                    for key, v in state["state"][now].items()
                }
                number += 1
        groups.append({**group, "params": list(range(first, number))})
    return {"state": held, "param_groups": groups}


def make_older(path):
    """Rewrite a checkpoint as the version before this one wrote it."""
    model = small_model()
    weights = apart(unpack(path / "model.safetensors")[0])
    (path / "model.safetensors").write_bytes(pack(weights))
    state = torch.load(path / "training.pt", weights_only=True)
    state["optimiser"] = optimiser_apart(state["optimiser"], model)
    torch.save(state, path / "training.pt")
    manifest = json.loads((path / "manifest.json").read_text())
    settings = manifest["settings"]
    for old, new in RENAMED.items():
        settings["model"] = re.sub(rf"\b{new}=", f"{old}=", settings["model"])
    for field in NEW_FIELDS:
        settings["model"] = re.sub(rf", {field}=[^,)]+", "", settings["model"])
    assert (
        settings["model"].startswith("GPT: GPTConfig(vocabulary=")
        and "window" not in settings["model"]
    )
    settings["parameters"] = digest(apart(dict(model.named_parameters())).items())
    manifest["sha256"] = {n: digest_of(path / n) for n in ("model.safetensors", "training.pt")}
    (path / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def stopped(tmp_path_factory):
    """The folder of a run that an older version left after step 8 of 14."""

    class Stop(Exception):
        pass

    def stop(step, model, history):
        if step == 9:
            raise Stop

    folder = tmp_path_factory.mktemp("older")
    with pytest.raises(Stop):
        small_fit(folder, on_step=stop)
    for path in checkpoints.found(folder):
        make_older(path)
    return folder


@pytest.fixture
def older(stopped, tmp_path):
    return shutil.copytree(stopped, tmp_path / "run")


def test_what_is_stored_is_old(older):
    weights = unpack(checkpoints.newest(older) / "model.safetensors")[0]
    assert {"blocks.0.attention.W_Q", "blocks.1.attention.b_V"} <= set(weights)
    assert not [name for name in weights if "QKV" in name]


def test_a_run_goes_on_to_the_last_bit(older):
    expected = small_fit()
    with pytest.warns(FutureWarning, match="config: .*heads is now called num_heads"):
        again = small_fit(older, model=small_model(seed=8))
    assert same_bits(expected[0], again[0]) and same_bits(expected[1], again[1])


def test_another_choice_is_still_refused(older):
    with pytest.raises(ValueError, match=r"model was GPT: .*dropout=0.1.*dropout=0.2"):
        small_fit(older, model=small_model(dropout=0.2))
    with pytest.raises(ValueError, match="parameters was"):
        small_fit(older, model=small_model(dtype=torch.float64))


def test_a_mean_over_checkpoints_of_both_kinds(older):
    small_fit(older, keep=3)
    kinds = {
        "W_QKV" in " ".join(unpack(p / "model.safetensors")[0]) for p in checkpoints.found(older)
    }
    assert kinds == {False, True}
    mean = average_checkpoints(older, last=3)
    small_model().load_state_dict(mean)


def test_the_best_weights_and_a_saved_model_load(older, tmp_path):
    model = small_model(seed=1)
    best = older / "best.safetensors"
    weights, says = unpack(best)
    weights = {name: tensor.clone() for name, tensor in weights.items()}  # apart from the file
    best.write_bytes(pack(apart(weights), **says))
    load_best(older, model)
    assert all(torch.equal(t, weights[n]) for n, t in model.state_dict().items())
    folder = save(tmp_path / "saved", model)
    path = folder / "model.safetensors"
    path.write_bytes(pack(apart(unpack(path)[0])))
    says = json.loads((folder / "config.json").read_text())
    says["sha256"]["model.safetensors"] = digest_of(path)
    for field in NEW_FIELDS:
        del says["config"][field]
    names = {new: old for old, new in RENAMED.items()}
    says["config"] = {names.get(name, name): value for name, value in says["config"].items()}
    (folder / "config.json").write_text(json.dumps(says))
    with pytest.warns(FutureWarning, match=r"config\.json: vocabulary is now called vocab_size"):
        again = open_saved(folder).model
    assert again.config == model.config
    assert all(torch.equal(t, weights[n]) for n, t in again.state_dict().items())
