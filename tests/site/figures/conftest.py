"""Pages with all live figures, built once for all tests here, and the models of several figures."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from live_site import build_figures, offline, open_all, stored_model

from coursebook.live import maker
from tfcourse.attention import scaled_dot_product_attention, split_heads
from tfcourse.tokenizers import WordTokenizer

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All tests here are about live figures, of which `make test` takes a sample."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker(pytest.mark.case_of("live figure"))


@pytest.fixture(scope="package")
def themed(tmp_path_factory: pytest.TempPathFactory, course: Path) -> Path:
    """The same in the site's theme, which takes longer to load."""
    return build_figures(tmp_path_factory.mktemp("themed"), course, theme="sphinx_book_theme")


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def loaded(chromium, page_file: Path):
    """The page with all models loaded, for tests that only compute with the scripts."""
    with offline(chromium) as page:
        open_all(page, page_file)
        yield page
        assert not page.faults


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
def small_gpt(course: Path):
    """A GPT that can be looked into, in the package's own classes, and its tokens."""
    return maker("merges").load(stored_model(course, "merges"))


@pytest.fixture(scope="package")
def captioner(course: Path):
    """The first decoder of the map, which writes captions, and its tokens."""
    return maker("map").load(stored_model(course, "map"))


@pytest.fixture(scope="package")
def writer(course: Path, small_gpt):
    """The model that goes on with a text, in the package's own classes, and its tokens."""
    _, tokenizer = small_gpt
    return maker("writer").load(stored_model(course, "writer")), tokenizer


@pytest.fixture(scope="package")
def gaps(course: Path):
    """The small encoder that guesses hidden words, in the package's own class, and its words."""
    stored = stored_model(course, "gaps")
    return maker("gaps").load(stored), stored["words"]


@pytest.fixture(scope="package")
def masked(course: Path):
    """The two BERTs of film reviews, in the package's own class, and their tokenizer."""
    module, stored = maker("masked"), stored_model(course, "masked")
    words = stored["words"]
    tokenizer = WordTokenizer(words, words[: stored["special"]], punctuation=True, lower=True)
    return {side: module.load(stored, side) for side in module.SIDES}, tokenizer


@pytest.fixture(scope="package")
def translator(course: Path):
    """The model that translates numbers and dates, in the package's own class, and its words."""
    module, stored = maker("translator"), stored_model(course, "translator")
    return (module, *module.load(stored))


@pytest.fixture(scope="package")
def captions(course: Path):
    """The model that translates captions, in the package's own class, its pieces, and its file."""
    stored = stored_model(course, "captions")
    return (*maker("captions").load(stored), stored)


@pytest.fixture(scope="package")
def vit(course: Path):
    """The model that finds the letter an arrow points at, in the package's own class."""
    module, stored = maker("arrow"), stored_model(course, "arrow")
    return module.load(stored), stored
