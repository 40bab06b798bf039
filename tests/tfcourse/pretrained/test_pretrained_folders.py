"""What a folder may and may not hold; each error says what is wrong."""

import json
import math
import re
import shutil

import pytest
import torch
import transformers
from pretrained_peers import batch, logits, make, our_logits, real
from rounding import assert_same
from safetensors.torch import load_file, save_file

from tfcourse.models.bert import BERT, BERTConfig
from tfcourse.models.gpt import GPT, GPTConfig
from tfcourse.models.transformer import Transformer, TransformerConfig
from tfcourse.pretrained import load, save
from tfcourse.pretrained.folders import INDEX, WEIGHTS

CHANGED = {
    "gpt2": "transformer.h.0.mlp.c_fc.weight",
    "llama": "model.layers.1.mlp.up_proj.weight",
    "bert-both": "bert.encoder.layer.0.output.dense.weight",
    "marian": "model.decoder.layers.2.fc1.weight",
    "vit": "vit.embeddings.patch_embeddings.projection.weight",
}


def edit(folder, change):
    """Change the tensors of a checkpoint in place."""
    tensors = load_file(folder / WEIGHTS)
    change(tensors)
    save_file(tensors, folder / WEIGHTS, metadata={"format": "pt"})


def set_in(folder, **settings):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | settings))


def same_logits(name, folder, model):
    their_batch, our_batch = batch(name)
    ours = load(folder)
    with torch.no_grad():
        expected = logits(name, model(**their_batch))
        got = our_logits(name, ours, our_batch, expected)
    for head, x in expected.items():
        assert_same(got[head], x, ours)


@pytest.mark.parametrize(("name", "changed"), CHANGED.items())
def test_all_that_differs_is_named_with_its_shape(name, changed, saved):
    _, folder = saved(name)
    stored = load_file(folder / WEIGHTS)[changed]

    def spoil(tensors):
        tensors[changed] = torch.zeros(*stored.shape[:-1], stored.shape[-1] + 1)
        tensors["one.too.many"] = torch.zeros(2, 3)
        missing = next(n for n in sorted(tensors) if "norm" in n.lower() or "ln_" in n)
        del tensors[missing]
        spoil.missing = missing

    edit(folder, spoil)
    with pytest.raises(ValueError) as refused:
        load(folder)
    told = str(refused.value)
    assert "does not fit" in told
    assert f"missing: {spoil.missing} (" in told
    assert "not known: one.too.many (2, 3)" in told
    wrong = (*stored.shape[:-1], stored.shape[-1] + 1)
    assert f"{changed} is {wrong}, must be {tuple(stored.shape)}" in told


@pytest.mark.parametrize("name", CHANGED)
def test_a_transposed_matrix_is_refused_though_it_holds_as_many_numbers(name, saved):
    _, folder = saved(name)
    edit(folder, lambda t: t.update({CHANGED[name]: t[CHANGED[name]].mT.flatten(1).contiguous()}))
    with pytest.raises(ValueError, match="of another shape"):
        load(folder)


@pytest.mark.parametrize("pickle", ["pytorch_model.bin", "model.pt", "weights.pkl"])
def test_a_pickle_is_never_opened(pickle, saved, tmp_path):
    _, folder = saved("gpt2")
    (folder / WEIGHTS).unlink()
    ran = tmp_path / "ran"

    class Trap:
        def __reduce__(self):
            return ran.touch, ()

    torch.save(Trap(), folder / pickle)
    with pytest.raises(ValueError, match=f"it holds only {pickle}: a pickle.*save_pretrained"):
        load(folder)
    assert not ran.exists()


def test_shards_are_read_together(saved, tmp_path):
    model, _ = saved("llama")
    model.save_pretrained(tmp_path / "shards", max_shard_size="4KB")
    assert (tmp_path / "shards" / INDEX).is_file()
    same_logits("llama", tmp_path / "shards", model)
    next((tmp_path / "shards").glob("*00002*.safetensors")).unlink()
    with pytest.raises(ValueError, match="must hold model-00002.*its index names it"):
        load(tmp_path / "shards")


def test_an_index_cannot_lead_out_of_the_folder(saved):
    _, folder = saved("gpt2")
    shutil.move(folder / WEIGHTS, folder.parent / WEIGHTS)
    (folder / INDEX).write_text(json.dumps({"weight_map": {"x": f"../{WEIGHTS}"}}))
    with pytest.raises(ValueError, match="must name files of its own folder"):
        load(folder)
    for wrong in (["x"], {"x": 3}, None):
        (folder / INDEX).write_text(json.dumps({"weight_map": wrong}))
        with pytest.raises(ValueError, match="weight_map in .* must be an object that names"):
            load(folder)


def test_names_of_older_checkpoints_are_known(saved):
    """GPT-2 without its prefix and with its masks; BERT's gamma and beta, and its place ids."""
    model, folder = saved("gpt2")
    tensors = {n.removeprefix("transformer."): t for n, t in load_file(folder / WEIGHTS).items()}
    tensors |= {"h.0.attn.bias": torch.ones(1, 1, 12, 12), "h.1.attn.masked_bias": torch.ones(1)}
    save_file(tensors, folder / WEIGHTS)
    same_logits("gpt2", folder, model)

    model, folder = saved("bert-both")
    old = {"LayerNorm.weight": "LayerNorm.gamma", "LayerNorm.bias": "LayerNorm.beta"}
    tensors = {}
    for name, t in load_file(folder / WEIGHTS).items():
        for new, was in old.items():
            name = name.replace(new, was)
        tensors[name] = t
    tensors["bert.embeddings.position_ids"] = torch.arange(12)[None]
    save_file(tensors, folder / WEIGHTS)
    same_logits("bert-both", folder, model)


@pytest.mark.parametrize(
    ("name", "copy", "of"),
    [
        ("gpt2", "lm_head.weight", "transformer.wte.weight"),
        ("llama-tied", "lm_head.weight", "model.embed_tokens.weight"),
        ("bert-words", "cls.predictions.decoder.weight", "bert.embeddings.word_embeddings.weight"),
        ("bert-words", "cls.predictions.decoder.bias", "cls.predictions.bias"),
        ("marian", "model.encoder.embed_tokens.weight", "model.shared.weight"),
        ("marian-unshared", "lm_head.weight", "model.decoder.embed_tokens.weight"),
    ],
)
def test_a_shared_tensor_may_be_stored_twice_but_must_agree(name, copy, of, saved):
    model, folder = saved(name)
    edit(folder, lambda t: t.update({copy: t[of].clone()}))
    same_logits(name, folder, model)
    edit(folder, lambda t: t.update({copy: t[of] + 1}))
    with pytest.raises(ValueError, match=f"one tensor for {of} and {copy}"):
        load(folder)
    edit(folder, lambda t: t.update({copy: t.pop(of)}))  # under its other name alone
    same_logits(name, folder, model)


def test_marians_table_may_be_stored_but_must_be_the_formulas(saved):
    model, folder = saved("marian")
    name = "model.encoder.embed_positions.weight"
    table = model.model.encoder.embed_positions.weight.detach().clone()
    edit(folder, lambda t: t.update({name: table.clone()}))
    same_logits("marian", folder, model)
    alternating = table.unflatten(1, (2, -1)).transpose(1, 2).flatten(1).contiguous()
    edit(folder, lambda t: t.update({name: alternating}))
    with pytest.raises(ValueError, match=f"in {name} what the formula gives"):
        load(folder)


def test_settings_of_older_checkpoints_are_known(saved):
    """Llama's base at the top level, and entries that were left out at their defaults."""
    model, folder = saved("llama", rope_parameters={"rope_type": "default", "rope_theta": 500.0})
    path = folder / "config.json"
    settings = json.loads(path.read_text())
    del settings["rope_parameters"], settings["head_dim"]
    path.write_text(json.dumps(settings | {"rope_theta": 500, "rope_scaling": None}))
    assert load(folder).config.rotary_base == 500
    same_logits("llama", folder, model)


@pytest.mark.parametrize(
    ("name", "settings", "told"),
    [
        ("gpt2", {"model_type": "mamba"}, "model_type in .* must be one of .*'gpt2'.*got 'mamba'"),
        ("gpt2", {"n_layer": None}, "config.json must say n_layer"),
        ("gpt2", {"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx in"),
        ("gpt2", {"activation_function": "mish"}, "activation_function in .* got 'mish'"),
        ("llama", {"attention_bias": True}, "attention_bias in config.json must be False"),
        ("llama", {"rope_parameters": {"rope_type": "llama3", "rope_theta": 1e4}}, "got 'llama3'"),
        (
            "llama",
            {"rope_parameters": None, "rope_scaling": {"type": "longrope"}},
            "got 'longrope'",
        ),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor .* must be 1.0, got 0.5"),
        ("llama-qwen3", {"attention_bias": True}, "attention_bias in config.json must be False"),
        ("llama-qwen3", {"use_sliding_window": True}, "use_sliding_window .* must be False"),
        ("llama-qwen3", {"layer_types": ["sliding_attention"] * 2}, "layer_types in config.json"),
        ("llama-stablelm", {"use_parallel_residual": True}, "use_parallel_residual .* False, got"),
        ("llama-stablelm", {"qk_layernorm": True}, "qk_layernorm in config.json must be False"),
        ("llama-stablelm", {"use_qkv_bias": True}, "use_qkv_bias in config.json must be False"),
        ("llama-stablelm", {"rope_parameters": {"partial_rotary_factor": 0.3}}, "got 1"),
        *(
            ("gpt2", {"model_type": kind}, f"model_type in .* must be one of .* got '{kind}'")
            for kind in ("gpt_neox", "gptj", "phi", "cohere", "dinov2")  # parallel, scaled layers
        ),
        ("bert-words", {"is_decoder": True}, "is_decoder in config.json must be False, got True"),
        ("bert-words", {"position_embedding_type": "relative_key"}, "must be 'absolute'"),
        ("marian", {"decoder_attention_heads": 2}, "decoder_attention_heads .* must be 4, got 2"),
        ("marian", {"tie_word_embeddings": False}, "tie_word_embeddings .* must be True if"),
        ("vit", {"qkv_bias": False}, "qkv_bias in config.json must be True"),
        ("vit", {"image_size": [8, 12]}, "image_size in config.json must be square"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor in .* must be 1.0"),
        (
            "llama",
            {
                "rope_parameters": {
                    "rope_type": "linear",
                    "factor": 2.0,
                    "partial_rotary_factor": 0.5,
                }
            },
            "partial_rotary_factor in config.json must be 1.0, got 0.5",
        ),
        (
            "bert-words",
            {"quantization_config": {"quant_method": "bitsandbytes"}},
            "quantization_config in config.json must be absent, got {'quant_method'",
        ),
    ],
)
def test_what_no_model_here_computes_is_refused(name, settings, told, saved):
    _, folder = saved(name)
    set_in(folder, **settings)
    with pytest.raises(ValueError, match=told):
        load(folder)


class Noted(dict):
    """Entries that note which of them are read."""

    def __init__(self, entries):
        super().__init__(entries)
        self.read = set()

    def get(self, name, default=None):
        self.read.add(name)
        return super().get(name, default)


ROPE = {
    "rope_type": "yarn", "rope_theta": 1e4, "factor": 2.0, "original_max_position_embeddings": 6,
    "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True, "partial_rotary_factor": 1.0,
    "attention_factor": 0.1 * math.log(2) + 1,
}  # fmt: skip


def refused_types(folder, entries, within=lambda changed: changed):
    """Write each entry with values of other types; each error names entry, value and types."""
    settings = json.loads((folder / "config.json").read_text())
    for name, right in entries.items():
        wrong = ["48", [1, 2]] + ([48.5, True, {"a": 1}, math.nan] if right is not None else [])
        for value in wrong:
            if type(value) is type(right) and value == value:  # of its type, and not nan
                continue
            (folder / "config.json").write_text(json.dumps(settings | within({name: value})))
            with pytest.raises(ValueError, match=rf"^{name} in .* must be ") as error:
                load(folder)
            assert f"got {value!r}" in str(error.value)


@pytest.mark.parametrize("name", ["gpt2", "llama", "bert-words", "marian", "vit"])
def test_every_entry_that_is_read_is_refused_if_it_has_another_type(name, saved, monkeypatch):
    folder = saved(name)[1]
    entries = Noted(json.loads((folder / "config.json").read_text()))
    with monkeypatch.context() as patch:
        patch.setattr("tfcourse.pretrained.folders.read_settings", lambda folder: entries)
        load(folder)
    assert {"model_type", "quantization_config"} < entries.read
    refused_types(folder, {entry: entries.get(entry) for entry in sorted(entries.read)})


def test_entries_of_rotary_positions_are_refused_if_they_have_another_type(saved):
    folder = saved("llama", rope_parameters=ROPE)[1]
    set_in(folder, rope_parameters=ROPE)
    load(folder)
    refused_types(folder, ROPE, lambda changed: {"rope_parameters": ROPE | changed})


@pytest.mark.parametrize("wrong", ["48", 48.0, True, [48], 0, -48])
def test_a_size_that_is_no_whole_number_is_refused(wrong, saved):
    _, folder = saved("bert-words")
    set_in(folder, hidden_size=wrong)
    told = f"hidden_size in config.json must be a whole number, at least 1, got {wrong!r}"
    with pytest.raises(ValueError, match=re.escape(told)):
        load(folder)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.bool, torch.complex64,
                                   torch.float8_e4m3fn])  # fmt: skip
def test_weights_that_are_no_floating_point_numbers_are_refused(dtype, saved):
    model, folder = saved("gpt2")
    tensor = "transformer.h.0.ln_1.weight"
    edit(folder, lambda t: t.update({tensor: t[tensor].to(dtype)}))
    with pytest.raises(ValueError, match=f"{tensor} in .* must be one of .*float64.*, got {dtype}"):
        load(folder)
    with pytest.raises(ValueError, match=f"dtype must be one of .*float64.*, got {dtype}"):
        load(folder, dtype=dtype)


def test_a_vision_transformer_without_a_head_is_refused(saved):
    _, folder = saved("vit")
    edit(folder, lambda t: [t.pop(f"classifier.{kind}") for kind in ("weight", "bias")])
    with pytest.raises(ValueError, match="the checkpoint must hold a head, classifier.weight"):
        load(folder)


@pytest.mark.parametrize("pooler", [True, False])
@torch.no_grad()
def test_a_bert_without_a_head_is_an_encoder(pooler, saved, tmp_path):
    _, folder = saved("bert-both")
    whole = transformers.BertModel.from_pretrained(folder, add_pooling_layer=pooler).eval()
    whole.save_pretrained(tmp_path / "alone")
    ours, (theirs, inputs) = load(tmp_path / "alone"), batch("bert-both")
    x, _ = ours.encode(**inputs)
    expected = whole(**theirs)
    torch.testing.assert_close(
        real("bert", x), real("bert", expected.last_hidden_state), rtol=0, atol=1e-5
    )
    assert ours.config.predicts == () and ours.config.pooler == pooler
    if pooler:
        torch.testing.assert_close(ours.pool(x), expected.pooler_output, rtol=0, atol=1e-5)
    save(ours, tmp_path / "back")
    before, after = (load_file(tmp_path / name / WEIGHTS) for name in ("alone", "back"))
    assert before.keys() == after.keys()
    assert all(torch.equal(before[name], after[name]) for name in before)
    again = transformers.BertModel.from_pretrained(tmp_path / "back", add_pooling_layer=pooler)
    assert torch.equal(again(**theirs).last_hidden_state, expected.last_hidden_state)


def test_a_compiled_model_is_saved_as_the_model_itself(saved, tmp_path):
    ours = load(saved("gpt2")[1])
    save(ours, tmp_path / "a")
    ours.blocks[0] = torch.compile(ours.blocks[0])
    save(torch.compile(ours), tmp_path / "b")
    for name in (WEIGHTS, "config.json"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


@pytest.mark.parametrize(
    ("name", "extra"),
    [
        ("gpt2-untied", "lm_head.bias"),
        ("llama", "lm_head.bias"),
        ("llama", "model.layers.0.self_attn.q_norm.weight"),
        ("vit", "vit.encoder.layer.0.layer_scale1.lambda1"),
    ],
)
def test_a_part_that_no_model_here_has_is_named(name, extra, saved):
    """A bias of the head, norms in a family that has none, layer scale: never left out silently."""
    _, folder = saved(name)
    edit(folder, lambda t: t.update({extra: torch.ones(4)}))
    with pytest.raises(ValueError, match=rf"not known: {extra} \(4,\)"):
        load(folder)


@pytest.mark.parametrize(("d_k", "rotary_dim"), [(8, 2), (8, 8), (10, 6), (98, 2), (22, 6)])
def test_a_fraction_of_the_coordinates_comes_back_as_the_number_it_was(d_k, rotary_dim, tmp_path):
    """In transformers the number is ``int(head_dim * partial_rotary_factor)``."""
    choices = {"positions": "rotary_halves", "ffn": "swiglu", "bias": False, "num_heads": 1}
    model = GPT(GPTConfig(23, 12, num_layers=1, d_model=d_k, rotary_dim=rotary_dim, **choices))
    save(model, tmp_path)
    settings = json.loads((tmp_path / "config.json").read_text())
    assert int(d_k * settings["rope_parameters"]["partial_rotary_factor"]) == rotary_dim
    assert load(tmp_path).config.rotary_dim == rotary_dim


def test_folders_that_hold_nothing_to_read_are_refused(saved, tmp_path):
    with pytest.raises(ValueError, match="folder must be a folder with config.json"):
        load(tmp_path / "nowhere")
    _, folder = saved("gpt2")
    (folder / WEIGHTS).write_bytes((folder / WEIGHTS).read_bytes()[:100])
    with pytest.raises(ValueError, match="must be a whole safetensors file"):
        load(folder)
    (folder / WEIGHTS).unlink()
    with pytest.raises(ValueError, match="it holds neither"):
        load(folder)
    (folder / "config.json").write_text("[]")
    with pytest.raises(ValueError, match="must hold a JSON object, got a list"):
        load(folder)
    (folder / "config.json").write_text("{")
    with pytest.raises(ValueError, match="must be JSON"):
        load(folder)
    (folder / "config.json").unlink()
    with pytest.raises(ValueError, match="must hold config.json"):
        load(folder)


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (lambda: GPT(GPTConfig(5, 4, 1, 2, 8, positions="alibi")), "positions must be 'learned'"),
        (lambda: GPT(GPTConfig(5, 4, 1, 2, 8, num_kv_heads=1)), "num_kv_heads must be num_heads"),
        (lambda: GPT(GPTConfig.llama(5, num_heads=2, d_model=8, num_layers=1, norm="layer",
                                     scale_embeddings=True)),
         "as llama: norm must be 'rms', scale_embeddings must be False"),
        (lambda: GPT(GPTConfig.llama(5, num_heads=2, d_model=8, num_layers=1, qk_norm=True,
                                     norm="layer")),
         "as llama: norm must be 'rms', qk_norm must be False; as qwen3: norm must be 'rms'; as "
         "stablelm: qk_norm must be False"),
        (lambda: GPT(GPTConfig.llama(5, num_heads=2, d_model=8, num_layers=1, rotary_dim=2)),
         "as llama: rotary_dim must be None"),
        (lambda: GPT(GPTConfig.llama(5, num_heads=2, d_model=8, num_layers=1, norm="layer",
                                     d_k=6)),
         "as stablelm: d_k must be d_model / num_heads"),
        (lambda: BERT(BERTConfig(5, 4, 1, 2, 8, causal=True)), "causal must be False"),
        (lambda: BERT(BERTConfig(5, 4, 1, 2, 8, pooled="mean")), 'pooled must be "cls"'),
        (lambda: BERT(BERTConfig(5, 4, 1, 2, 8, predicts=("words", "classes"))), "predicts must"),
        (lambda: Transformer(TransformerConfig(5, d_model=8, num_heads=2)), "positions must be"),
        (lambda: torch.nn.Linear(2, 2), "model must be one of .*got Linear"),
    ],
)  # fmt: skip
def test_what_transformers_does_not_compute_is_not_saved(model, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        save(model(), tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_scaled_rotary_positions_are_saved_as_the_base_they_amount_to(tmp_path):
    torch.manual_seed(0)
    model = GPT(
        GPTConfig.llama(23, context_length=12, num_heads=2, d_model=16, num_layers=1, ntk=4.0)
    )
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.5)  # large enough for other angles to show
    save(model, tmp_path)
    back = load(tmp_path)
    tokens = batch("llama")[1]["tokens"]
    assert back.config.rotary_base > 10_000
    assert_same(back(tokens).logits, model(tokens).logits, model)


def test_precision_can_be_chosen(saved):
    model, folder = saved("bert-words", torch.bfloat16)
    assert load(folder).embedding.weight.dtype == torch.bfloat16
    wide = load(folder, dtype=torch.float64)
    assert wide.embedding.weight.dtype == torch.float64
    stored = model.bert.embeddings.word_embeddings.weight
    assert torch.equal(wide.embedding.weight, stored.double())


def test_saving_over_a_checkpoint_replaces_it(saved):
    model, folder = saved("vit")
    ours = load(folder)
    with torch.no_grad():
        ours.b.add_(1)
    save(ours, folder)
    assert torch.equal(load(folder).b, make("vit").classifier.bias + 1)
    assert not list(folder.glob("*.new"))
