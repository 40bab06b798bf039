"""Every tensor of a decoder and of an encoder, with parts of them switched off."""

import copy

import pytest
import torch
from figure_pages import NEAR, Keys, browser, typed
from live_site import computed

from coursebook.live.catalogue import FIGURES


def without_ffn(block) -> None:
    """Let a block's feed-forward net add nothing."""
    block.ffn.W_2[:] = block.ffn.b_2[:] = 0


def opened(model, ids: torch.Tensor, causal: bool, places: bool, gone: str) -> dict:
    """What a GPT computes on the way, by the package's modules, in double precision."""
    model = copy.deepcopy(model).double()
    if gone.endswith(".ffn"):
        with torch.no_grad():
            without_ffn(model.blocks[int(gone[0])])
    elif gone:
        layer, head = map(int, gone.split("."))
        across = model.config.d_model // model.config.num_heads
        with torch.no_grad():
            model.blocks[layer].attention.W_O[head * across : (head + 1) * across] = 0
    with torch.no_grad():
        found = {"embedded": model.embedding(ids), "blocks": []}
        x = found["start"] = (
            model.positions.embed(found["embedded"]) if places else found["embedded"]
        )
        for block in model.blocks:
            before = block.attention_norm(x)
            added, weights = block.attention(before, causal=causal)
            between = x + added
            again = block.ffn_norm(between)
            made = block.ffn(again)
            x = between + made
            found["blocks"].append(
                {"before": before, "added": added, "between": between, "again": again, "made": made,
                 "after": x, "maps": weights[0]}
            )  # fmt: skip
        found["logits"] = (model.norm(x) @ model.embedding.weight.T)[0, -1]
    return found


@browser
@pytest.mark.parametrize(
    ("causal", "places", "gone"),
    [
        (True, True, ""),
        (False, True, ""),
        (True, False, ""),
        (True, True, "1.2"),
        (True, True, "0.ffn"),
    ],
)
def test_what_a_gpt_computes_is_the_packages(loaded, small_gpt, causal, places, gone) -> None:
    model, tokenizer = small_gpt
    ids = torch.tensor([tokenizer.encode("My lord, I would not")])
    ours = opened(model, ids, causal, places, gone)
    theirs = computed(
        loaded,
        """([ids, causal, places, gone]) => {
            const model = Live.gpt(Live.data.merges);
            return model.read(ids, { causal, places, gone: new Set(gone ? [gone] : []) });
        }""",
        [ids[0].tolist(), causal, places, gone],
    )
    for name in ("embedded", "start"):
        assert (torch.tensor(theirs[name]).double() - ours[name][0]).abs().max() < NEAR
    for block, one in zip(theirs["blocks"], ours["blocks"], strict=True):
        maps = torch.tensor([head["weights"] for head in block["each"]]).double()
        assert (maps - one.pop("maps")).abs().max() < NEAR
        for name, tensor in one.items():
            assert (torch.tensor(block[name]).double() - tensor[0]).abs().max() < NEAR, name
    assert theirs["logits"] == pytest.approx(ours["logits"].tolist(), abs=1e-3)


def opened_encoder(model, ids: torch.Tensor, causal: bool, places: bool, gone: str, place: int):
    """What the encoder computes on the way, by the package's modules, in double precision."""
    model = copy.deepcopy(model).double()
    (block,), config = model.blocks, model.config
    with torch.no_grad():
        if gone == "0.ffn":
            without_ffn(block)
        elif gone:
            head, across = int(gone.split(".")[1]), config.d_model // config.num_heads
            block.attention.W_O[head * across : (head + 1) * across] = 0
        if not places:
            model.positions.P.zero_()
        embedded = model.embedding(ids)
        x = model.positions.embed(embedded) + model.segments(torch.zeros_like(ids))
        x = model.embedding_norm(x)
        added, weights = block.attention(x, causal=causal)
        between = block.attention_norm(x + added)
        made = block.ffn(between)
        after = block.ffn_norm(between + made)
        logits = model.words(after[:, place], model.embedding.weight)[0]
    return {"embedded": embedded, "x": x, "added": added, "between": between, "made": made,
            "after": after, "maps": weights[0], "logits": logits}  # fmt: skip


@browser
@pytest.mark.parametrize(
    ("causal", "places", "gone"),
    [
        (False, True, ""),
        (True, True, ""),
        (False, False, ""),
        (False, True, "0.2"),
        (False, True, "0.ffn"),
    ],
)
def test_what_an_encoder_computes_is_the_packages(loaded, gaps, causal, places, gone) -> None:
    encoder, known = gaps
    words_ = ["she", "<mask>", "a", "long", "low", "note"]
    ids = torch.tensor([[known.index(word) for word in words_]])
    ours = opened_encoder(encoder, ids, causal, places, gone, 1)
    theirs = computed(
        loaded,
        """([words, causal, places, gone]) => {
            const model = Live.reader(Live.data.gaps);
            const read = model.read(words, { causal, places, gone: new Set(gone ? [gone] : []) });
            return { ...read, logits: model.logits(read.states[1]) };
        }""",
        [words_, causal, places, gone],
    )
    (block,) = theirs["blocks"]
    maps = torch.tensor([one["weights"] for one in block["each"]]).double()
    assert (maps - ours["maps"]).abs().max() < NEAR
    for name in ("embedded", "x"):
        assert (torch.tensor(theirs[name]).double() - ours[name][0]).abs().max() < NEAR, name
    for name in ("added", "between", "made", "after"):
        assert (torch.tensor(block[name]).double() - ours[name][0]).abs().max() < NEAR, name
    assert (torch.tensor(theirs["logits"]).double() - ours["logits"]).abs().max() < 1e-3


@browser
def test_inside(shown, small_gpt, gaps) -> None:
    (model, tokenizer), (encoder_, known) = small_gpt, gaps
    keys, data = Keys(shown, "inside"), FIGURES["inside"].data
    words_ = data["text"].split()
    ids = tokenizer.encode(data["text"])
    read = [known.index(w if t != data["gap"] else "<mask>") for t, w in enumerate(words_)]
    keys.reach("Step")
    keys.press("Home")
    for number, (family, cut, row) in enumerate(
        (("Decoder", "tokens", ids), ("Encoder", "words", read))
    ):
        assert keys.drawn(number) == (
            f"{family}. Ids: the text, cut into {cut}. Shape T = {len(row)}."
        )
        assert [text for text in keys.texts(number) if text.isdigit()] == [str(i) for i in row]
    keys.press("End")

    def agrees(decoder: tuple, encoder: tuple) -> None:
        """What is said is what the package says, with these parts on and with all of them."""
        place = data["gap"]
        answers = []
        for options, usual in ((decoder, (True, True, "")), (encoder, (False, True, ""))):
            for one in (options, usual):
                logits = (
                    opened(model, torch.tensor([ids]), *one)["logits"]
                    if usual[0]
                    else opened_encoder(encoder_, torch.tensor([read]), *one, place)["logits"]
                )
                answers.append((logits.softmax(-1).max().item(), one == usual))
        said = keys.said.partition(" The encoder's")
        for half, now, usual in ((said[0], *answers[:2]), (said[2], *answers[2:])):
            assert f"with probability {now[0]:.2f}" in half
            assert ("with everything on" in half) != now[1]
            assert now[1] or f", {usual[0]:.2f})" in half

    agrees((True, True, ""), (False, True, ""))
    keys.reach("Encoder: causal mask")
    keys.press(" ")
    agrees((True, True, ""), (True, True, ""))
    keys = Keys(shown, "inside")
    keys.reach("Decoder: causal mask")
    keys.press(" ")
    agrees((False, True, ""), (True, True, ""))
    keys.press(" ")
    keys.reach("Encoder: causal mask")
    keys.press(" ")
    keys.reach("Positions")
    keys.press(" ")
    agrees((True, False, ""), (False, False, ""))
    keys.press(" ")
    keys.reach("Switch off")
    keys.press("End")
    off = f"{model.config.num_layers - 1}.{model.config.num_heads - 1}"
    agrees((True, True, off), (False, True, ""))
    keys.press("Home", "ArrowDown")
    agrees((True, True, "0.0"), (False, True, "0.0"))
    keys.reach("Hidden word")
    keys.press("End")
    assert f"The word that is hidden: “{words_[-1]}”." in keys.said
    typed(Keys(shown, "inside"), "x" * 60, "Text")
    note = keys.figure.locator(".live-note").inner_text()
    assert f"Only the first {data['most']} tokens are read." in note
    read = len(known) - 3  # without padding, unknown and mask
    assert f"The encoder knows {read} words." in note
