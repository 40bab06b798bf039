"""The trained models in the page: right, quick, light, and usable by finger and by ear."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from live_site import begin, computed, offline, own_page, stored_model

from coursebook.course import figure_numbers
from coursebook.live import FOLDER, maker, packed
from coursebook.live.__main__ import bare_page
from coursebook.live.catalogue import FIGURES
from tfcourse.data import load as load_corpus

pytestmark = pytest.mark.case_of("live figure")
browser = pytest.mark.browser

#: The figures of the models, and a control of each that changes what it says.
MODELS = {"map": "Your text", "inside": "Text", "writer": "Beginning", "hidden-word": "Sentence",
          "captions": "German caption",
          "translator": "A number or a date, in words", "arrow": "Dashes",
          "drawing": "Pen across",
          "patches": "Arrow"}  # fmt: skip
INPUTS = 200
NEAR = 1e-3
#: The forward pass of all of them; what the page draws is not counted.
RUNTIME = ("layers", "gpt-model", "reader-model", "bert-model", "translator-model", "vit-model")


@pytest.fixture(scope="module")
def scripts(chromium, tmp_path_factory: pytest.TempPathFactory, course: Path):
    """A page with the models' scripts and weights, opened from the disk."""
    folder = tmp_path_factory.mktemp("models")
    with offline(chromium) as page:
        page.goto(bare_page(course, folder, [FIGURES[name] for name in MODELS]).as_uri())
        yield page
        assert not page.faults


def furthest(found: list, expected: list[torch.Tensor]) -> float:
    """How far apart the logits of the two are at most, over all inputs."""
    assert len(found) == len(expected) == INPUTS
    pairs = zip(found, expected, strict=True)
    return max((torch.tensor(one) - other).abs().max().item() for one, other in pairs)


@browser
@pytest.mark.parametrize("name", ["map", "merges"])
@torch.no_grad()
def test_the_decoders_logits(scripts, course: Path, name: str) -> None:
    model, tokenizer = maker(name).load(stored_model(course, name))
    text = load_corpus("prose").text[:40_000]
    ids, longest = tokenizer.encode(text), model.config.context_length
    rows = [ids[37 * n : 37 * n + 1 + n % longest] for n in range(INPUTS)]
    found = computed(
        scripts,
        "([rows, name]) => rows.map((row) => Live.gpt(Live.data[name]).read(row).logits)",
        [rows, name],
    )
    expected = [model(torch.tensor([row])).logits[0, -1] for row in rows]
    assert furthest(found, expected) < NEAR


@browser
@torch.no_grad()
def test_the_encoders_logits(scripts, course: Path) -> None:
    stored = stored_model(course, "gaps")
    words, model = stored["words"], maker("gaps").load(stored)
    ids = {word: i for i, word in enumerate(words)}
    said = [list(one.words)[:12] for one in list(load_corpus("senses", "test"))[:INPUTS]]
    asked = [(row, n % len(row), n % 2 == 1) for n, row in enumerate(said)]
    found = computed(
        scripts,
        """asked => asked.map(([words, place, causal]) => {
            const model = Live.reader(Live.data.gaps);
            const read = words.map((word, t) => (t === place ? "<mask>" : word));
            return model.logits(model.read(read, { causal }).states[place]);
        })""",
        asked,
    )
    expected = []
    for row, place, causal in asked:
        model.config = replace(model.config, causal=causal)
        tokens = torch.tensor([[ids.get(word, ids["<unk>"]) for word in row]])
        tokens[0, place] = ids["<mask>"]
        places = torch.zeros_like(tokens).bool()
        places[0, place] = True
        expected.append(model(tokens, places=places).logits[0])
    assert furthest(found, expected) < NEAR


@browser
@pytest.mark.parametrize("side", ["both", "left"])
@torch.no_grad()
def test_the_scores_of_hidden_words_in_reviews(scripts, course: Path, side: str) -> None:
    module, stored = maker("masked"), stored_model(course, "masked")
    words, model = stored["words"], module.load(stored, side)
    rows = torch.randint(stored["special"], len(words), (INPUTS, stored["sizes"]["longest"]),
                         generator=torch.Generator().manual_seed(0)).tolist()  # fmt: skip
    asked = [(row[: 1 + n % len(row)], n % (1 + n % len(row))) for n, row in enumerate(rows)]
    found = computed(
        scripts,
        """([asked, side]) => {
            const stored = Live.data.masked;
            const model = Live.bert({ ...stored, weights: stored.sides[side].weights });
            return asked.map(([ids, place]) => model.scores(
                ids.map((id, t) => (t === place ? model.GAP : stored.words[id])), place,
                { causal: side === "left" }));
        }""",
        [asked, side],
    )
    first, last, gap = (words.index(token) for token in ("[CLS]", "[SEP]", "[MASK]"))
    expected = []
    for row, place in asked:
        ids = torch.tensor([[first, *row[:place], gap, *row[place + 1 :], last]])
        expected.append(model(ids, places=ids == gap).logits[0])
    assert furthest(found, expected) < NEAR


@browser
@torch.no_grad()
def test_the_translators_logits_and_beams(scripts, course: Path) -> None:
    module = maker("translator")
    model, words = module.load(stored_model(course, "translator"))
    pairs = module.pairs_of("test", held_out=INPUTS)
    pairs = pairs[:: len(pairs) // INPUTS][:INPUTS]
    rows = [module.as_pair(words, source, target) for source, target in pairs]
    rows = [(ids, row[: 1 + n % (len(row) - 1)]) for n, (ids, row) in enumerate(rows)]
    found = computed(
        scripts,
        """rows => {
            const model = Live.translator(Live.data.translator);
            return rows.map(([ids, row]) => model.decode(row, model.encode(ids)).logits);
        }""",
        rows,
    )
    expected = [model(*(torch.tensor([one]) for one in row)).logits[0, -1] for row in rows]
    assert furthest(found, expected) < NEAR
    sources = [source for source, _ in pairs[::10]]
    for beams in (1, 4):
        said = scripts.evaluate(
            """([sources, beams]) => {
                const model = Live.translator(Live.data.translator);
                return sources.map((one) => model.translate(one, beams).said.join(" "));
            }""",
            [[words.tokenize(one) for one in sources], beams],
        )
        options = {"num_beams": beams, "length_penalty": 0.0, "max_new_tokens": 22}
        assert said == module.translate(model, words, words, sources, **options)


@browser
@pytest.mark.parametrize("name", ["arrow", "drawing"])
@torch.no_grad()
def test_the_vision_transformers_logits(scripts, course: Path, name: str) -> None:
    module, stored = maker("arrow"), stored_model(course, name)
    images, _, _ = module.images_of(name, "test", INPUTS, seed=0)
    found = computed(
        scripts,
        "([name, images]) => images.map((one) => Live.vit(Live.data[name]).read(one).logits)",
        [name, images[:INPUTS, 0].tolist()],
    )
    expected = module.load(stored)(module.scaled(stored, images[:INPUTS])).logits
    assert furthest(found, list(expected)) < NEAR


def test_the_drawings_that_the_page_says_were_read_right(course: Path) -> None:
    """The figure states how many new drawings its model reads: as many as it does."""
    module, stored = maker("arrow"), stored_model(course, "drawing")
    images, labels, _ = module.images_of("drawing", "test", module.TESTED, seed=0)
    found, said = module.tested(stored, images, labels), stored["tested"]
    assert said == pytest.approx(found, abs=0.002)
    assert stored["examples"] == module.examples()


#: Milliseconds from the press of the button, or from the page's address, to the first answer.
STARTED = """async (figure) => {
    const button = figure.querySelector('.live-start button');
    const begun = button ? performance.now() : 0; // what needs no click begins with the page
    button?.click();
    while (!figure.querySelector('.live-status')?.textContent)
        await new Promise((then) => requestAnimationFrame(then));
    return performance.now() - begun;
}"""

#: Tokens a second once the context is full: of 64, one needs that half of it be read anew.
WRITTEN = """() => {
    const model = Live.gpt(Live.data.writer);
    const ids = Array.from({ length: model.longest }, (_, i) => i);
    model.next(ids);
    const begun = performance.now();
    for (let n = 0; n < 64; n += 1) {
        ids.push(Live.largest(model.next(ids)));
    }
    return 64000 / (performance.now() - begun);
}"""


@browser
@pytest.mark.release("measurement of a page's speed")
def test_the_first_answer_comes_in_a_moment_and_text_faster_than_it_is_read(
    chromium, page_file: Path
) -> None:
    def started(name: str) -> float:
        with offline(chromium) as page:  # a new one, so that nothing is loaded
            page.goto(own_page(page_file.parent, name).as_uri(), wait_until="commit")
            figure = page.locator(f"#figure-{name}")
            figure.locator(".live-stage button").first.wait_for()
            return figure.evaluate(STARTED)

    for name in (*MODELS, "two-senses", "merges"):
        most = 3000 if FIGURES[name].at_once else 1000
        assert any(started(name) < most for _ in range(3)), name
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "writer").as_uri())
        page.locator("#figure-writer").evaluate(STARTED)
        assert max(page.evaluate(WRITTEN) for _ in range(3)) >= 30


#: The height and the right edge of each.
BOXES = """all => all.map((one) => one.getBoundingClientRect())
    .map(({ height, right }) => [height, right])"""


@browser
def test_a_telephone_runs_them_by_touch(chromium, page_file: Path) -> None:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    with offline(chromium, **phone) as page:
        page.goto(page_file.as_uri())
        for name, label in MODELS.items():
            figure = page.locator(f"#figure-{name}")
            figure.scroll_into_view_if_needed()  # it begins when it is near
            if (start := figure.get_by_role("button", name="Start the model")).count():
                start.tap()
            status = figure.locator(".live-status")
            status.wait_for()
            before = status.inner_text()
            control = figure.get_by_label(label, exact=True)
            control.tap()
            if control.get_attribute("type") == "range":
                box = control.bounding_box()
                control.tap(position={"x": box["width"] - 4, "y": box["height"] / 2})
            else:
                control.fill("zwei")
            assert status.inner_text() != before, name
            touched = figure.locator("input:not([type=checkbox]), select, button")
            # Examples stand in a row that a finger moves.
            inside = figure.locator(".live-examples, input, select, button:not(.live-examples > *)")
            for height, _ in touched.filter(visible=True).evaluate_all(BOXES):
                assert height >= 40, name
            for _, right in inside.filter(visible=True).evaluate_all(BOXES):
                assert right <= 390, name
        assert not page.faults


@browser
def test_a_screen_reader_hears_what_there_is(chromium, page_file: Path) -> None:
    """Each control has a role and a name of its own, and what changes is said."""
    with offline(chromium) as page:
        page.goto(page_file.as_uri())
        for name in MODELS:
            figure = page.locator(f"#figure-{name}")
            begin(figure)
            for fold in figure.locator("details > summary").all():
                fold.press("Enter")  # what is folded is within reach
            heard = figure.aria_snapshot()
            controls = re.findall(r"- (?:textbox|slider|combobox|checkbox|button)\b.*", heard)
            names = [line.split('"')[1] for line in controls if '"' in line]
            assert len(names) == len(controls) == len(set(names)) >= 2, controls
            assert 'img "' in heard and "- status" in heard
            for picture in figure.locator("svg.live-picture:not([aria-hidden], [hidden])").all():
                assert len(picture.get_attribute("aria-label")) > 20


def open_each(figure, shapes: dict[int, list[tuple[int, ...] | None]]) -> None:
    """Go through the figure's steps: each picture named says a tensor's shape, or holds none."""
    step = figure.get_by_label("Step", exact=True)
    assert {int(step.get_attribute("max"))} == set(map(len, shapes.values()))
    step.focus()
    step.press("Home")
    pictures = figure.locator("svg.live-picture")
    for at in zip(*shapes.values(), strict=True):
        told = pictures.evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
        assert len(told) == 2
        for number, shape in zip(shapes, at, strict=True):
            said = told[number]
            if shape:
                assert f" = {' × '.join(map(str, shape))}." in said, said
            else:
                assert " = " not in said, said
        step.press("ArrowRight")


@browser
def test_every_tensor_of_both_families_can_be_opened(
    chromium, page_file: Path, course: Path
) -> None:
    """Step by step from the ids to the probabilities: the shape of each is the package's."""
    model, tokenizer = maker("merges").load(stored_model(course, "merges"))
    gaps = stored_model(course, "gaps")
    encoder = maker("gaps").load(gaps)
    text = "she sang a long low note"

    def shapes(T: int, config, norms: bool, inner: int) -> list[tuple[int, ...] | None]:
        d, per_head = config.d_model, config.d_model // config.num_heads
        norm = (T, d) if norms else None
        block = [norm, *[(T, per_head)] * 3, (T, T), (T, T), (T, per_head), (T, d), (T, d), norm,
                 (T, inner), (T, d), (T, d)]  # fmt: skip
        blocks = block * config.num_layers + [None] * len(block) * (2 - config.num_layers)
        return [(T,), (T, d), (T, d), *blocks, (1, d), *[(config.vocab_size,)] * 2]

    c = model.config
    T = len(tokenizer.encode(text))
    families = [shapes(T, c, True, 4 * c.d_model)]
    families.append(shapes(len(text.split()), encoder.config, False, encoder.config.d_ff))
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "inside").as_uri())
        figure = page.locator("#figure-inside")
        begin(figure)
        figure.get_by_label("Text", exact=True).fill(text)
        open_each(figure, dict(enumerate(families)))


@browser
def test_every_tensor_of_the_vision_transformer_can_be_opened(
    chromium, page_file: Path, course: Path
) -> None:
    """Step by step from the patches to the probabilities: the shape of each is the package's."""
    stored = stored_model(course, "arrow")
    c = maker("arrow").load(stored).config
    d, k, patch = c.d_model, c.d_model // c.num_heads, stored["sizes"]["patch"]
    N, classes = (stored["sizes"]["image"] // patch) ** 2, len(stored["letters"])
    T = N + 1
    block = [(T, d), *[(T, k)] * 3, (T, T), (T, T), (T, k), *[(T, d)] * 3, (T, c.d_ff), (T, d),
             (T, d)]  # fmt: skip
    shapes = [(N, patch**2), (N, d), (T, d), *block * c.num_layers, (1, d), *[(classes,)] * 2]
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "patches").as_uri())
        figure = page.locator("#figure-patches")
        begin(figure)
        open_each(figure, {1: shapes})


@browser
def test_every_tensor_of_both_stacks_can_be_opened(chromium, page_file: Path, course: Path) -> None:
    """Step by step: the shapes of the encoder's and the decoder's tensors are the package's."""
    module = maker("translator")
    model, words = module.load(stored_model(course, "translator"))
    c, source = model.config, "english sieben und dreißig"
    (said,) = module.translate(model, words, words, [source], max_new_tokens=22)
    ids, row = module.as_pair(words, source, said)
    S, T, d, per_head = len(ids), len(row) - 1, c.d_model, c.d_model // c.num_heads

    def attention(T: int, S: int) -> list[tuple[int, ...]]:
        k = per_head
        return [(T, k), (S, k), (S, k), (T, S), (T, S), (T, k), (T, d), (T, d)]

    stacks = []
    for rows, cross in ((S, []), (T, attention(T, S))):
        block = [*attention(rows, rows), *cross, (rows, 4 * d), (rows, d), (rows, d)]
        scores = [(c.vocab_size,)] * 2 if cross else []
        blocks = block * c.num_decoder_layers
        stacks.append([(rows,), (rows, d), (rows, d), *blocks, *scores])
    with offline(chromium) as page:
        page.goto(own_page(page_file.parent, "map").as_uri())
        figure = page.locator("#figure-map")
        figure.get_by_role("button", name="Translator", exact=True).press("Enter")
        figure.get_by_role("button", name="More").press("Enter")
        figure.get_by_label("has read").select_option("translator")
        figure.get_by_text("being loaded").first.wait_for(state="detached")
        for _ in said.split():
            figure.get_by_role("button", name="Write the next word").press("Enter")
        figure.get_by_text("All tensors, one by one").click()
        for number, shapes in enumerate(stacks):
            figure.get_by_label("Open", exact=True).select_option(f"{number}.embed.")
            tensor = figure.get_by_label("Tensor", exact=True)
            assert int(tensor.get_attribute("max")) == len(shapes)
            tensor.press("Home")
            for shape in shapes:
                told = figure.locator(".map-tensor").get_attribute("aria-label")
                assert f" = {' × '.join(map(str, shape))}." in told, told
                tensor.press("ArrowRight")


def test_the_runtime_can_be_read(course: Path) -> None:
    lines = [
        line
        for name in RUNTIME
        for line in (FOLDER / "scripts" / f"{name}.js").read_text("utf-8").splitlines()
    ]
    assert len(lines) < 500
    used = {f"{name}.js" for name in RUNTIME}
    for name in MODELS:
        files = set(FIGURES[name].files())
        drawn = {"kit.js", "opened.js", f"{name}.js"} | {one for one in files if one[:4] == "map-"}
        assert files - drawn <= used
        for stored in FIGURES[name].stored:
            text = figure_numbers(course, stored).read_text("utf-8")
            assert len(text.encode()) < 4_000_000 and len(packed(text).encode()) < 4_000_000
