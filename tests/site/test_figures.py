"""The live figures: driven by the keyboard from the disk, and equal to the package's numbers."""

from __future__ import annotations

import copy
import json
import math
import re
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from live_site import begin, build_figures, offline, open_all, own_page, stored_model, with_figures
from test_pages import AXE, OVERFLOW, RULES, set_theme
from tiny_site import build
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from coursebook.course import Lesson, figure_numbers, figure_pictures
from coursebook.live import maker, packed
from coursebook.live.__main__ import draw
from coursebook.live.catalogue import FIGURES
from tfcourse.alignment import AttentionPooling
from tfcourse.attention import MultiHeadAttention, scaled_dot_product_attention, split_heads
from tfcourse.data import load as load_corpus
from tfcourse.data.arrows import distance, ink
from tfcourse.data.arrows import scene as drawn_numbers
from tfcourse.data.draw import Draw
from tfcourse.data.number_pieces import gold_alignment, number_pieces
from tfcourse.generation import keep_top_k, keep_top_p
from tfcourse.kernels.flash import flash_attention
from tfcourse.layers import Block, FeedForward, LayerNorm
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.models.vit import patchify
from tfcourse.positions import RotaryPositions, SinusoidalPositions
from tfcourse.tokenizers import BPETokenizer
from tfcourse.tokenizers.bpe import BYTES

pytestmark = pytest.mark.case_of("live figure")

#: As near as a figure's numbers must be to the package's.
NEAR = 1e-4
SENTENCE = "the singer played a sad note on the violin"
NUMBER = re.compile(r"[-−]?\d*\.?\d+")


# ---- the directive -----------------------------------------------------------------------------

ALONE = ("coursebook.sphinx.figures",)


def test_what_a_figure_becomes(tmp_path: Path, course: Path) -> None:
    with_figures(tmp_path, course)
    html, warnings = build(tmp_path, "```{live} heads\n```", ALONE)
    assert not warnings
    needs = re.search(r'id="figure-heads" data-figure="heads" data-needs="([^"]+)"', html)
    address = r"_static/live/data-{}\.js\?v=[0-9a-f]{{8}}"
    wanted = " ".join(address.format(name) for name in ("reader", "encoder"))
    assert needs and re.fullmatch(wanted, needs[1])
    assert html.count('<img class="live-picture" src="_static/live/heads.') == 4
    scripts = re.findall(r'src="_static/live/([\w-]+)\.js', html)
    assert scripts == ["kit", "layers", "reader-model", "encoder-model", "heads"]


@pytest.mark.browser
def test_a_model_is_loaded_when_the_reader_starts_it(chromium, tmp_path, course: Path) -> None:
    with_figures(tmp_path, course)
    far = "\n\n".join(["A line."] * 300)
    text = (
        f"```{{live}} heads\n```\n\n```{{live}} causal-mask\n```\n\n{far}\n\n```{{live}} film\n```"
    )
    build(tmp_path, text, ALONE)
    with offline(chromium) as page:
        page.goto((tmp_path / "out" / "index.html").as_uri())
        heads = page.locator("#figure-heads")
        button = heads.get_by_role("button", name="Start the model")
        button.wait_for()
        texts = [figure_numbers(course, n).read_text("utf-8") for n in FIGURES["heads"].stored]
        weight = sum(len(packed(text).encode()) for text in texts)
        assert page.locator(".live-start span").first.inner_text() == f"{round(weight / 1000)} KB"
        assert heads.locator("img").count() == 4
        assert not [url for url in page.asked if "data-" in url], "the page weighs no more before"
        page.locator("#figure-film").scroll_into_view_if_needed()
        page.locator("#figure-film.is-live").wait_for()  # a few numbers come by themselves
        assert [url for url in page.asked if "data-" in url] == [
            url for url in page.asked if "data-film" in url
        ]
        button.focus()
        page.keyboard.press("Enter")
        page.locator("#figure-heads.is-live").wait_for()
        page.locator("#figure-causal-mask.is-live").wait_for()  # its model is there now
        assert len([url for url in page.asked if "data-reader" in url]) == 1
        assert heads.get_by_label("Sentence").evaluate("one => one === document.activeElement")
        assert not page.faults


def test_a_page_without_a_figure_loads_none_of_it(tmp_path: Path, course: Path) -> None:
    with_figures(tmp_path, course)
    html, _ = build(tmp_path, "Nothing here moves.", ALONE)
    assert "_static/live" not in html


@pytest.mark.parametrize(
    "text, said",
    [
        ("```{live} heats\n```", "there is no live figure 'heats'; there are "),
        ("```{live} arrows\n```\n\n```{live} arrows\n```", "'arrows' is on this page twice"),
    ],
)
def test_what_is_written_wrongly_fails_the_build(tmp_path, course, text: str, said: str) -> None:
    with_figures(tmp_path, course)
    _, warnings = build(tmp_path, text, ALONE)
    assert said in warnings


# ---- in the browser ----------------------------------------------------------------------------

browser = pytest.mark.browser


@pytest.fixture(scope="module")
def page_file(tmp_path_factory: pytest.TempPathFactory, course: Path) -> Path:
    return build_figures(tmp_path_factory.mktemp("figures"), course)


@pytest.fixture(scope="module")
def themed(tmp_path_factory: pytest.TempPathFactory, course: Path) -> Path:
    """The same in the site's theme, which takes longer to load."""
    return build_figures(tmp_path_factory.mktemp("themed"), course, theme="sphinx_book_theme")


@pytest.fixture(scope="module")
def alone(chromium):
    """One page for the tests of single figures, each of which loads its own into it."""
    with offline(chromium) as page:
        yield page


@pytest.fixture
def shown(alone, page_file: Path):
    """A page on which a figure appears, alone, when it is used; nothing may go wrong."""
    alone.goto("about:blank")
    alone.faults, alone.asked, alone.folder = [], [], page_file.parent
    yield alone
    assert not alone.faults
    assert alone.asked and all(url.startswith(("file:", "data:")) for url in alone.asked)


@pytest.fixture(scope="module")
def loaded(chromium, page_file: Path):
    """The page with all models loaded, for tests that only compute with the scripts."""
    with offline(chromium) as page:
        open_all(page, page_file)
        yield page
        assert not page.faults


class Keys:
    """One figure, reached and driven by the keyboard alone."""

    def __init__(self, page, name: str) -> None:
        self.page, self.figure = page, page.locator(f"#figure-{name}")
        if not self.figure.count():
            page.goto(own_page(page.folder, name).as_uri())
        begin(self.figure)
        # As a link does: the Tab key goes on from here.
        page.evaluate("name => { location.hash = ''; location.hash = `figure-${name}`; }", name)

    def reach(self, label: str, role: str | None = None) -> None:
        """Press Tab until the focus is on what has this label."""
        found = (
            self.figure.get_by_role(role, name=label)
            if role
            else (self.figure.get_by_label(label, exact=True))
        )
        for _ in range(30):
            if found.evaluate("one => one === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"the Tab key does not lead to {label!r}")

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def said(self) -> str:
        return self.figure.locator(".live-status").inner_text()

    def drawn(self, number: int = 0) -> str:
        """What the picture says to those who cannot see it, in which its numbers are."""
        return self.figure.locator("svg.live-picture").nth(number).get_attribute("aria-label")

    def texts(self, number: int = 0) -> list[str]:
        """The words and numbers in a picture."""
        return (
            self.figure.locator("svg.live-picture").nth(number).locator("text").all_text_contents()
        )


def numbers(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in NUMBER.findall(text)]


def attention(q, k, v=None, **options) -> tuple[torch.Tensor, torch.Tensor]:
    """The package's attention on plain lists, in double precision."""
    q, k, v = (torch.tensor(x, dtype=torch.float64) for x in (q, k, k if v is None else v))
    return scaled_dot_product_attention(q, k, v, **options)


@browser
def test_the_scripts_attention_is_the_packages(loaded, generator) -> None:
    q, k, v = (torch.randn(7, n, generator=generator, dtype=torch.float64) for n in (5, 5, 3))
    for causal in (False, True):
        found = loaded.evaluate(
            "([q, k, v, causal]) => Live.attention(q, k, v, { causal })",
            [q.tolist(), k.tolist(), v.tolist(), causal],
        )
        output, weights = scaled_dot_product_attention(q, k, v, causal=causal)
        assert (torch.tensor(found["weights"], dtype=torch.float64) - weights).abs().max() < 1e-12
        assert (torch.tensor(found["output"], dtype=torch.float64) - output).abs().max() < 1e-12


@browser
@pytest.mark.parametrize(
    "value, digits, text", [(-0.0001, 3, "0.000"), (-1.5, 3, "−1.500"), (2, 0, "2")]
)
def test_numbers_have_a_true_minus_and_no_minus_zero(loaded, value, digits, text) -> None:
    assert loaded.evaluate("([x, n]) => Live.number(x, n)", [value, digits]) == text


@browser
def test_a_sign_is_a_colour_and_a_mark(loaded) -> None:
    """Numbers of one size differ in colour, and the one below zero has a minus; zero is empty."""
    above, below, zero = loaded.evaluate(
        """() => [0.5, -0.5, 0].map(share => {
            const drawn = Live.square(0, 0, 10, 10, "q", share).filter(part => part);
            const picture = Live.svg("svg", { class: "live-picture" }, drawn);
            document.body.append(picture);
            const style = getComputedStyle(drawn[0]);
            const marks = drawn.slice(1).map(part => part.getAttribute("class"));
            const found = [style.fill, style.fillOpacity, marks];
            picture.remove();
            return found;
        })"""
    )
    assert above[0] == "rgb(0, 114, 178)" and below[0] == "rgb(230, 184, 0)"
    assert above[1:] == ["0.5", []] and below[1:] == ["0.5", ["minus"]]
    assert zero[1:] == ["0", []]


@browser
def test_temperature(shown) -> None:
    keys, data = Keys(shown, "temperature"), FIGURES["temperature"].data
    values = [[value] for value in data["values"]]
    keys.reach("Temperature")
    for press, temperature in [("Home", 10**-1.5), ("End", 100), ("PageDown", None)]:
        keys.press(press)
        slider = keys.figure.get_by_label("Temperature", exact=True)
        temperature = temperature or 10 ** float(slider.input_value())
        for query in data["queries"]:
            if query != "quince":
                continue
            (output, weights) = attention(
                [data["queries"][query]], list(data["keys"].values()), values, scale=1 / temperature
            )
            assert numbers(keys.drawn(0).partition(": ")[2]) == pytest.approx(
                weights[0].tolist(), abs=0.005 + NEAR
            )
            assert f"the answer is {output.item():.2f}" in keys.said
    keys.press("Home")
    assert "almost a hard look-up: the value of lemon" in keys.said
    keys.press("End")
    assert "almost the plain average" in keys.said
    keys.reach("Query")
    keys.press("End")
    assert keys.figure.get_by_label("Query", exact=True).input_value() == "screwdriver"
    assert keys.drawn(0).startswith("Weights of the five keys for the query screwdriver")


@browser
def test_arrows(shown) -> None:
    keys, data = Keys(shown, "arrows"), FIGURES["arrows"].data
    q, k = list(data["q"]), [list(key) for key in data["keys"]]
    for label, vector in (("Tip of q", q), ("Tip of k3", k[2])):
        keys.reach(label, "slider")
        keys.press("ArrowRight", "ArrowUp", "Shift+ArrowUp", "ArrowLeft", "ArrowLeft")
        vector[:] = [vector[0] - 0.1, vector[1] + 0.6]
        handle = keys.figure.get_by_role("slider", name=label)
        said = handle.get_attribute("aria-valuetext")
        assert numbers(said) == pytest.approx([round(x, 1) for x in vector])
        _, weights = attention([q], k)
        raw = [sum(a * b for a, b in zip(q, key, strict=True)) for key in k]
        expected = [(i + 1, raw[i], raw[i] / 2**0.5, weights[0, i].item()) for i in range(3)]
        shown_numbers = numbers(keys.drawn(1).partition("its weight: ")[2])
        assert shown_numbers == pytest.approx(sum(expected, ()), abs=0.005 + NEAR)
        outline = keys.figure.locator(".handle:focus-visible .grip").evaluate(
            "one => getComputedStyle(one).strokeWidth"
        )
        assert outline == "2.5px", "what has the focus must be seen"
    keys.press(*["Shift+ArrowRight"] * 12)
    assert "3.2 across" in handle.get_attribute("aria-valuetext"), "it stays in the picture"


@pytest.fixture(scope="module")
def reader(course: Path):
    """The figures' model in the package's own classes: its heads and states for some words."""
    module, stored = maker("reader"), stored_model(course, "reader")
    model, sense = module.load(stored)
    ids = {word: i for i, word in enumerate(stored["words"])}

    @torch.no_grad()
    def read(words: list[str], causal: bool = False) -> dict:
        tokens = torch.tensor([[ids.get(word, module.UNKNOWN) for word in words]])
        x = model.positions.embed(model.embedding(tokens)) + model.segments.weight[0]
        x = model.embedding_norm(x)
        layer = model.blocks[0].attention
        q, k, v = (
            split_heads(x @ W + b, layer.num_heads)
            for W, b in zip(
                (layer.W_Q, layer.W_K, layer.W_V), layer.b_QKV.split(layer.widths), strict=True
            )
        )
        outputs, weights = scaled_dot_product_attention(q, k, v, causal=causal)
        states, (maps,) = model.encode(tokens, return_weights=True)
        if not causal:
            torch.testing.assert_close(weights, maps)
        shares = sense(states[0, words.index("note")]).softmax(-1) if "note" in words else None
        return {"q": q[0], "weights": weights[0], "output": outputs[0], "states": states[0],
                "sense": shares}  # fmt: skip

    return read


@browser
@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("text", [SENTENCE, "the guitar strings hummed one last melancholic note"])
def test_the_scripts_reader_is_the_packages(loaded, reader, text: str, causal: bool) -> None:
    words = text.split()
    found = loaded.evaluate(
        """([words, causal]) => {
            const model = Live.reader(Live.data.reader), run = model.read(words, { causal });
            return { ...run, sense: model.sense(words, run.states).shares };
        }""",
        [words, causal],
    )
    expected = reader(words, causal)
    for h, head in enumerate(found["each"]):
        for name in ("q", "weights", "output"):
            difference = torch.tensor(head[name]) - expected[name][h]
            assert difference.abs().max() < NEAR, f"{name} of head {h}"
    if not causal:  # the encoder itself has no causal mask
        assert (torch.tensor(found["states"]) - expected["states"]).abs().max() < NEAR
        assert found["sense"] == pytest.approx(expected["sense"].tolist(), abs=NEAR)


def typed(keys: Keys, text: str, label: str = "Sentence") -> None:
    keys.reach(label)
    keys.press("Control+a")
    keys.page.keyboard.type(text)


@browser
def test_attention_is_walked_through_step_by_step(shown, reader) -> None:
    keys, head = Keys(shown, "attention-steps"), FIGURES["attention-steps"].data["head"]
    typed(keys, SENTENCE)
    words = SENTENCE.split()
    expected = reader(words)["weights"][head]
    keys.reach("Query word")
    for n, word in enumerate(words, 1):
        keys.press("Home", *["ArrowRight"] * (n - 1))
        assert keys.drawn().startswith(f"The query is {word}.")
        weights = numbers(keys.drawn().partition("Weights: ")[2])
        assert weights == pytest.approx(expected[n - 1].tolist(), abs=0.005 + NEAR)
    keys.press("Home")
    keys.reach("Step")
    keys.press("Home")
    assert "values" not in keys.texts()
    keys.reach("Next", "button")
    for step in (2, 3, 4):
        keys.press("Enter")
        assert keys.said.startswith(f"Step {step} of 4")
    assert "values" in keys.texts() and "weighted sum: the output" in keys.texts()
    keys.press("Enter")
    assert keys.said.startswith("Step 1 of 4") and "singer (word 2)" in keys.said
    keys.page.keyboard.press("Shift+Tab")
    keys.press("Enter", "Enter")
    assert keys.said.startswith("Step 3 of 4") and "the (word 1)" in keys.said


@browser
def test_unknown_words_are_named_and_nothing_breaks(shown, course: Path) -> None:
    known, small = (
        len(stored_model(course, "reader")["words"]) - 3,
        "Read by our small model, in this page.",
    )
    for name, most, who in (("attention-steps", 10, ""), ("heads", 12, small)):
        keys = Keys(shown, name)
        note = keys.figure.locator(".live-note")
        typed(keys, "The zebra’s NOTE, <b>")
        said = f"{who} The model knows {known} words. It does not know zebra and b, and reads each "
        assert note.inner_text() == f"{said}of them as an unknown word.".strip()
        assert "zebra" in keys.texts() and "note" in keys.texts()
        before = keys.drawn()
        typed(keys, " ?! ")
        assert note.inner_text() == "Type at least one word."
        assert keys.drawn() == before, "the last sentence that could be read stays"
        typed(keys, "a note " * 20)
        assert note.inner_text() == f"{who} Only the first {most} words are read.".strip()
        typed(keys, "note")
        assert note.inner_text() == who and "1.00" in keys.drawn()


@browser
def test_the_causal_mask_shuts_the_leak(shown, reader) -> None:
    keys, data = Keys(shown, "causal-mask"), FIGURES["causal-mask"].data
    first, head = data["sentence"].split(), data["head"]
    keys.reach("Causal mask")
    for causal, press in ((True, None), (False, "Space")):
        if press:
            keys.press(press)
        for place, other in enumerate(data["others"]):
            keys.reach("Change the last word, note, to")
            keys.press("Home", *["ArrowDown"] * place)
            before, after = (
                reader([*first[:-1], last], causal)["output"][head] for last in (first[-1], other)
            )
            moved = (before - after).norm(dim=-1)
            found = numbers(keys.drawn(1).partition("each moved: ")[2])
            assert found == pytest.approx(moved.tolist(), abs=0.005 + NEAR)
            if causal:
                assert keys.said.startswith("No leak") and moved[:-1].max() == 0
            else:
                assert keys.said.startswith("The leak: 5 of 5 earlier outputs changed")
        if causal:
            keys.press("Shift+Tab")


@browser
def test_heads(shown, reader) -> None:
    keys = Keys(shown, "heads")
    typed(keys, SENTENCE)
    words = SENTENCE.split()
    expected = reader(words)
    for h in range(4):
        cells = [text for text in keys.texts(h)[1 + 2 * len(words) :] if NUMBER.fullmatch(text)]
        shown_weights = torch.tensor([float(x) for x in cells]).view(9, 9)
        assert (shown_weights - expected["weights"][h]).abs().max() < 0.005 + NEAR
    keys.reach("Query word")
    keys.press("Home", *["ArrowRight"] * words.index("note"))
    row = expected["weights"][:, words.index("note")]
    for h in range(4):
        best = int(row[h].argmax())
        assert f"{words[best]} in head {h + 1} ({row[h, best]:.2f})" in keys.said
    assert f"takes note for a tone (probability {expected['sense'][1]:.2f})" in keys.said
    keys = Keys(shown, "heads")
    typed(keys, "the singer played the violin")
    assert "takes note" not in keys.said


def stored_sentence(course: Path, sentence: str) -> dict:
    """What the record of the real encoder has of a sentence."""
    (found,) = (
        one
        for one in stored_model(course, "encoder")["sentences"]
        if " ".join(one["words"][1:-1]) == sentence
    )
    return found


@browser
def test_attends(shown, reader, course: Path) -> None:
    """The home page's figure: a real encoder's weights, and the small model's for other texts."""
    keys, data = Keys(shown, "attends"), FIGURES["attends"].data

    def expect(words: list[str], place: int, row: torch.Tensor, name: str) -> None:
        for picture in 0, 1:
            assert keys.drawn(picture).startswith(f"{name}. The weights of {words[place]}: ")
            weights = numbers(keys.drawn(picture).partition(": ")[2])
            assert weights == pytest.approx(row.tolist(), abs=0.005 + NEAR)
        best = f"{words[int(row.argmax())]} ({round(100 * row.max().item())} %)"
        assert f"attends most to {best}" in keys.said

    keys.press("Shift")
    for n, sentence in enumerate((data["sentence"], *data["others"])):
        if n:
            keys.reach(sentence, "button")
            keys.press("Enter")
        one = stored_sentence(course, sentence)
        keys.reach("Word")
        keys.press("Home", *["ArrowRight"] * one["asks"])
        layer, head = one["head"].split(".")
        row = torch.tensor(one["heads"][one["head"]][one["asks"]]) / 1000
        expect(one["words"], one["asks"], row, f"Layer {layer}, head {head}")
        assert "Read by all-MiniLM-L6-v2" in keys.figure.inner_text()
        assert "takes note" not in keys.said
    labels = stored_model(course, "reader")["senses"]["labels"]
    for text in "a note lay on the table", "the violinist played a high note on the cello":
        typed(keys, text, "Type a sentence")
        words, found = text.split(), reader(text.split())
        head = data["head"]
        expect(words, words.index("note"), found["weights"][head, words.index("note")],
               f"Head {head + 1}")  # fmt: skip
        sense = labels[int(found["sense"].argmax())]
        assert f"takes note for a {sense} (probability {found['sense'].max():.2f})" in keys.said
        assert not keys.figure.locator(".strange").count()
        assert "Read by our small model" in keys.figure.inner_text()
    typed(keys, "The zebra played a flute", "Type a sentence")
    assert keys.figure.locator(".strange").all_text_contents()[:1] == ["zebra"]
    assert "Type a sentence with the word note" in " ".join(keys.texts())


@browser
def test_heads_of_the_real_encoder(shown, course: Path) -> None:
    """The sentence that chapter 6 begins with, however it is typed, is read by the real encoder."""
    keys, sentence = Keys(shown, "heads"), FIGURES["heads"].data["sentence"]
    one = stored_sentence(course, sentence)
    for text in (sentence, sentence.upper().replace("'", "’") + "."):
        typed(keys, text)
        for n, (head, rows) in enumerate(one["heads"].items()):
            row = torch.tensor(rows[one["asks"]]) / 1000
            layer, number = head.split(".")
            best = one["words"][int(row.argmax())]
            assert keys.drawn(n).startswith(f"Layer {layer}, head {number}: the word it gives")
            assert keys.drawn(n).endswith(f"{row.max():.2f}, to {best}.")
        assert "does not know" not in keys.figure.inner_text()
    typed(keys, "the cat was scared")
    assert keys.drawn().startswith("Head 1: ")


@browser
def test_the_home_pages_figure_moves_once_and_stops(chromium, page_file: Path) -> None:
    """Less than five seconds, and not for those who want less motion or who begin to type."""
    word = "() => document.querySelector('svg .q.name').textContent"
    for motion, key in (("reduce", ""), ("no-preference", "Shift"), ("no-preference", "")):
        with offline(chromium, reduced_motion=motion) as page:
            page.clock.install(time=0)
            page.clock.pause_at(1000)  # or a busy machine would see only the end
            page.goto(own_page(page_file.parent, "attends").as_uri())
            page.locator("#figure-attends.is-live").wait_for()
            if key:
                page.get_by_label("Type a sentence").press(key)
            seen = [page.evaluate(word)]
            for _ in range(12):
                page.clock.run_for(400)
                seen.append(page.evaluate(word))
            walks = motion != "reduce" and not key
            assert (len(set(seen)) > 5) == walks, seen
            assert seen[-1] == "note"
            page.clock.run_for(5000)
            assert page.evaluate(word) == "note"


@browser
def test_two_places(shown) -> None:
    """One head asked for the sum of two directions, two heads for one each, by the package."""
    keys, data = Keys(shown, "two-places"), FIGURES["two-places"].data
    words = data["sentence"].split()
    first, second = data["wanted"]
    slider = lambda label: float(keys.figure.get_by_label(label, exact=True).input_value())  # noqa: E731
    wanted = torch.zeros(len(words), dtype=torch.float64)
    wanted[data["wanted"]] = 0.5
    for label, press in [
        ("Sharpness", "Home"), ("Sharpness", "End"), ("Key of dogs", "Home"),
        ("Key of dogs", "End"), ("Key of dogs", "ArrowLeft"), ("Sharpness", "PageDown"),
    ]:  # fmt: skip
        keys = Keys(shown, "two-places")
        keys.reach(label)
        keys.press(press)
        sharpness = 10 ** slider("Sharpness")
        lengths = torch.ones(len(words), dtype=torch.float64)
        lengths[first] += slider("Key of dogs")
        k, each = lengths.diag(), sharpness * torch.eye(len(words), dtype=torch.float64)
        queries = torch.stack([each[first] + each[second], each[first], each[second]])
        _, weights = scaled_dot_product_attention(queries, k, k, scale=1.0)
        one, two = weights[0], weights[1:]
        shown_one = numbers(keys.drawn(0).partition(": ")[2])
        assert shown_one == pytest.approx(one.tolist(), abs=0.005 + NEAR)
        shown_two = [numbers(part.partition(": ")[2]) for part in keys.drawn(1).split(". Head 2")]
        assert sum(shown_two, []) == pytest.approx(two.flatten().tolist(), abs=0.005 + NEAR)
        lost = [(w - wanted).abs().sum().item() / 2 for w in (one, two.mean(0))]
        said = numbers(keys.said.partition(": ")[2])
        assert said == pytest.approx(lost, abs=0.005 + NEAR)


@pytest.fixture(scope="module")
def filler(course: Path):
    """The model that fills in hidden words: the script that trains it, the file, and the model."""
    module, stored = maker("filler"), stored_model(course, "filler")
    return module, stored, module.load(stored)


def places(gone: tuple[str, ...]) -> list[tuple[int, int]]:
    return [(int(layer), int(head)) for layer, head in (one.split(".") for one in gone)]


@browser
@pytest.mark.parametrize("gone", [(), ("1.1",), ("0.0", "0.3", "1.0")])
def test_the_scripts_filler_is_the_packages(loaded, filler, gone: tuple[str, ...]) -> None:
    module, stored, model = filler
    roles = module.heads_roles
    found = loaded.evaluate(
        """([gone, n]) => {
            const model = Live.filler(Live.data.filler), out = new Set(gone);
            const run = model.read(model.hide(model.tests[n]), out);
            return { ...run, shares: run.states.map(model.shares), loss: model.loss(out) };
        }""",
        [list(gone), 13],
    )
    test = stored["tests"][13]
    ids = torch.tensor(test["ids"])
    ids[test["hidden"]] = roles.HIDDEN
    with roles.without(model, places(gone)), torch.no_grad():
        states, maps = model(ids[None], fused=False)
        shares = model.read(states[0]).softmax(-1)
        loss = module.loss(model, stored["tests"])
    assert (torch.tensor(found["maps"]) - torch.stack(maps)[:, 0]).abs().max() < NEAR
    assert (torch.tensor(found["states"]) - states[0]).abs().max() < NEAR
    assert (torch.tensor(found["shares"]) - shares).abs().max() < NEAR
    assert found["loss"] == pytest.approx(loss, abs=NEAR)


@browser
def test_ablation(shown, filler) -> None:
    module, stored, model = filler
    roles = module.heads_roles
    keys, data = Keys(shown, "ablation"), FIGURES["ablation"].data

    def agrees(gone: tuple[str, ...]) -> None:
        with roles.without(model, places(gone)):
            now = module.loss(model, stored["tests"])
        whole = module.loss(model, stored["tests"])
        said = numbers(keys.drawn(1).partition("sentences: ")[2])
        guessing = math.log(len(stored["words"]))
        assert said == pytest.approx([whole, now, guessing], abs=0.00005 + NEAR)
        assert f"the loss is {now:.2f}" in keys.said

    agrees(())
    keys.reach("Take this head out")
    keys.press("Space")
    agrees(("1.1",))
    assert keys.said.startswith("Without layer 2, head 2: ") and "out" in keys.texts(1)
    keys = Keys(shown, "ablation")
    keys.reach("Head")
    keys.press("Home")
    assert not keys.figure.get_by_label("Take this head out").is_checked()
    assert keys.drawn(0).startswith("Weights of layer 1, head 1.")
    keys.reach("Keep only this head", "button")
    keys.press("Enter")
    agrees(tuple(f"{layer}.{head}" for layer, head in roles.PLACES if (layer, head) != (0, 0)))
    keys.reach("Put all back", "button")
    keys.press("Enter")
    agrees(())
    keys = Keys(shown, "ablation")
    keys.reach("Sentence")
    keys.press("End")
    test = stored["tests"][data["sentences"][-1]]
    place = test["hidden"][0]
    ids = torch.tensor(test["ids"])
    ids[test["hidden"]] = roles.HIDDEN
    with torch.no_grad():
        states, maps = model(ids[None], fused=False)
        shares = model.read(states[0, place]).softmax(-1)
    assert numbers(keys.drawn(0).rpartition(": ")[2]) == pytest.approx(
        [maps[0][0, 0, place].max().item()], abs=0.005 + NEAR
    )
    top = shares.topk(5)
    listed = ", ".join(
        f"{stored['words'][i]} {share:.2f}"
        for share, i in zip(*map(Tensor.tolist, top), strict=True)
    )
    assert keys.drawn(2).partition(": ")[2].startswith(f"{listed}. The right word, ")


class Sampling:
    """One pair and its noise words in the package's skip-gram, which takes the same steps."""

    def __init__(self, data: dict) -> None:
        self.rate = data["rate"]
        self.model = SkipGram(SkipGramConfig(len(data["around"]), d_model=2)).double()
        with torch.no_grad():
            self.model.W[0] = torch.tensor(data["w"])
            self.model.V.copy_(torch.tensor(data["vectors"]).T)

    def loss(self, noise: int) -> Tensor:
        first, others = torch.tensor([0]), torch.arange(1, 1 + noise)[None]
        return self.model.loss(first, first, others)

    def step(self, noise: int) -> None:
        self.model.zero_grad()
        self.loss(noise).backward()
        with torch.no_grad():
            for table in (self.model.W, self.model.V):
                table -= self.rate * table.grad

    def agrees(self, keys: Keys, steps: int, noise: int) -> None:
        W, V = (table.detach() for table in (self.model.W, self.model.V))
        scores = W[0] @ V[:, : 1 + noise]
        says = scores.sigmoid()
        true = torch.zeros_like(says)
        true[0] = 1
        rows = torch.stack([scores, says, true, says - true], dim=1)
        said = numbers(keys.drawn(1).partition("difference: ")[2])
        assert said == pytest.approx(rows.flatten().tolist(), abs=0.00005 + NEAR)
        assert keys.said.startswith(f"Step {steps}: the loss is {self.loss(noise):.4f}.")
        placed = torch.cat([W[:1], V.T[: 1 + noise]]).flatten().tolist()
        found = numbers(keys.drawn(0).partition("steps: ")[2])
        assert found == pytest.approx(placed, abs=0.005 + NEAR)


@browser
def test_pull_and_push(shown) -> None:
    keys, data = Keys(shown, "pull-push"), FIGURES["pull-push"].data
    ours, noise = Sampling(data), data["noise"]
    ours.agrees(keys, 0, noise)
    keys.reach("Take a step", "button")
    for steps in (1, 2, 3):
        keys.press("Enter")
        ours.step(noise)
        ours.agrees(keys, steps, noise)
    keys = Keys(shown, "pull-push")
    keys.reach("Learning rate")
    keys.press("End")
    ours.rate = 1.0
    keys.reach("Noise words")
    keys.press("Home")
    keys.reach("Take ten steps", "button")
    keys.press("Enter")
    for _ in range(10):
        ours.step(0)
    ours.agrees(keys, 13, 0)
    assert ours.loss(0) < 0.1, "without noise the loss can fall towards 0"
    keys.reach("Start again", "button")
    keys.press("Enter")
    again = Sampling(data)
    again.agrees(keys, 0, 0)


@pytest.fixture(scope="module")
def word_rows(course: Path) -> tuple[list[str], Tensor]:
    stored = stored_model(course, "vectors")
    rows = torch.tensor(stored["vectors"], dtype=torch.float64)
    return stored["words"], rows / rows.norm(dim=1, keepdim=True)


def nearest(word_rows: tuple[list[str], Tensor], typed: str, most: int = 8) -> str:
    """What the figure should say: the nearest words and their cosines."""
    words, rows = word_rows
    terms = re.findall(r"([+-]?) ?([a-z]+)", typed)
    wanted = sum((-1 if sign == "-" else 1) * rows[words.index(word)] for sign, word in terms)
    cosines = torch.nn.functional.cosine_similarity(rows, wanted[None])
    cosines[[words.index(word) for _, word in terms]] = -2
    top = cosines.topk(most)
    return ", ".join(
        f"{words[i]} {value:.4f}"
        for value, i in zip(top.values.tolist(), top.indices.tolist(), strict=True)
    )


@browser
def test_word_walk(shown, word_rows) -> None:
    keys, data = Keys(shown, "word-walk"), FIGURES["word-walk"].data

    def write(text: str) -> None:
        keys.reach("Words")
        keys.press("Control+a")
        keys.page.keyboard.type(text)

    begun = keys.drawn(1)
    assert begun.count(",") == 1 + data["steps"] and f": {data['start']}, " in begun
    for text in ("king - man + woman", "paris - france + italy", "king", "King queen"):
        write(text)
        listed = keys.drawn(0).partition("cosines: ")[2].replace("−", "-")
        assert listed == nearest(word_rows, text.lower()) + "."
    write("blick")
    note = keys.figure.locator(".live-note").inner_text()
    assert note == f"Not among the {len(word_rows[0])} words: blick."
    write("king")
    keys.reach("Walk to the nearest", "button")
    visited = ["king"]
    for _ in range(3):
        keys.press("Enter")
        near = nearest(word_rows, visited[-1], len(visited) + 1).split(", ")
        visited.append(next(word for word, _ in map(str.split, near) if word not in visited))
        assert keys.drawn(1).endswith(f"nearest word: {', '.join(visited)}.")
        assert keys.figure.get_by_label("Words", exact=True).input_value() == visited[-1]
    keys.reach("Start again", "button")
    keys.press("Enter")
    assert keys.drawn(1).endswith("nearest word: king."), "from the reader's own word"
    assert keys.figure.get_by_label("Words", exact=True).input_value() == "king"


@browser
def test_important_word(shown) -> None:
    keys, data = Keys(shown, "important-word"), FIGURES["important-word"].data
    words, v = list(data["words"]), list(data["v"])
    x = torch.tensor(list(data["words"].values()), dtype=torch.float64)
    pool = AttentionPooling(2).double()

    @torch.no_grad()
    def agrees() -> None:
        """Scores, weights and the average are the package's."""
        pool.v.copy_(torch.tensor([v]))
        (o,), (a,) = (found[0] for found in pool(x[None]))
        listed = keys.drawn(1).partition("its weight: ")[2].rstrip(".")
        found = dict(one.split(" ", 1) for one in listed.split(", "))
        assert list(found) == words
        for name, row, weight in zip(words, x, a, strict=True):
            expected = [(row @ pool.v[0]).item(), weight.item()]
            assert numbers(found[name]) == pytest.approx(expected, abs=NEAR)
        assert numbers(keys.said)[-1] == pytest.approx(o[0].item(), abs=NEAR)
        assert keys.said.endswith("good." if o[0] >= 0 else "bad.")
        if any(v):
            assert f"heaviest word is {words[a.argmax()]}" in keys.said

    agrees()
    keys.reach("Tip of the query v", "slider")
    keys.press("ArrowLeft", "ArrowDown", *["Shift+ArrowLeft"] * 3)
    v = [-1.6, 1.8]
    agrees()
    keys.press(*["Shift+ArrowRight"] * 12)
    v = [2.7, 1.8]
    agrees()
    keys.reach("No query: the mean", "button")
    keys.press("Enter")
    v = [0.0, 0.0]
    agrees()
    assert "this is the mean" in keys.said
    keys.reach("Start again", "button")
    keys.press("Enter")
    v = list(data["v"])
    agrees()


def test_the_reader_of_film_reviews_chooses(course: Path) -> None:
    """The verdict of lesson 03's opening review gets the weight that the lesson says."""
    module, stored = maker("reviews"), stored_model(course, "reviews")
    before, verdict, after = (module.words_of(part) for part in module.OPENING.split("|"))
    words, ids = [*before, *verdict, *after], {w: i for i, w in enumerate(stored["words"])}
    tokens = torch.tensor([[ids.get(word, 0) for word in words]])
    output = module.load(stored)(tokens, torch.tensor([len(words)]), return_weights=True)
    share = output.maps["words"][0][0, 0, 0, len(before) : len(before) + len(verdict)].sum().item()
    told = stored["selective"]["weight of the verdict"]
    assert share == pytest.approx(told, abs=5e-4) and share > 5 * len(verdict) / len(words)
    assert stored["usual"]["weight of the verdict"] < 1.1 * len(verdict) / len(words)
    lesson = Lesson(course, "03-pooling").notebook.read_text("utf-8")
    assert f"have {share:.0%}".replace("%", " %") in lesson


@browser
def test_film_review(shown, course: Path) -> None:
    module, stored = maker("reviews"), stored_model(course, "reviews")
    model, ids = module.load(stored).double(), {w: i for i, w in enumerate(stored["words"])}
    keys, data = Keys(shown, "film-review"), FIGURES["film-review"].data

    @torch.no_grad()
    def agrees(text: str, out: tuple[str, ...] = (), equal: bool = False) -> Tensor:
        """Weights, votes and their sum are the package's, over the words that are left."""
        words = [word for word in module.words_of(text) if word not in out]
        tokens = torch.tensor([[ids.get(word, 0) for word in words]])
        output = model(tokens, torch.tensor([len(words)]), return_weights=True)
        weights, logits = output.maps["words"][0][0, 0, 0], output.logits[0]
        votes = model.embedding(tokens)[0] @ (model.W[:, 1] - model.W[:, 0])
        if equal:
            weights = torch.full_like(weights, 1 / len(words))
            logits = torch.stack([0 * votes[0], weights @ votes + model.b[1] - model.b[0]])
        listed = keys.drawn().partition("vote: ")[2].replace("−", "-").rstrip(".")
        found = dict(one.split(" ", 1) for one in listed.split(", "))
        assert {word for word, said in found.items() if said == "taken out"} == set(out)
        for word, weight, vote in zip(words, weights.tolist(), votes.tolist(), strict=True):
            assert numbers(found[word]) == pytest.approx([weight, vote], abs=NEAR)
        (score, share) = re.search(r"add up to (\S+): \w+ \((\d+) %", keys.said).groups()
        assert numbers(score)[0] == pytest.approx((logits[1] - logits[0]).item(), abs=NEAR)
        assert int(share) == pytest.approx(100 * logits.softmax(0).max().item(), abs=0.51)
        assert ("good" if logits[1] > logits[0] else "bad") in keys.said
        return weights

    def reach(label: str, role: str | None = None) -> None:
        Keys(shown, "film-review").reach(label, role)  # from the figure's beginning

    def write(text: str) -> None:
        reach("Review")
        keys.press("Control+a")
        keys.page.keyboard.type(text)

    # A word that stands there twice has one weight.
    agrees(data["review"])
    write("Not a BAD film at all")
    weights = agrees("not a bad film at all")
    assert "heaviest word is bad" in keys.said and "bad (" in keys.said
    reach("Take out the heaviest word", "button")
    keys.press("Enter")
    agrees("not a bad film at all", out=("bad",))
    reach("Put all words back", "button")
    keys.press("Enter")
    assert torch.equal(agrees("not a bad film at all"), weights)
    reach("Give all words the same weight")
    keys.press("Space")
    agrees("not a bad film at all", equal=True)
    keys.press("Space")
    write("blick")
    note = keys.figure.locator(".live-note").inner_text()
    known = len(stored["words"]) - 1
    assert note == (
        f"The model knows {known:,} words. It does not know blick, and reads it as an unknown word."
    )
    assert keys.figure.get_by_role("button", name="Take out the heaviest word").is_disabled()
    write("what a waste of time " * 4)
    assert "Only the first 16 words are read." in keys.figure.locator(".live-note").inner_text()
    write("a fine film")
    reach("Take out the heaviest word", "button")
    keys.press("Enter")
    reach("Put all words back", "button")
    keys.press("Enter")
    agrees("a fine film")


@browser
def test_scaling(shown) -> None:
    keys, data = Keys(shown, "scaling"), FIGURES["scaling"].data
    keys.reach("dₖ, width of a head")
    keys.press("Home")
    for seed in (data["seed"], data["seed"] + 1):
        drawn = shown.evaluate(
            """([seed, keys, wide]) => {
                const next = Live.normals(seed), row = () => Array.from({ length: wide }, next);
                return [row(), ...Array.from({ length: keys }, row)];
            }""",
            [seed, data["keys"], max(data["widths"])],
        )
        q, k = (torch.tensor(x, dtype=torch.float64) for x in (drawn[:1], drawn[1:]))
        assert abs(float(torch.cat([q, k]).std()) - 1) < 0.05
        for place, width in enumerate(data["widths"]):
            keys.press(*(["ArrowRight"] if place else []))
            for n, scale in enumerate((1.0, None)):
                scores = (q[:, :width] @ k[:, :width].T * (scale or width**-0.5)).requires_grad_()
                _, weights = scaled_dot_product_attention(
                    q[:, :width], k[:, :width], k[:, :width], scale=scale
                )
                own = scores.softmax(-1)
                gradient = sum(
                    torch.autograd.grad(own[0, i], scores, retain_graph=True)[0][0, i]
                    for i in range(len(k))
                )
                entropy = -(weights * weights.clamp_min(1e-300).log2()).sum()
                found = shown.evaluate("w => Live.peaked(w)", weights[0].tolist())
                assert found["gradient"] == pytest.approx(gradient.item(), abs=NEAR)
                said = numbers(keys.drawn(n).partition("largest ")[2])
                assert said == pytest.approx([weights.max().item(), entropy.item()], abs=0.0051)
                assert f"{gradient:.4f}" in " ".join(keys.texts(n))
        keys.reach("Draw new numbers", "button")
        keys.press("Enter", "Shift+Tab", "Home")


@browser
def test_positions(shown) -> None:
    keys, data = Keys(shown, "positions"), FIGURES["positions"].data
    codes = shown.evaluate("[...Array(128).keys()].map(n => Live.sinusoidalCode(n, 32))")
    table = SinusoidalPositions(32).table(torch.arange(128), torch.float64)
    assert (torch.tensor(codes, dtype=torch.float64) - table).abs().max() < 1e-12
    keys.reach("Position")
    for press, position in [
        ("Home", 0),
        ("ArrowRight", 1),
        ("ArrowUp", 2),
        ("ArrowLeft", 1),
        ("End", 127),
    ]:
        keys.press(press)
        alike = float(table[position] @ table[data["other"]])
        assert f"codes {position} and {data['other']}: {alike:.3f}; of {position}" in keys.said
    keys.reach("Compared with")
    keys.press("End")
    assert keys.said == "Dot product of codes 127 and 127: 16.000; of 127 with itself: 16.000."


def turned(pair: int, position: int, vector: tuple[float, float]) -> list[float]:
    x = torch.zeros(1, 8, dtype=torch.float64)
    x[0, 2 * pair : 2 * pair + 2] = torch.tensor(vector, dtype=torch.float64)
    return RotaryPositions(8).rotate(x, start=position)[0, 2 * pair : 2 * pair + 2].tolist()


def agrees(keys: Keys) -> dict[str, str]:
    """What the rotary figure shows is what the package computes; returns what it shows."""
    value = lambda label: float(keys.figure.get_by_label(label, exact=True).input_value())  # noqa: E731
    vectors = {}
    for name in "qk":
        angle = torch.deg2rad(torch.tensor(value(f"{name}, direction"), dtype=torch.float64))
        length = value(f"{name}, length")
        vectors[name] = (float(length * angle.cos()), float(length * angle.sin()))
    m, n, pair = value("m, position of q"), value("n, position of k"), value("Pair")
    q = turned(int(pair), int(m), vectors["q"])
    k = turned(int(pair), int(n), vectors["k"])
    terms, said = (keys.figure.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    rows = dict(zip(terms, said, strict=True))
    assert numbers(rows["q at m"]) == pytest.approx(q, abs=6e-4)
    assert numbers(rows["k at n"]) == pytest.approx(k, abs=6e-4)
    assert numbers(rows["score, their product"]) == pytest.approx(
        [q[0] * k[0] + q[1] * k[1]], abs=6e-4
    )
    assert numbers(rows["m − n"]) == [m - n]
    return rows


@browser
def test_two_arrows_turned_together_keep_their_score(shown) -> None:
    keys = Keys(shown, "rotary")
    before = agrees(keys)
    keys.reach("Both together")
    for press in ("Home", "ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        keys.press(press)
        after = agrees(keys)
        assert after["score, their product"] == before["score, their product"]
        assert after["q at m"] != before["q at m"]
        assert "Both moved: m − n is still 7, and the score is still" in keys.said
    keys = Keys(shown, "rotary")
    keys.reach("m, position of q")
    keys.press("ArrowLeft")
    assert agrees(keys)["score, their product"] != before["score, their product"]
    assert keys.said.startswith("m moved alone: m − n is now 6")
    keys.reach("n, position of k")
    keys.press("Home")
    agrees(keys)
    assert keys.said.startswith("n moved alone")


@browser
def test_every_pair_and_every_arrow_can_be_set_by_keyboard(shown) -> None:
    keys = Keys(shown, "rotary")
    keys.reach("Pair")
    keys.press("Home")
    for _ in range(4):
        agrees(keys)
        keys.press("ArrowDown")
    assert "turns by 0.001 radians a position" in keys.said
    keys.press("Tab", "Enter")  # the arrows' own sliders unfold
    for label, last in [
        ("q, direction", "359"),
        ("q, length", "2"),
        ("k, direction", "359"),
        ("k, length", "2"),
    ]:
        keys.reach(label)
        keys.press("End")
        assert keys.figure.get_by_label(label, exact=True).input_value() == last
        agrees(keys)


def test_the_figure_of_lengths_has_the_records_losses(course: Path) -> None:
    module = maker("lengths")
    stored = json.loads(figure_numbers(course, "lengths").read_text("utf-8"))
    assert stored == module.shown(), "python notebooks/07-positions/figures/lengths/make.py"


@browser
def test_lengths(shown, course: Path) -> None:
    keys, schemes = Keys(shown, "lengths"), maker("lengths").shown()
    names, lengths = list(schemes["losses"]), schemes["lengths"]
    means = {
        name: [None if None in seeds else sum(seeds) / len(seeds) for seeds in each]
        for name, each in schemes["losses"].items()
    }
    curves = keys.figure.locator("svg >> nth=1 >> path.curve")
    assert keys.said.startswith("32 words, the length of training") and curves.count() == 0
    assert "up to 32 words" in keys.drawn(1), "nothing is told before the reader moves the slider"
    keys.reach("Words at a time")
    for place, length in enumerate(lengths):
        assert f"up to {length} words" in keys.drawn(1)
        expected = [f"{x[place]:.4f}" if x[place] else "none" for x in means.values()]
        told = keys.drawn(0).removeprefix(f"Loss at {length} words: ").rstrip(".").split("; ")
        assert told == [f"{name} {loss}" for name, loss in zip(names, expected, strict=True)]
        own, before = means["rotary"][place], means["rotary"][0]
        assert numbers(keys.said)[-3:] == pytest.approx([own, own - before, 32], abs=6e-4)
        keys.press("ArrowRight")
    keys.reach("Follow")
    keys.press("Home", "ArrowDown")
    assert keys.said == (
        "512 words, 16 times the length of training: learned positions have no code there."
    )
    assert "learned goes from 2.6106 at 32 words no further" in keys.drawn(1)


# ---- mouse and finger --------------------------------------------------------------------------


def middle(element) -> tuple[float, float]:
    box = element.evaluate(
        "e => { const b = e.getBoundingClientRect(); return [b.x, b.y, b.width, b.height]; }"
    )
    return box[0] + box[2] / 2, box[1] + box[3] / 2


def to_the_middle(page, element) -> tuple[float, float]:
    element.evaluate("e => e.scrollIntoView({block: 'center', behavior: 'instant'})")
    page.wait_for_timeout(200)
    return middle(element)


HELD = [("important-word", ".handle.q"), ("arrows", ".handle.q"), ("arrows", ".handle.k >> nth=1"),
        ("rotary", ".handle.q"), ("positions", "svg >> nth=1 >> .knob.q")]  # fmt: skip


@browser
@pytest.mark.parametrize("name, part", HELD)
def test_the_mouse_drags(shown, name: str, part: str) -> None:
    figure = Keys(shown, name).figure
    x, y = to_the_middle(shown, figure.locator(part))
    before = figure.locator(".live-status").inner_text()
    shown.mouse.move(x, y)
    shown.mouse.down()
    shown.mouse.move(x - 40, y + 21, steps=4)
    shown.mouse.up()
    across, down = middle(figure.locator(part))
    assert across == pytest.approx(x - 40, abs=5)
    assert name == "positions" or down == pytest.approx(y + 21, abs=5)
    assert figure.locator(".live-status").inner_text() != before
    shown.mouse.move(x, y)
    assert middle(figure.locator(part))[0] == across, "the button is up"


class Finger:
    """One finger on the glass, as the browser itself gets it."""

    def __init__(self, page) -> None:
        self.page, self.session = page, page.context.new_cdp_session(page)

    def touch(self, kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": x, "y": y} for x, y in points]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def along(self, start: tuple[float, float], *places: tuple[float, float]) -> None:
        """Down at ``start``, from place to place, and up."""
        self.touch("touchStart", start)
        for (x, y), (to_x, to_y) in pairwise((start, *places)):
            for n in range(1, 11):
                self.touch("touchMove", (x + (to_x - x) * n / 10, y + (to_y - y) * n / 10))
                self.page.wait_for_timeout(16)
        self.touch("touchEnd")

    def drag(self, start: tuple[float, float], by: tuple[float, float]) -> None:
        self.along(start, (start[0] + by[0], start[1] + by[1]))


@browser
def test_a_finger_drags_and_the_page_still_scrolls(chromium, page_file: Path) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True}
    with offline(chromium, **phone) as page:
        open_all(page, page_file)
        finger, scrolled = Finger(page), "window.scrollY"
        for name, part in HELD:
            held = page.locator(f"#figure-{name}").locator(part)
            x, y = to_the_middle(page, held)
            before = page.evaluate(scrolled)
            finger.drag((x, y), (24, 0 if name == "positions" else 40))
            assert middle(held)[0] == pytest.approx(x + 24, abs=5), (name, part)
            assert page.evaluate(scrolled) == before
        said = page.locator("#figure-positions .live-status")
        kept = said.inner_text()
        finger.drag(middle(held), (0, -150))
        # A finger that goes up scrolls the page.
        page.wait_for_function(f"{scrolled} > {before + 50}")
        assert said.inner_text() == kept, "scrolling must leave the figure as it was"
        assert not page.faults


# ---- for everybody -----------------------------------------------------------------------------


@browser
def test_the_stored_pictures_are_what_the_scripts_draw(chromium, course: Path) -> None:
    for name, pictures in draw(chromium, course).items():
        kept = [path.read_text("utf-8") for path in figure_pictures(course, name)]
        assert kept == pictures, f"{name} is drawn otherwise: run python -m coursebook.live"


@browser
def test_without_a_script_the_still_pictures_stand(chromium, page_file: Path) -> None:
    with offline(chromium, java_script_enabled=False) as page:
        page.goto(page_file.as_uri())
        for name in FIGURES:
            figure = page.locator(f"#figure-{name}")
            assert figure.locator("img").filter(visible=True).count() >= 1
            for image in figure.locator("img").filter(visible=True).all():
                image.scroll_into_view_if_needed()
                assert len(image.get_attribute("alt")) > 30
                assert image.bounding_box()["height"] > 80
            assert figure.locator("figcaption p").is_visible()
            assert figure.locator("input, button, select").count() == 0


@browser
def test_print_has_the_picture_without_the_controls(chromium, page_file: Path) -> None:
    with offline(chromium) as page:
        open_all(page, page_file)
        page.emulate_media(media="print")
        for name in FIGURES:
            figure = page.locator(f"#figure-{name}")
            assert figure.locator("svg.live-picture").first.is_visible()
            assert not figure.locator("input, button, select").first.is_visible()
        assert not page.faults


@browser
@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_by_itself(chromium, page_file: Path, motion: str) -> None:
    with offline(chromium, reduced_motion=motion) as page:
        open_all(page, page_file)
        asked = len(page.asked)
        running = "f => f.getAnimations({subtree: true}).length"
        for name in FIGURES:
            keys = Keys(page, name)
            if name == "attends":  # the one that moves, until a key is pressed
                keys.press("Shift")
            before = keys.figure.inner_html()
            assert keys.figure.evaluate(running) == 0
            assert keys.figure.inner_html() == before
        assert len(page.asked) == asked, "a figure asks for nothing after the page is loaded"
        keys = Keys(page, "attention-steps")
        play = keys.figure.get_by_role("button", name="Play")
        assert play.count() == (motion != "reduce")
        if play.count():
            typed(keys, "a note")
            keys.reach("Play", "button")
            keys.press("Enter")
            page.wait_for_timeout(1700)
            assert "Step 4 of 4" not in keys.said
            keys.press("Enter")
            stopped = keys.said
            page.wait_for_timeout(1700)
            assert keys.said == stopped


@browser
def test_axe_finds_nothing_and_nothing_is_too_wide(chromium, themed: Path, axe: str) -> None:
    own = AXE.replace("axe.run(of,", "axe.run({include: [['figure.live']]},")
    assert own != AXE
    with offline(chromium) as page:
        open_all(page, themed)
        page.locator("#figure-rotary summary").click()
        page.add_style_tag(content="*, *::before, *::after { transition: none !important; }")
        page.evaluate(axe)
        for width in (1600, 1280, 768, 390, 320):
            page.set_viewport_size({"width": width, "height": 844})
            assert not page.evaluate(OVERFLOW), width
            for theme, rules in RULES.items() if width in (1280, 320) else ():
                set_theme(page, theme)
                assert not page.evaluate(own, rules), (width, theme)


@browser
def test_packed_numbers_are_the_same_numbers(loaded) -> None:
    """What the page reads are the whole numbers that were stored, whatever their size."""
    rows = [[*range(-300, 301)], [0] * 8, [1, 2, 3]]
    text = packed(json.dumps(rows, separators=(",", ":")))
    assert text.count("Live.unpacked") == 2 and len(text) < 1400
    assert loaded.evaluate(text) == rows


@pytest.fixture(scope="module")
def writer(course: Path):
    """The model that goes on with a text, in the package's own classes, and its tokens."""
    module, stored = maker("writer"), stored_model(course, "writer")
    return module.load(stored)


TEXTS = ["The newest note", "  two  spaces\n\nO Romeo, 'tis café 注 🎸!", "we'll see: 1597"]


@browser
@pytest.mark.parametrize("text", TEXTS)
def test_the_scripts_tokens_are_the_packages(loaded, writer, text: str) -> None:
    _, tokenizer = writer
    found = loaded.evaluate(
        """text => {
            const tokenizer = Live.tokenizer(Live.data.writer.merges), ids = tokenizer.encode(text);
            return { ids, cut: tokenizer.cut(text, 7), back: tokenizer.decode(ids) };
        }""",
        text,
    )
    assert found["ids"] == tokenizer.encode(text)
    merges = tokenizer.merges[:7]
    fewer = BPETokenizer([*sorted(BYTES), *map("".join, merges)], merges)
    assert found["cut"] == fewer.tokenize(text)
    assert found["back"] == text


@browser
def test_the_scripts_gpt_is_the_packages(loaded, writer) -> None:
    model, tokenizer = writer
    ids = tokenizer.encode("My lord, I would not have you speak of it so soon, for the king")
    found = loaded.evaluate("ids => Live.gpt(Live.data.writer).read(ids)", ids)
    with torch.no_grad():
        output = model(torch.tensor([ids]), return_weights=True)
    assert (torch.tensor(found["logits"]) - output.logits[0, -1]).abs().max() < NEAR
    maps = torch.stack(output.maps["self"])[:, 0]
    assert (torch.tensor(found["maps"]) - maps).abs().max() < NEAR


@browser
@pytest.mark.parametrize(
    "settings",
    [{}, {"temperature": 0.4}, {"k": 3}, {"p": 0.6}, {"temperature": 2, "k": 9, "p": 0.8}],
)
def test_what_may_be_drawn_is_as_in_the_package(loaded, generator, settings: dict) -> None:
    logits = torch.randn(50, generator=generator, dtype=torch.float64)
    found = loaded.evaluate(
        "([logits, settings]) => Live.chosen(logits, settings).shares", [logits.tolist(), settings]
    )
    kept = logits / settings.get("temperature", 1)
    if "k" in settings:
        kept = keep_top_k(kept, settings["k"])
    if "p" in settings:
        kept = keep_top_p(kept, settings["p"])
    assert found == pytest.approx(kept.softmax(-1).tolist(), abs=1e-12)


@browser
def test_merges(shown, writer) -> None:
    keys, (_, tokenizer) = Keys(shown, "merges"), writer
    slider = keys.figure.get_by_label("Merges", exact=True)
    assert slider.input_value() == "0" and "every byte is a token" in " ".join(keys.texts())
    keys.reach("Text")
    keys.press("Control+a")
    keys.page.keyboard.type("the café")
    for press, count in (("Home", 0), ("End", len(tokenizer.merges))):
        keys.reach("Merges")
        keys.press(press)
        assert int(slider.input_value()) == count
        patchify = keys.drawn().partition("tokens: ")[2].removesuffix(".").split(" | ")
        if count:
            assert patchify == [token.replace("Ġ", "␣") for token in tokenizer.tokenize("the café")]
        else:
            assert len(patchify) == len("the café".encode())
        assert f"9 bytes, {len(patchify)} tokens after {count} merges" in keys.said
    keys = Keys(shown, "merges")
    keys.reach("Merges")
    keys.press("Home")
    keys.reach("Next merge", "button")
    keys.press("Enter")
    left, right = tokenizer.merges[0]
    assert f"Merge 1: {left} + {right}".replace("Ġ", "␣") in " ".join(keys.texts())
    keys = Keys(shown, "merges")
    keys.reach("Text")
    keys.press("Control+a", "Backspace")
    assert keys.figure.locator(".live-note").inner_text() == "Type something."


@browser
def test_writer(shown, writer) -> None:
    keys, (model, tokenizer) = Keys(shown, "writer"), writer
    keys.reach("Beginning")
    keys.press("Control+a")
    keys.page.keyboard.type("What say you, my")
    ids = torch.tensor([tokenizer.encode("What say you, my")])

    def agrees(**settings) -> None:
        with torch.no_grad():
            logits = model(ids[:, -model.config.context_length :]).logits[0, -1]
        logits = logits / settings.get("temperature", 1)
        logits = keep_top_k(logits, settings["k"]) if "k" in settings else logits
        likeliest = logits.softmax(-1).topk(min(3, settings.get("k", 3)))
        said = keys.drawn().partition("tokens: ")[2].partition(". The text")[0]
        for share, id_ in zip(*(found.tolist() for found in likeliest), strict=True):
            token = tokenizer.token(id_).replace("Ġ", "␣").replace("Ċ", "⏎")
            assert f"{token} {share:.3f}" in said or f"{token} {share:.4f}" in said

    agrees()
    keys.reach("Write 20 tokens greedily", "button")
    keys.press("Enter")
    for _ in range(20):
        with torch.no_grad():
            best = model(ids[:, -model.config.context_length :]).logits[:, -1:].argmax(-1)
        ids = torch.cat([ids, best], dim=1)
    assert keys.drawn().partition("The text so far: ")[2] == tokenizer.decode(ids[0].tolist())
    keys = Keys(shown, "writer")
    keys.reach("Top-k")
    keys.press("Home", "ArrowRight", "ArrowRight")
    agrees(k=2)
    assert keys.said.startswith("2 of 512 tokens can be drawn")
    keys.reach("Draw one token", "button")
    keys.press("Enter")
    text = keys.drawn().partition("The text so far: ")[2]
    assert text.startswith(tokenizer.decode(ids[0].tolist())) and len(text) > 20
    keys.reach("Start again", "button")
    keys.press("Enter")
    beginning = keys.figure.get_by_label("Beginning", exact=True)
    assert keys.drawn().endswith("The text so far: What say you, my"), "the reader's own text"
    assert beginning.input_value() == "What say you, my"
    drawn = []
    for _ in range(2):  # the same draws again
        keys.reach("Draw one token", "button")
        keys.press("Enter")
        drawn.append(keys.drawn())
        keys.reach("Start again", "button")
        keys.press("Enter")
    assert drawn[0] == drawn[1]


@browser
def test_cache(shown) -> None:
    """Step by step, with and without a cache: the package's causal attention, row by row."""
    keys, data = Keys(shown, "cache"), FIGURES["cache"].data
    q, k, v = shown.evaluate("data => Live.cached(data)", data)
    output, weights = attention(q, k, v, causal=True)
    count = len(data["words"])
    keys.reach("Token")
    keys.press("Home")
    for kept in (True, False):
        for t in range(count):
            drawn = keys.drawn()
            told = numbers(drawn.partition("Weights of ")[2])
            assert told == pytest.approx(
                [*weights[t, : t + 1].tolist(), *output[t].tolist()], abs=0.00005 + NEAR
            )
            anew, rows = (1 if kept else t + 1), t + 1
            assert f"Computed in this step: {anew} of {rows} rows" in drawn
            again = rows * (rows + 1) // 2
            assert f"with a cache {rows}, without {again}." in keys.drawn(1)
            assert f"So far {rows if kept else again}" in keys.said
            keys.press("ArrowRight")
        keys.reach("Keep keys and values")
        keys.press(" ")
        keys = Keys(shown, "cache")
        keys.reach("Token")
        keys.press("Home")


@pytest.fixture(scope="module")
def gaps(course: Path):
    """The two models that guess hidden words, in the package's own class, and their words."""
    module, stored = maker("gaps"), stored_model(course, "gaps")
    return {side: module.load(stored, side) for side in module.SIDES}, stored["words"]


def behind_the_gap(gaps, side: str, said: list[str], place: int) -> torch.Tensor:
    """The probability of each word at a place, by the package."""
    models, words = gaps
    ids = torch.tensor([[words.index(w) if w in words else 1 for w in said]])
    ids[0, place] = words.index("<mask>")
    places = torch.zeros_like(ids).bool()
    places[0, place] = True
    with torch.no_grad():
        return models[side](ids, places=places).logits[0].softmax(-1)


@browser
@pytest.mark.parametrize("side", ["both", "left"])
def test_the_scripts_guesses_are_the_packages(loaded, gaps, side: str) -> None:
    said = ["she", "left", "a", "folded", "note", "on", "the", "fridge", "for", "the", "landlord"]
    for place in (0, 4, len(said) - 1):
        found = loaded.evaluate(
            """([words, place, side]) => {
                const stored = Live.data.gaps;
                const model = Live.reader({ ...stored, weights: stored.sides[side] });
                const read = words.map((word, t) => (t === place ? "<mask>" : word));
                return model.guess(model.read(read, { causal: side === "left" }).states[place]);
            }""",
            [said, place, side],
        )
        assert found == pytest.approx(behind_the_gap(gaps, side, said, place).tolist(), abs=NEAR)


@browser
def test_hidden_word(shown, gaps) -> None:
    keys, said = (
        Keys(shown, "hidden-word"),
        ["the", "violinist", "held", "a", "low", "note", "on", "the", "violin"],
    )
    typed(keys, " ".join(said))
    keys.reach("Hidden word")
    for place, press in ((0, "Home"), (1, "ArrowRight"), (len(said) - 1, "End")):
        keys.press(press)
        for picture, side in enumerate(("both", "left")):
            shares, ids = behind_the_gap(gaps, side, said, place).topk(5)
            told = keys.drawn(picture).partition("guesses: ")[2].removesuffix(".").split(", ")
            words_ = [gaps[1][i] for i in ids.tolist()]
            assert [one.rpartition(" ")[0] for one in told] == words_
            shown_shares = [float(one.rpartition(" ")[2]) for one in told]
            assert shown_shares == pytest.approx(shares.tolist(), abs=0.00005 + NEAR)
        assert keys.said.startswith(f"Hidden: {said[place]}. ")
    keys = Keys(shown, "hidden-word")
    typed(keys, "a zebra played")
    assert "does not know zebra" in keys.figure.locator(".live-note").inner_text()
    assert len(keys.drawn()) > 20, "a shorter sentence moves the gap into it"


def mulberry32(seed: int):
    """The figure's random numbers, in 32 bits as it counts them."""
    wide = 2**32

    def times(a: int, b: int) -> int:
        return a * b % wide

    while True:
        seed = (seed + 0x6D2B79F5) % wide
        mixed = times(seed ^ seed >> 15, 1 | seed)
        mixed = (mixed + times(mixed ^ mixed >> 7, 61 | mixed)) % wide ^ mixed
        yield (mixed ^ mixed >> 14) / wide


def hidden_words(words: list[str], seed: int, share: float, others: list[str]) -> list[str]:
    """What is read, or nothing for a word that is not chosen."""
    random, read = mulberry32(seed), []
    for word in words:
        choice, kind, which = next(random), next(random), next(random)
        other = others[int(which * len(others))]
        found = "[MASK]" if kind < 0.8 else other if kind < 0.9 else word
        read.append(found if choice < share else "")
    return read


@browser
def test_hiding(shown) -> None:
    keys, data = Keys(shown, "hiding"), FIGURES["hiding"].data
    words_ = data["sentence"].split()
    keys.reach("Draw")
    for press, turn in (("Home", 1), ("ArrowRight", 2), ("End", data["draws"])):
        keys.press(press)
        read = hidden_words(words_, turn, data["share"], data["others"])
        asked = [word for word, one in zip(words_, read, strict=True) if one]
        assert (
            f"Draw {turn}: the model must predict {len(asked)} of {len(words_)} words" in keys.said
        )
        for word, one in zip(words_, read, strict=True):
            kept = "left as it is" if one == word else f"read as {one}"
            said = f"to be predicted, and {kept}" if one else "not to be predicted"
            assert f"{word} is {said}" in keys.drawn(0)
    keys.reach("Share of chosen words")
    for press, share in (("Home", 0.05), ("End", 0.6)):
        keys.press(press)
        counted = {"chosen": 0, "[MASK]": 0, "another": 0, "as it is": 0}
        for turn in range(1, data["draws"] + 1):
            read = hidden_words(words_, turn, share, data["others"])
            for word, one in zip(words_, read, strict=True):
                counted["chosen"] += bool(one)
                kind = {"[MASK]": "[MASK]", word: "as it is"}.get(one, "another")
                counted[kind] += bool(one)
        chosen = counted["chosen"]
        shares = [counted[kind] / chosen for kind in ("[MASK]", "another", "as it is")]
        parts = [chosen / (data["draws"] * len(words_)), *shares]
        # Which rule it is, beside which numbers: near what the lesson says.
        assert parts == pytest.approx([share, 0.8, 0.1, 0.1], abs=0.05)
        assert numbers(keys.drawn(1))[1:] == pytest.approx([100 * p for p in parts], abs=0.051)
    keys = Keys(shown, "hiding")
    typed(keys, "Letters!")
    assert "of 1 words" in keys.said and "letters" in keys.drawn(0)


@browser
def test_two_senses(shown, gaps, reader) -> None:
    keys, (models, known) = Keys(shown, "two-senses"), gaps
    note = keys.figure.locator(".live-note").first

    def cosine(of) -> float:
        return torch.cosine_similarity(*(of(said.split()) for said in both), dim=0).item()

    def guesser(words: list[str]) -> Tensor:
        ids = torch.tensor([[known.index(w) if w in known else 1 for w in words]])
        with torch.no_grad():
            return models["both"].encode(ids)[0][0, words.index("note")]

    both = ["a short note on the door", "he sang a high note"]
    for label, said in zip(("First", "Second"), both, strict=True):
        typed(keys, said, f"{label} sentence")
    found = numbers(keys.drawn().partition(": ")[2])
    taught = cosine(lambda words: reader(words)["states"][words.index("note")])
    assert found == pytest.approx([1, cosine(guesser), taught], abs=0.00005 + NEAR)
    for said in both:
        shares = reader(said.split())["sense"]
        label = ("message", "tone", "mood")[shares.argmax()]
        assert f"a {label} in the" in keys.said and f"({shares.max():.2f})" in keys.said
    before = keys.drawn()
    keys = Keys(shown, "two-senses")
    typed(keys, "no such word", "First sentence")
    assert note.inner_text() == "Type a sentence with the word note."
    assert keys.drawn() == before, "the last sentence that could be read stays"


@pytest.fixture(scope="module")
def translator(course: Path):
    """The model that translates numbers and dates, in the package's own class, and its words."""
    module, stored = maker("translator"), stored_model(course, "translator")
    return (module, *module.load(stored))


@browser
def test_the_scripts_translator_is_the_packages(loaded, translator) -> None:
    module, model, words = translator
    pairs = module.pairs_of("test", held_out=6)[:40:2]
    assert len(pairs) == 20
    for source, target in pairs:
        ids, row = module.as_pair(words, source, target)
        for length in (1, len(row) - 1):
            with torch.no_grad():
                found = model(
                    torch.tensor([ids]), torch.tensor([row[:length]]), return_weights=True
                )
            logits, maps = loaded.evaluate(
                """([ids, row]) => {
                    const model = Live.translator(Live.data.translator);
                    const { logits, maps } = model.decode(row, model.encode(ids));
                    return [logits, maps];
                }""",
                [ids, row[:length]],
            )
            assert logits == pytest.approx(found.logits[0, -1].tolist(), abs=1e-3)
            for block, theirs in zip(maps, found.maps["cross"], strict=True):
                assert (torch.tensor(block) - theirs[0]).abs().max() < NEAR


@browser
def test_translator(shown, translator) -> None:
    module, model, words = translator
    keys = Keys(shown, "translator")
    for language, text in (
        ("english", "acht und neunzig"),
        ("english", "März 3, 1999"),
        ("english", "siebenunddreißigtausend"),
    ):
        typed(keys, text, "A number or a date, in words")
        patchify = shown.evaluate(
            "text => Live.translator(Live.data.translator).split(text).words", text
        )
        (said,) = module.translate(
            model, words, words, [" ".join([language, *patchify])], max_new_tokens=22
        )
        assert keys.drawn().startswith(f"Written: {said}. Before {said.split()[0]} it looks at ")
    keys.reach("Word written")
    keys.press("ArrowRight")
    assert f"Before writing {said.split()[1]} it looks most at" in keys.said
    keys = Keys(shown, "translator")
    keys.reach("Into")
    keys.press("ArrowDown")
    (said,) = module.translate(
        model, words, words, [" ".join(["français", *patchify])], max_new_tokens=22
    )
    assert keys.drawn().startswith(f"Written: {said}. Before {said.split()[1]} ")
    keys = Keys(shown, "translator")
    typed(keys, "a zebra", "A number or a date, in words")
    assert "It has never seen a and zebra" in keys.figure.locator(".live-note").inner_text()
    keys.press("Control+a", "Delete")
    assert "Type at least one word." in keys.figure.locator(".live-note").inner_text()


@browser
def test_film(shown, course: Path) -> None:
    stored = stored_model(course, "film")
    keys = Keys(shown, "film")
    keys.reach("Steps of training")
    for press, one in (("", stored["frames"][0]), ("End", stored["frames"][-1])):
        keys.press(*([press] if press else []))
        assert keys.said == f"{one['step']:,} steps: {' '.join(one['said']) or '(nothing)'}."
        words = [*stored["source"], "end"]
        first = one["weights"][0]
        assert (
            f"looks most at {words[first.index(max(first))]}, {max(first) / 100:.2f}"
            in keys.drawn()
        )


@pytest.fixture(scope="module")
def aligner(course: Path):
    """The recurrent translator with attention, in the package's own class, and its words."""
    module, stored = maker("alignment"), stored_model(course, "alignment")
    return (module, *module.load(stored))


@browser
def test_the_scripts_aligner_is_the_packages(loaded, aligner) -> None:
    module, model, read, write = aligner
    for source, target in module.pairs_of("test")[:60:6]:
        ids, said = read.encode(source, end=True), write.encode(target, start=True, end=True)
        with torch.no_grad():
            found = model(torch.tensor([ids]), torch.tensor([said[:-1]]), return_weights=True)
        logits, maps = loaded.evaluate(
            """([ids, said]) => {
                const model = Live.aligner(Live.data.alignment);
                const source = model.encode(ids), logits = [], maps = [];
                let { s } = source;
                for (const id of said.slice(0, -1)) {
                    const next = model.step(id, s, source);
                    s = next.s;
                    logits.push(next.logits);
                    maps.push(next.weights);
                }
                return [logits, maps];
            }""",
            [ids, said],
        )
        assert (torch.tensor(maps) - found.maps["cross"][0][0, 0]).abs().max() < NEAR
        assert (torch.tensor(logits) - found.logits[0]).abs().max() < 1e-3


@browser
def test_alignment(shown, aligner) -> None:
    module, model, read, write = aligner
    label = "A German number, in words or in digits"
    for text, number in (("345627", 345627), ("Zwölftausendeins", 12001), ("1.000", 1000)):
        keys = Keys(shown, "alignment")
        typed(keys, text, label)
        source = " ".join(number_pieces(number, "de"))
        assert f"It reads: {source}." in keys.figure.locator(".live-note").inner_text()
        (said,) = module.translate(model, read, write, [source], max_new_tokens=16)
        assert keys.drawn().startswith(f"Written: {said}. Before {said.split()[0]} it looks at ")
    typed(keys, "345627", label)
    source, target = (" ".join(number_pieces(345627, language)) for language in ("de", "en"))
    weights = module.look(model, read, write, source, target)
    pieces, words = [*source.split(), "end"], target.split()
    for row in range(3):
        looked = re.findall(r"(\w+) (\d\.\d{4})", keys.drawn().partition("it looks at")[2])
        assert [float(w) for _, w in looked] == pytest.approx(
            weights[row].topk(3).values.tolist(), abs=NEAR
        )
        assert [piece for piece, _ in looked][0] == pieces[weights[row].argmax()]
        assert keys.said.startswith(
            f"Before writing {words[row]} it looks most at {looked[0][0]} ("
        )
        keys.reach("Word written")
        keys.press("ArrowRight")
    keys = Keys(shown, "alignment")
    typed(keys, "ein zebra", label)
    assert "It has never seen zebra" in keys.figure.locator(".live-note").inner_text()
    keys.press("Control+a", "Delete")
    assert "Type a number." in keys.figure.locator(".live-note").inner_text()


@browser
def test_the_scripts_german_is_the_packages(loaded) -> None:
    some = [*range(131), 200, 999, 1000, 1001, 1100, 21_021, 100_000, 345_627, 701_011, 999_999]
    spelled = loaded.evaluate(
        "some => some.map((n) => Live.aligner(Live.data.alignment).german(n))", some
    )
    assert [tuple(words) for words in spelled] == [number_pieces(n, "de") for n in some]


@browser
def test_aligning(shown, course: Path) -> None:
    stored = stored_model(course, "aligning")
    assert tuple(stored["partners"]) == gold_alignment(345_627)
    keys = Keys(shown, "aligning")
    keys.reach("Steps of training")
    for press, one in (("", stored["frames"][0]), ("End", stored["frames"][-1])):
        keys.press(*([press] if press else []))
        pairs = [(i, j) for i, j in enumerate(stored["partners"]) if j >= 0]
        share = sum(one["weights"][i][j] for i, j in pairs) / len(pairs) / 100
        said = re.match(r"([\d,]+) steps: (\d\.\d\d) of the weight", keys.said)
        assert int(said[1].replace(",", "")) == one["step"]
        assert float(said[2]) == pytest.approx(share, abs=0.0051)
        assert keys.said.endswith(f"It writes: {' '.join(one['said']) or '(nothing)'}.")
        pieces = [*stored["source"], "end"]
        first = one["weights"][0]
        assert (
            f"looks most at {pieces[first.index(max(first))]}, {max(first) / 100:.2f}"
            in keys.drawn()
        )


@browser
def test_search(shown, course: Path) -> None:
    stored = stored_model(course, "search")
    for width, steps in stored["widths"].items():
        kept = [([], 0.0)]
        for candidates in steps:
            assert all(one["kept"] == (i < int(width)) for i, one in enumerate(candidates))
            kept = [
                (kept[one["parent"]][0] + ([one["word"]] if one["word"] else []), one["logp"])
                for one in candidates
                if one["kept"]
            ]
        best = max(kept, key=lambda one: one[1])
        said = " ".join(best[0]).replace("</s>", "■")
        keys = Keys(shown, "search")
        keys.reach("Beam width")
        keys.press(width)
        keys = Keys(shown, "search")
        keys.reach("Step")
        keys.press("End")
        assert f"{said} ({best[1]:.2f})".replace("-", "−") in keys.said


def opened(model, ids: torch.Tensor, causal: bool, places: bool, gone: str) -> dict:
    """What a GPT computes on the way, by the package's modules, in double precision."""
    model = copy.deepcopy(model).double()
    if gone:
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
    [(True, True, ""), (False, True, ""), (True, False, ""), (True, True, "1.2")],
)
def test_what_a_gpt_computes_is_the_packages(loaded, writer, causal, places, gone) -> None:
    model, tokenizer = writer
    ids = torch.tensor([tokenizer.encode("My lord, I would not")])
    ours = opened(model, ids, causal, places, gone)
    theirs = loaded.evaluate(
        """([ids, causal, places, gone]) => {
            const model = Live.gpt(Live.data.writer);
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
        if gone:
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
    [(False, True, ""), (True, True, ""), (False, False, ""), (False, True, "0.2")],
)
def test_what_an_encoder_computes_is_the_packages(loaded, gaps, causal, places, gone) -> None:
    models, known = gaps
    words_ = ["she", "<mask>", "a", "long", "low", "note"]
    ids = torch.tensor([[known.index(word) for word in words_]])
    ours = opened_encoder(models["both"], ids, causal, places, gone, 1)
    theirs = loaded.evaluate(
        """([words, causal, places, gone]) => {
            const stored = Live.data.gaps;
            const model = Live.reader({ ...stored, weights: stored.sides.both });
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
def test_inside(shown, writer, gaps) -> None:
    (model, tokenizer), (models, known) = writer, gaps
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
                    else opened_encoder(models["both"], torch.tensor([read]), *one, place)["logits"]
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


def parts_off(model, places: bool, gone: str):
    """The package's translator without its positions or a head, and what its blocks give."""
    model, outputs = copy.deepcopy(model).double(), {}
    with torch.no_grad():
        if gone:
            stack, layer, name, head = gone.split(".")
            W_O = getattr(getattr(model, stack)[int(layer)], name).W_O
            across = model.config.d_model // model.config.num_heads
            W_O[int(head) * across : (int(head) + 1) * across] = 0
    for stack in ("encoder", "decoder"):
        for layer, block in enumerate(getattr(model, stack)):
            block.register_forward_hook(
                lambda _, __, out, name=f"{stack}.{layer}": outputs.__setitem__(
                    name, out[0] if isinstance(out, tuple) else out
                )
            )
    if not places:
        for positions in (model.source_positions, model.target_positions):
            positions.embed = lambda x, start: x
    return model, outputs


@browser
@pytest.mark.parametrize(
    ("places", "gone"),
    [(True, ""), (False, ""), (True, "encoder.0.attention.1"), (True, "decoder.1.cross.2")],
)
def test_what_a_translator_computes_is_the_packages(loaded, translator, places, gone) -> None:
    module, model, words = translator
    ids, row = module.as_pair(words, "english sieben und dreißig", "thirty seven")
    theirs = loaded.evaluate(
        """([ids, row, places, gone]) => {
            const model = Live.translator(Live.data.translator);
            const options = { places, gone: new Set(gone ? [gone] : []) };
            const encoder = model.read(ids, options);
            return { encoder, decoder: model.decode(row, encoder.states, options) };
        }""",
        [ids, row[:-1], places, gone],
    )
    one, outputs = parts_off(model, places, gone)
    with torch.no_grad():
        logits = one(torch.tensor([ids]), torch.tensor([row[:-1]])).logits[0, -1]
    assert len(outputs) == 4
    for name, ours in outputs.items():
        stack, layer = name.split(".")
        found = torch.tensor(theirs[stack]["blocks"][int(layer)]["after"])
        assert (found.double() - ours[0]).abs().max() < NEAR, name
    found = torch.tensor(theirs["decoder"]["logits"]).double()
    assert (found - logits).abs().max() < 1e-3


@browser
def test_stacks(shown, translator) -> None:
    module, model, words = translator
    keys = Keys(shown, "stacks")
    source = "english sieben und dreißig"
    (said,) = module.translate(model, words, words, [source], max_new_tokens=22)
    assert keys.said.startswith(f"It writes: {said}. After the last word: “end”")
    keys.reach("Step")
    keys.press("Home")
    ids, row = module.as_pair(words, source, said)
    for number, numbers_ in enumerate((ids, row[:-1])):
        shown_ = [text for text in keys.texts(number) if text.isdigit()]
        assert shown_ == [str(one) for one in numbers_]
    keys.reach("Positions")
    keys.press(" ")
    found = shown.evaluate(
        """words => Live.translator(Live.data.translator)
            .translate(words, 1, { places: false }).said.join(" ")""",
        words.tokenize(source),
    )
    assert keys.said.startswith(f"It writes: {found}.")
    assert (f"With everything on, it writes: {said}." in keys.said) == (found != said)
    keys.press(" ")
    keys.reach("Switch off")
    keys.press("End")
    off = keys.figure.get_by_label("Switch off", exact=True).input_value()
    assert off == "decoder.1.cross.3"


# ---- the block -----------------------------------------------------------------------------------

#: As the selects of the figure name them.
STREAMS = [
    (residual, norm, init)
    for residual, norm, init in [
        (True, "pre", "xavier"), (True, "post", "xavier"), (True, "post", "gpt2"),
        (True, "none", "gpt2"), (False, "pre", "large"), (False, "post", "gpt2"),
    ]
]  # fmt: skip


def packages_stream(page, residual: bool, norm: str, init: str) -> list[Tensor]:
    """The words before the first block and after each, by the package with the script's weights."""
    sizes = FIGURES["residual-stream"].data["sizes"]
    weights = page.evaluate("([init, sizes]) => Live.stream.weights(init, sizes)", [init, sizes])

    class Replacing(Block):
        def _add(self, x: Tensor, out: Tensor) -> Tensor:
            return out

    width, x = sizes["width"], torch.tensor(weights["tokens"], dtype=torch.float64)[None]
    states = [x[0]]
    for numbers_ in weights["blocks"]:
        block = (Block if residual else Replacing)(
            MultiHeadAttention(width, sizes["heads"]), FeedForward(width, sizes["hidden"]),
            "post" if norm == "post" else "pre",
            make_norm=(lambda d, eps: torch.nn.Identity()) if norm == "none" else LayerNorm,
        ).double()  # fmt: skip
        with torch.no_grad():
            for name, values in numbers_.items():
                part = block.ffn if name in ("W_1", "W_2") else block.attention
                getattr(part, name).copy_(torch.tensor(values, dtype=torch.float64))
            x, _ = block(x)
        states.append(x[0])
    return states


def differing(x: Tensor) -> float:
    return ((x - x.mean(0)).norm() / x.norm()).item()


@browser
@pytest.mark.parametrize("residual, norm, init", STREAMS)
def test_the_scripts_stream_is_the_packages(loaded, residual: bool, norm: str, init: str) -> None:
    sizes = FIGURES["residual-stream"].data["sizes"]
    ours = loaded.evaluate(
        "([settings, sizes]) => Live.stream.run(settings, sizes)",
        [{"residual": residual, "norm": norm, "init": init}, sizes],
    )
    theirs = packages_stream(loaded, residual, norm, init)
    assert len(ours) == len(theirs) == sizes["blocks"] + 1
    for one, other in zip(ours, theirs, strict=True):
        largest = other.abs().max().item()
        assert torch.tensor(one, dtype=torch.float64).sub(other).abs().max() < NEAR * largest


@browser
def test_first_weights_have_the_deviation_that_is_named(loaded) -> None:
    sizes = FIGURES["residual-stream"].data["sizes"]
    wanted = {
        "xavier": (math.sqrt(2 / 32), math.sqrt(2 / 80)),
        "large": (3 * math.sqrt(2 / 32), 3 * math.sqrt(2 / 80)),
        "gpt2": (0.02 * math.sqrt(768 / 16), 0.02 * math.sqrt(768 / 16 / 48)),
    }
    for init, (query, down) in wanted.items():
        weights = loaded.evaluate("([i, s]) => Live.stream.weights(i, s)", [init, sizes])
        for name, std in (("W_Q", query), ("W_2", down)):
            drawn = torch.tensor([block[name] for block in weights["blocks"]])
            assert drawn.std().item() == pytest.approx(std, rel=0.05), (init, name)
            assert abs(drawn.mean().item()) < 0.05 * std


@browser
def test_residual_stream(shown) -> None:
    """Every switch by keyboard; what is said and drawn is the package's."""
    keys = Keys(shown, "residual-stream")
    now = {"residual": True, "norm": "pre", "init": "xavier", "after": 12}

    def agrees() -> None:
        states = packages_stream(shown, now["residual"], now["norm"], now["init"])
        shares = [differing(x) for x in states]
        after = now["after"]
        assert numbers(keys.said)[:3] == pytest.approx([after, 24, shares[after]], abs=NEAR)
        drawn = numbers(keys.drawn(1))[1::2]
        assert drawn == pytest.approx(shares, abs=NEAR)

    agrees()
    for label, press, change in [
        ("Norm", "ArrowDown", {"norm": "post"}),
        ("Initial weights", "ArrowDown", {"init": "gpt2"}),
        ("Blocks passed", "End", {"after": 24}),
        ("Residual path", "Space", {"residual": False}),
        ("Norm", "ArrowDown", {"norm": "none"}),
        ("Initial weights", "ArrowDown", {"init": "large"}),
        ("Blocks passed", "Home", {"after": 0}),
    ]:
        keys = Keys(shown, "residual-stream")
        keys.reach(label)
        keys.press(press)
        now |= change
        if label == "Initial weights" and not now["residual"]:
            continue  # sizes of 10^38, whose rounding the shares would show
        agrees()


@browser
def test_surface(shown, course: Path) -> None:
    nets = json.loads(figure_numbers(course, "surface").read_text("utf-8"))["nets"]
    keys = Keys(shown, "surface")

    def bend(rows: list[list[float]]) -> float:
        Z = torch.tensor(rows, dtype=torch.float64)
        h, c = 2 / (len(Z) - 1), Z[1:-1, 1:-1]
        s, s_, t, t_ = Z[2:, 1:-1], Z[:-2, 1:-1], Z[1:-1, 2:], Z[1:-1, :-2]
        curvature = ((s - 2 * c + s_).abs() + (t - 2 * c + t_).abs()) / (2 * h * h)
        return (curvature.sum() / (torch.hypot(s - s_, t - t_) / (2 * h)).sum()).item()

    def agrees(pair: int, turn: int, tilt: int) -> None:
        for i, name in enumerate(("with", "without")):
            rows = nets[name][pair]["surface"]
            told = numbers(keys.drawn(i))
            assert told[:3] == pytest.approx(
                [nets[name][pair]["loss"], max(map(max, rows)), bend(rows)], abs=0.005 + NEAR
            )
            assert told[2] == pytest.approx(bend(rows), abs=NEAR)
        assert numbers(keys.said)[:3] == [pair + 1, turn, tilt]

    def corner() -> list[float]:
        return numbers(keys.figure.locator("path.facet").first.get_attribute("d"))

    agrees(0, 30, 30)
    before = corner()
    keys.reach("Turn")
    keys.press("ArrowRight", "ArrowRight")
    agrees(0, 40, 30)
    assert corner() != before
    keys.reach("Viewing angle")
    keys.press("End")
    agrees(0, 40, 60)
    keys.reach("Networks")
    keys.press("End")
    agrees(2, 40, 60)


@pytest.fixture(scope="module")
def vit(course: Path):
    """The model that finds the letter an arrow points at, in the package's own class."""
    module, stored = maker("arrow"), stored_model(course, "arrow")
    return module.load(stored), stored


def scaled(stored: dict, images: Tensor) -> Tensor:
    return (images.float() / 255 - stored["scale"]["mean"]) / stored["scale"]["deviation"]


@browser
def test_the_scripts_vision_transformer_is_the_packages(loaded, vit, course: Path) -> None:
    model, stored = vit
    images, _ = load_corpus("arrows", "test", held_out=20).tensors()
    hide = {
        "nothing": [],
        "corners": [0, 3, 12, 15],
        "one": [6],
    }
    for name, places in hide.items():
        hidden = torch.zeros(1, 16, dtype=torch.bool)
        hidden[0, places] = True
        for image in images[:20:4]:
            found = loaded.evaluate(
                "([image, hidden]) => Live.vit(Live.data.arrow).read(image, new Set(hidden))",
                [image[0].tolist(), places],
            )
            mask = torch.nn.functional.pad(~hidden, (1, 0), value=True)[:, None]
            with torch.no_grad():
                x = scaled(stored, image[None])
                whole = model(x, return_weights=True)
                tokens = patchify(x, stored["sizes"]["patch"]) @ model.W_P + model.b_P
                h = model.positions.embed(torch.cat([model.c.expand(1, 1, -1), tokens], dim=1))
                maps = []
                for block in model.blocks:
                    h, (weights,) = block(h, mask)
                    maps.append(weights[0])
                logits = model.norm(h[:, 0]) @ model.W + model.b
            assert found["logits"] == pytest.approx(logits[0].tolist(), abs=1e-3)
            assert (torch.tensor(found["maps"]) - torch.stack(maps)).abs().max() < NEAR, name
            if not places:
                assert (logits - whole.logits).abs().max() < 1e-4


@browser
@pytest.mark.parametrize(("places", "gone"), [(True, ""), (False, ""), (True, "1.2")])
def test_what_a_vision_transformer_computes_is_the_packages(loaded, vit, places, gone) -> None:
    model, stored = vit
    model = copy.deepcopy(model).double()
    image = load_corpus("arrows", "test")[3].pixels[None]
    with torch.no_grad():
        if gone:
            layer, head = map(int, gone.split("."))
            across = model.config.d_model // model.config.num_heads
            model.blocks[layer].attention.W_O[head * across : (head + 1) * across] = 0
        if not places:
            model.positions.P.zero_()
        ours = model(scaled(stored, image).double(), return_states=True)
    theirs = loaded.evaluate(
        """([image, places, gone]) => Live.vit(Live.data.arrow)
            .read(image, new Set(), { places, gone: new Set(gone ? [gone] : []) })""",
        [image[0, 0].tolist(), places, gone],
    )
    states = [theirs["start"], *(block["after"] for block in theirs["blocks"])]
    assert len(states) == len(ours.states["self"])
    for found, state in zip(states, ours.states["self"], strict=True):
        assert (torch.tensor(found).double() - state[0]).abs().max() < NEAR
    assert (torch.tensor(theirs["logits"]).double() - ours.logits[0]).abs().max() < 1e-3


@browser
def test_patches(shown, vit) -> None:
    model, stored = vit
    keys, data = Keys(shown, "patches"), FIGURES["patches"].data

    def scene(corner: int, turn: int) -> list:
        return shown.evaluate(
            "scene => Live.vit(Live.data.arrow).paint(scene)",
            {
                "letters": [
                    {"kind": stored["letters"].index(letter), "turn": 2,
                     "top": 19 * (n // 2), "left": 19 * (n % 2)}
                    for n, letter in enumerate(data["letters"])
                ],
                "arrow": {"corner": corner, "turn": turn, "top": 9, "left": 9}, "dashes": [],
            },
        )  # fmt: skip

    def agrees(pixels: list, places: bool = True) -> None:
        one = copy.deepcopy(model)
        if not places:
            one.positions.P.data.zero_()
        with torch.no_grad():
            shares = one(scaled(stored, torch.tensor([[pixels]]))).logits[0].softmax(-1)
        letter = stored["letters"][shares.argmax()]
        assert keys.said.startswith(f"It says {letter} with probability {shares.max():.2f}")
        assert ("with everything on" in keys.said) != places

    agrees(scene(**data["arrow"]))
    keys.reach("Arrow")
    keys.press("Home")
    agrees(scene(0, 0))
    keys.reach("Positions")
    keys.press(" ")
    agrees(scene(0, 0), places=False)
    keys.press(" ")
    keys.reach("Switch off")
    keys.press("End")
    assert "with everything on" in keys.said
    assert keys.drawn(1).startswith("Block 2: weights A, head 1: softmax of each row. Shape T × T")


@browser
def test_the_scripts_images_are_the_corpus_own(loaded, vit) -> None:
    _, stored = vit
    letters, (corner, turn, *place), dashes = drawn_numbers(Draw("arrows test 0"), 4)
    scene = {
        "letters": [
            dict(zip(("kind", "turn", "top", "left"), one, strict=True)) for one in letters
        ],
        "arrow": {"corner": corner, "turn": turn, "top": place[0], "left": place[1]},
        "dashes": [dict(zip(("kind", "top", "left"), one, strict=True)) for one in dashes],
    }
    found = loaded.evaluate("scene => Live.vit(Live.data.arrow).paint(scene)", scene)
    assert torch.equal(torch.tensor(found), load_corpus("arrows", "test")[0].pixels[0].int())


@browser
def test_arrow(shown, vit) -> None:
    model, stored = vit
    keys = Keys(shown, "arrow")
    given = FIGURES["arrow"].data
    keys.reach("Letter top left")
    keys.press("h")
    keys.reach("Dashes")
    keys.press("Home")
    letters = ["H", *given["letters"][1:]]
    keys = Keys(shown, "arrow")
    keys.reach("Arrow")
    for press, corner, turn in (("Home", 0, 0), ("End", 2, 4)):
        keys.press(press)
        pixels = shown.evaluate(
            "scene => Live.vit(Live.data.arrow).paint(scene)",
            {
                "letters": [
                    {"kind": stored["letters"].index(letter), "turn": 2,
                     "top": 19 * (n // 2), "left": 19 * (n % 2)}
                    for n, letter in enumerate(letters)
                ],
                "arrow": {"corner": corner, "turn": turn, "top": 9, "left": 9}, "dashes": [],
            },
        )  # fmt: skip
        with torch.no_grad():
            output = model(scaled(stored, torch.tensor([[pixels]])), return_weights=True)
        shares = output.logits[0].softmax(-1)
        told = numbers(keys.drawn(1))
        assert told == pytest.approx(shares.tolist(), abs=0.0005 + NEAR)
        assert f"the arrow points to the {stored['corners'][corner]}" in keys.drawn()
        on_patch = output.maps["self"][-1][0].mean(0)[0, 1 + [0, 3, 12, 15][corner]]
        assert f"Attention on the letter's patch: {on_patch:.2f}" in keys.said
        assert f"It says {stored['letters'][shares.argmax()]} with" in keys.said
    keys.reach("Attention of")
    keys.press("End")
    assert keys.texts()[0] == "[CLS] in layer 1, mean of the heads"


@browser
def test_occlusion(shown, vit, course: Path) -> None:
    model, stored = vit
    keys = Keys(shown, "occlusion")
    scene = FIGURES["occlusion"].data["scenes"][0]
    pixels = shown.evaluate(
        "scene => Live.vit(Live.data.arrow).paint(scene)",
        scene | {"letters": [
            {"kind": stored["letters"].index(one[0]), "turn": one[1], "top": one[2], "left": one[3]}
            for one in scene["letters"]
        ]},
    )  # fmt: skip
    assert keys.said.startswith("All patches are there")
    keys.reach("Patch")
    keys.press("Home", *["ArrowRight"] * 12)
    keys.reach("Leave this patch out", "button")
    keys.press("Enter")
    found = [
        shown.evaluate(
            "([image, hidden]) => Live.vit(Live.data.arrow).read(image, new Set(hidden)).shares",
            [pixels, hidden],
        )
        for hidden in ([12], [])
    ]
    assert numbers(keys.drawn(1)) == pytest.approx(sum(found, []), abs=0.0005 + NEAR)
    assert "left out: row 4, column 1." in keys.drawn()
    assert keys.said.startswith("Without 1 patch: L from ")
    keys.reach("Put this patch back", "button")
    keys.press("Enter")
    assert keys.said.startswith("All patches are there")
    cell = keys.figure.locator("svg.live-picture").first
    cell.click(position={"x": 10, "y": 10})  # beside the image: nothing happens
    assert keys.said.startswith("All patches are there")
    box = cell.bounding_box()
    cell.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
    assert keys.said.startswith("Without 1 patch")
    keys.reach("Next image", "button")
    keys.press("Enter")
    assert "none is left out" in keys.drawn()


@browser
def test_the_scripts_ink_is_the_corpus_own(loaded) -> None:
    """A line on the canvas has the darkness of the corpus' strokes; what is rubbed out is gone."""
    at = torch.arange(28).double()
    for x, y, to_x, to_y in ((3, 4, 20, 9), (14.5, 2.25, 14.5, 26), (6, 6, 6, 6)):
        found = loaded.evaluate(
            """([from, to]) => {
                const model = Live.vit(Live.data.drawing), drawn = model.blank();
                model.stroke(drawn, from, to);
                const gone = drawn.map((row) => [...row]);
                model.stroke(gone, from, to, true);
                return [drawn, gone];
            }""",
            [[x, y], [to_x, to_y]],
        )
        expected = ink(distance(x, y, to_x, to_y, at[None, :], at[:, None])).int()
        assert (torch.tensor(found[0]) - expected).abs().max() <= 1  # a half may round either way
        assert torch.tensor(found[1]).max() <= 128


def read_canvas(page, name: str = "drawing") -> torch.Tensor:
    """The pixels of the canvas, from the squares of ink in the picture."""
    marks = page.locator(f"#figure-{name} svg.live-picture").first.locator("rect.ink")
    dot, pixels = 268 / 28, torch.zeros(28, 28)
    for x, y, share in marks.evaluate_all(
        "all => all.map(one => ['x', 'y', 'fill-opacity'].map(n => +one.getAttribute(n)))"
    ):
        pixels[round((y - 28) / dot), round((x - 46) / dot)] = share * 255
    return pixels


@browser
def test_drawing_by_keyboard(shown, course: Path) -> None:
    module, stored = maker("arrow"), stored_model(course, "drawing")
    model, keys = module.load(stored), Keys(shown, "drawing")
    images, labels, _ = module.images_of("drawing", "test", module.TESTED, seed=0)
    hint = keys.figure.inner_text()
    assert f"was right on {100 * stored['tested']['right']:.0f} % of 2,000 new ones" in hint
    assert f"was right on {100 * stored['tested']['stamped']:.0f} % of them" in hint

    def agrees(pixels, mask=None) -> None:
        """The bars are the package's probabilities of these pixels."""
        with torch.no_grad():
            x = module.scaled(stored, pixels.view(1, 1, 28, 28))
            if mask is None:
                shares = model(x).logits[0].softmax(-1)
            else:
                tokens = patchify(x, 7) @ model.W_P + model.b_P
                h = model.positions.embed(torch.cat([model.c.expand(1, 1, -1), tokens], dim=1))
                for block in model.blocks:
                    h, _ = block(h, mask)
                shares = (model.norm(h[:, 0]) @ model.W + model.b)[0].softmax(-1)
        assert numbers(keys.drawn(1)) == pytest.approx(shares.tolist(), abs=0.0005 + NEAR)
        assert f"says {stored['letters'][shares.argmax()]} with probability" in keys.said

    first = FIGURES["drawing"].data["first"]
    agrees(images[first])
    assert f"The arrow points at {stored['letters'][labels[first]]}." in keys.said
    keys.reach("Next example", "button")
    keys.press("Enter")
    agrees(images[first + 1])
    keys.reach("Next example", "button")
    keys.press("Shift+Tab", "Enter")  # Clear
    agrees(torch.zeros(28, 28))
    assert "Nothing is drawn" in keys.drawn() and "The arrow points" not in keys.said
    # An L in the top left corner: two lines from point to point.
    lines, at = torch.zeros(28, 28), torch.arange(28).double()
    places = [(1, 1), (1, 7), (6, 7)]
    for number, (across, down) in enumerate(places):
        keys = Keys(shown, "drawing")
        for label, value in (("Pen across", across), ("Pen down", down)):
            keys.reach(label)
            keys.press("Home", *["ArrowRight"] * value)
        if number == 0:
            keys.reach("Start a line at the pen", "button")
        else:
            keys.reach("Draw the line to the pen", "button")
            (x, y), (to_x, to_y) = places[number - 1], (across, down)
            stroke = ink(distance(x, y, to_x, to_y, at[None, :], at[:, None]))
            lines = torch.maximum(lines, stroke.float())
        keys.press("Enter")
        agrees(lines)
    # Of what is drawn in the first patch, nobody may know.
    keys.reach("Leave out the patch under the pen", "button")
    keys.press("Enter")
    mask = torch.ones(1, 1, 17, dtype=torch.bool)
    place = (7 // 7) * 4 + 6 // 7
    mask[..., 1 + place] = False
    agrees(lines, mask)
    assert "Left out: row 2, column 1." in keys.drawn()
    keys.reach("Put back the patch under the pen", "button")
    keys.press("Enter")
    agrees(lines)
    keys.reach("Undo", "button")
    keys.press("Enter")
    assert "row 1, column 1: " in keys.drawn()


@browser
@pytest.mark.parametrize("touch", [False, True])
def test_drawing_by_mouse_and_by_finger(chromium, page_file: Path, touch: bool) -> None:
    with offline(chromium, viewport={"width": 390, "height": 844}, has_touch=touch) as page:
        page.goto(page_file.as_uri())
        keys = Keys(page, "drawing")
        keys.figure.get_by_role("button", name="Clear").click()
        picture = keys.figure.locator("svg.live-picture").first
        picture.scroll_into_view_if_needed()
        before = page.evaluate("scrollY")
        box = picture.bounding_box()
        unit = box["width"] / 360
        points = [(box["x"] + (46 + x * 268 / 28) * unit, box["y"] + (28 + y * 268 / 28) * unit)
                  for x, y in ((3, 3), (3, 12), (3, 20), (12, 20))]  # fmt: skip
        if touch:
            Finger(page).along(*points)
        else:
            page.mouse.move(*points[0])
            page.mouse.down()
            for point in points[1:]:
                page.mouse.move(*point, steps=5)
            page.mouse.up()
        assert page.evaluate("scrollY") == before
        drawn = read_canvas(page)
        at = torch.arange(28).double()
        wanted = torch.zeros(28, 28)
        for a, b in (((2.5, 2.5), (2.5, 19.5)), ((2.5, 19.5), (11.5, 19.5))):
            stroke = ink(distance(*a, *b, at[None, :], at[:, None]))
            wanted = torch.maximum(wanted, stroke.float())
        assert (drawn - wanted).abs().max() < 40  # a hand's pixels are whole on the screen
        keys.figure.get_by_label("Mouse or finger", exact=True).select_option("leave")
        picture.scroll_into_view_if_needed()
        box = picture.bounding_box()
        middle_ = (box["x"] + (46 + 100) * unit, box["y"] + (28 + 30) * unit)
        (page.touchscreen.tap if touch else page.mouse.click)(*middle_)
        assert "Left out: row 1, column 2." in keys.drawn()
        keys.figure.get_by_label("Mouse or finger", exact=True).select_option("draw")
        keys.figure.get_by_role("button", name="Undo").click()
        assert read_canvas(page).max() == 0
        assert not page.faults


def gradients_by_the_package(course: Path, gain: float, linear: bool) -> list[float]:
    """The norm of d h_n / d x_1 for each n, as its power of ten."""
    cell, x = maker("gradient").load(stored_model(course, "gradient"), gain)
    if linear:
        cell.g = lambda z: z
    first = x[:1].requires_grad_()
    h, found = None, []
    for t in range(len(x)):
        h = cell(first if t == 0 else x[t : t + 1], h)
        (G,) = torch.autograd.grad(
            h[0], first, torch.eye(h.shape[1]).double(), retain_graph=True, is_grads_batched=True
        )
        found.append(G.norm().log10().item())
    return found


@browser
@pytest.mark.parametrize(("gain", "linear"), [(1.0, False), (2.4, False), (1.3, True)])
def test_the_scripts_gradients_are_the_packages(loaded, course: Path, gain, linear) -> None:
    found = loaded.evaluate(
        "([gain, linear]) => Live.gradients(Live.data.gradient, gain, linear)", [gain, linear]
    )
    assert found == pytest.approx(gradients_by_the_package(course, gain, linear), abs=NEAR)


@browser
def test_gradient(shown, course: Path) -> None:
    keys, data = Keys(shown, "gradient"), FIGURES["gradient"].data
    lengths, gain = [1, 2, 4, 8, 16, 32, 64], data["gain"]

    def compare(linear: bool = False) -> None:
        powers = gradients_by_the_package(course, round(gain, 1), linear)
        drawn = numbers(keys.drawn().partition("64: ")[2])
        assert drawn == pytest.approx([powers[n - 1] for n in lengths], abs=0.0005 + NEAR)

    keys.reach("Number of words")
    keys.press("End")
    assert keys.said.startswith("Length 64: ") and "It vanishes" in keys.said
    keys.reach("Scale of U")
    for press, change in (("ArrowRight", 0.1), ("ArrowRight", 0.1), ("End", 3 - gain - 0.2)):
        keys.press(press)
        gain += change
        compare()
    assert "It explodes" in keys.said
    keys.reach("Without the tanh")
    keys.press("Space")
    compare(linear=True)


@pytest.fixture(scope="module")
def number_reader(course: Path):
    """The GRU of the figure in the package's own class, step by step, and its words."""
    module, stored = maker("gates"), stored_model(course, "gates")
    model = module.load(stored)
    ids = {word: i for i, word in enumerate(stored["words"])}

    @torch.no_grad()
    def read(words: list[str]) -> list[dict]:
        tokens = torch.tensor([[ids.get(word, module.UNKNOWN) for word in words]])
        cell, h, steps = model.recurrent.cells[0], torch.zeros(1, module.HIDDEN), []
        for x in model.embedding(tokens)[0]:
            gates = (x @ cell.W + cell.b + (h @ cell.U)[0]).chunk(3)
            h = cell(x[None], h)
            plural = torch.sigmoid(h[0] @ model.w + model.b)
            steps.append({"z": gates[1].sigmoid(), "h": h[0], "plural": plural.item()})
        said = model(tokens).sigmoid()[0].tolist()
        assert [one["plural"] for one in steps] == pytest.approx(said, abs=1e-6)
        return steps

    return read


@browser
def test_the_scripts_gru_is_the_packages(loaded, number_reader) -> None:
    for text in (FIGURES["gates"].data["sentence"], "the zebra said the cats in the tree"):
        found = loaded.evaluate(
            "words => Live.numberReader(Live.data.gates).read(words)", text.split()
        )
        for one, expected in zip(found, number_reader(text.split()), strict=True):
            for name in ("z", "h"):
                assert one[name] == pytest.approx(expected[name].tolist(), abs=NEAR)
            assert one["plural"] == pytest.approx(expected["plural"], abs=NEAR)


@browser
def test_gates(shown, number_reader) -> None:
    keys, said = Keys(shown, "gates"), "the keys to the old cabinet"
    typed(keys, said)
    steps = number_reader(said.split())
    keys.reach("Hidden unit")
    for unit, press in ((0, "Home"), (1, "ArrowRight"), (5, "End")):
        keys.press(press)
        drawn = keys.drawn()
        for label, values in (
            (f"Kept by unit {unit + 1} at each word: ", [one["z"][unit] for one in steps]),
            ("Its value: ", [one["h"][unit] for one in steps]),
            ("Probability of a plural verb: ", [one["plural"] for one in steps]),
        ):
            shown_numbers = numbers(drawn.partition(label)[2].partition(". ")[0].rstrip("."))
            assert shown_numbers == pytest.approx([float(v) for v in values], abs=0.005 + NEAR)
    keys = Keys(shown, "gates")
    keys.reach("Word")
    keys.press("Home", "ArrowRight")
    assert keys.said.startswith(f"After keys: plural with probability {steps[1]['plural']:.2f}.")
    keys = Keys(shown, "gates")
    typed(keys, "the zebra sleeps")
    assert "does not know zebra" in keys.figure.locator(".live-note").inner_text()


@browser
def test_online_softmax(shown) -> None:
    data = FIGURES["online-softmax"].data
    s = torch.tensor(data["scores"], dtype=torch.float64)
    v = torch.tensor(data["values"], dtype=torch.float64)
    keys = Keys(shown, "online-softmax")

    def agrees(scores: Tensor, values: Tensor, size: int) -> None:
        """From the first block on, what is drawn is the softmax of the words read so far."""
        kept = shown.evaluate(
            "a => Live.onlineSoftmax(...a)", [scores.tolist(), values.tolist(), size]
        )
        assert len(kept) == math.ceil(len(scores) / size) + 1
        for number, one in enumerate(kept[1:], 1):
            keys.press("ArrowRight")
            read = min(number * size, len(scores))
            assert one["read"] == read
            # The scores as queries of a key each: the package's tiles, of the same size.
            output = flash_attention(
                torch.ones(1, 1, dtype=torch.float64), scores[:read, None], values[:read],
                scale=1.0, block_k=size,
            )[0]  # fmt: skip
            total = (scores[:read] - scores[:read].max()).exp().sum()
            assert one["m"] == scores[:read].max().item()
            assert one["l"] == pytest.approx(total.item(), abs=NEAR)
            found = torch.tensor(one["acc"], dtype=torch.float64) / one["l"]
            assert (found - output).abs().max() < NEAR
            said = numbers(keys.drawn(1))
            wanted = [scores[:read].max(), total, *(output * total), *output]
            assert said == pytest.approx([float(x) for x in wanted], abs=NEAR)

    for order in ("last", "first"):
        for size in (1, 2, 3, 8):
            keys = Keys(shown, "online-softmax")
            keys.reach("Block size")
            keys.press("Home", *["ArrowRight"] * (size - 1))
            keys.reach("Blocks read")
            keys.press("Home")
            assert "Nothing is read yet" in keys.said
            agrees(*((s.flip(0), v.flip(0)) if order == "last" else (s, v)), size)
            assert f"Block {math.ceil(8 / size)} of {math.ceil(8 / size)}" in keys.said
        keys.reach("Read")
        keys.press("End")


class Slices(TorchDispatchMode):
    """Counts the numbers in slices: what a loop over tiles reads and writes."""

    def __init__(self) -> None:
        super().__init__()
        self.numbers = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        found = function(*args, **(kwargs or {}))
        if function is torch.ops.aten.slice.Tensor and found.shape != args[0].shape:
            self.numbers += found.numel()
        return found


@browser
def test_tile_walk(shown) -> None:
    data = FIGURES["tile-walk"].data
    n, width, size = data["n"], data["width"], data["size"]
    generator = torch.Generator().manual_seed(0)
    q, k, v = torch.randn(3, n, width, generator=generator).unbind()
    keys = Keys(shown, "tile-walk")
    keys.reach("Tile size")
    keys.press("Home")
    for place, tile in enumerate(data["tiles"]):
        keys.press(*(["ArrowRight"] if place else []))
        across = n // tile
        if across > 1:  # what the package's loop reads and writes; a whole tensor is not sliced
            with Slices() as counted:
                flash_attention(q, k, v, block_q=tile, block_k=tile)
            tiled = size * counted.numbers
        else:
            tiled = size * (4 * n * width + n)
        held = size * (4 * tile * width + tile**2 + 2 * tile)
        keys.reach("Current tile")
        keys.press("End")
        assert f"Tile {across**2} of {across**2} is being computed" in keys.drawn()
        naive = size * (4 * n * width + 4 * n * n)
        assert numbers(keys.drawn(1)) == [naive, tiled, tiled, held]
        keys.press("Home")
        first = size * 3 * tile * width + (size * tile * (width + 1) if across == 1 else 0)
        assert numbers(keys.drawn(1)) == [naive, first, tiled, held]
        assert ("which fits" in keys.said) == (held <= data["fast"])
        keys.press("Shift+Tab")


@browser
def test_number_formats(shown, course: Path) -> None:
    keys, data = Keys(shown, "number-formats"), FIGURES["number-formats"].data
    stored = json.loads(figure_numbers(course, "underflow").read_text("utf-8"))
    generator = torch.Generator().manual_seed(0)
    some = 10 ** (torch.rand(200, generator=generator, dtype=torch.float64) * 18 - 12)
    edges = [1.0, 256.0, 257.0, 259.0, 65504.0, 65519.0, 65520.0, 2.0**-14, 2.0**-25, 3 * 2.0**-25]
    for name, exponent, mantissa in data["formats"]:
        dtype = getattr(torch, name)
        for x in [*some.tolist(), *edges, 0.0]:
            found = shown.evaluate("a => Live.rounded(...a)", [x, exponent, mantissa])
            expected = torch.tensor(x, dtype=torch.float64).to(dtype)
            assert found["value"] == expected.item(), (name, x)
            whole = expected.view(torch.int32 if dtype == torch.float32 else torch.int16).item()
            assert found["exponent"] * 2**mantissa + found["mantissa"] == whole, (name, x)

    powers = torch.arange(len(stored["counts"])) + stored["lowest"]
    counts = torch.tensor(stored["counts"], dtype=torch.float64)
    middle = 1.5 * 2.0 ** powers.double()  # stands for all of its power of two

    def agrees(value: float, tokens: int, factor: int) -> None:
        texts = keys.drawn()
        for name, _, _ in data["formats"]:
            rounded = torch.tensor(value, dtype=torch.float64).to(getattr(torch, name)).item()
            said = texts.partition(f" {name}: ")[2].partition(", exponent")[0]
            assert float(said.replace("infinite", "inf")) == pytest.approx(rounded, rel=NEAR)
        seen = middle * stored["tokens"] / 2**tokens * 2**factor
        half = seen.half().double()
        lost, over = half == 0, half.isinf()
        coarse = (seen < torch.finfo(torch.half).smallest_normal) & ~lost
        shares = [100 * (counts[one].sum() / counts.sum()).item() for one in (lost, coarse, over)]
        drawn = numbers(keys.drawn(1).partition(":")[2])
        assert drawn == pytest.approx(shares, abs=NEAR)

    size = data["start"]
    tokens, factor = data["tokens"], data["scale"]
    agrees(10**size, tokens, factor)
    keys.reach("Value")
    for press, size in (("ArrowRight", -0.95), ("Home", -9), ("End", 6)):
        keys.press(press)
        agrees(10**size, tokens, factor)
    assert "float16 overflows" in keys.said
    keys.reach("Tokens in a batch")
    for press, tokens in (("ArrowRight", 21), ("End", 22), ("Home", 12)):
        keys.press(press)
        agrees(10**size, tokens, factor)
    keys.press("End")
    keys.reach("Loss multiplied by")
    for press, factor in (("ArrowRight", 1), ("End", 24)):
        keys.press(press)
        agrees(10**size, 22, factor)


@browser
def test_sharding(shown) -> None:
    """What a worker holds is what is left of the package's model when it is shared out."""
    data = FIGURES["sharding"].data
    N, layers, room = data["parameters"], data["layers"], data["room"]
    keys = Keys(shown, "sharding")
    keys.reach("Sharded")
    for stage in range(4):
        keys.press(*(["ArrowDown"] if stage else []))
        keys.reach("Workers")
        for place, workers in enumerate(data["counts"]):
            keys.press("ArrowRight" if place else "Home")
            held = {
                "weights": 4 * N / (workers if stage == 3 else 1),
                "gradients": 4 * N / (workers if stage >= 2 else 1),
                "optimiser": 8 * N / (workers if stage >= 1 else 1),
            }
            layer = 4 * N / layers if workers > 1 else 0
            rounds = 4 * N * (workers - 1) / workers
            # Between steps; with whole layers in passing; the most, with gradients too.
            passing = layer * (stage == 3) + layer * (stage >= 2)
            most = sum(held.values()) + passing
            sent = rounds * (3 if stage == 3 else 2)
            keys.reach("Part of the step")
            seen = 0.0
            for moment in range(5):
                keys.press("ArrowRight" if moment else "Home")
                now, at_most, in_all, part = numbers(keys.drawn(1))
                seen += part
                own = held | ({} if moment > 1 else {"gradients": 0})
                gathered = layer * (stage == 3) if moment in (1, 2) else 0
                gathered += layer * (stage >= 2) if moment == 2 else 0
                assert now == pytest.approx(sum(own.values()) + gathered, rel=1e-9)
                assert (at_most, in_all) == pytest.approx((most, sent), rel=1e-9)
                assert ("does not fit" in keys.said) == (most > room)
            assert seen == pytest.approx(sent, rel=1e-9)
            keys.press("Shift+Tab")
        keys.press("Shift+Tab")
