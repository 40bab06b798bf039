"""Arguments of the wrong type are refused by name: text for numbers, lists for tensors."""

import inspect
from typing import get_args, get_type_hints

import pytest
import torch
from tiny_models import ONE, TWO, V, attention, bert, documents, gpt, seq2seq, transformer, vit

import tfcourse
from tfcourse import alignment, layers, positions, recurrent
from tfcourse import attention as attending
from tfcourse.attention import KeyValueCache, MultiHeadAttention, causal_mask, padding_mask
from tfcourse.batching import mask_words
from tfcourse.evaluation.likelihood import language_model_nll
from tfcourse.generation import beam_search, greedy, sample
from tfcourse.kernels.flash import flash_attention
from tfcourse.models import classifiers
from tfcourse.models.common import Config
from tfcourse.models.recurrent_lm import RecurrentLM, RecurrentLMConfig
from tfcourse.models.skipgram import SkipGram, SkipGramConfig
from tfcourse.rolling_cache import RollingCache

pytestmark = pytest.mark.usefixtures("plainly")

WRONG = {int: ("2", 2.0, True, [2]), float: ("0.1", True, [0.1]), bool: ("no", 2)}

IDS = TWO.tolist()


def configs():
    """Every config of the package; the test below would not notice one that is not imported."""
    return sorted(Config.__subclasses__(), key=lambda c: c.__name__)


def smallest(make):
    """Valid arguments for those that have no default."""
    needed = {"d_model": 8, "num_heads": 2, "cell": recurrent.GRUCell, "d_code": 2}
    return {
        name: needed.get(name, 4)
        for name, p in inspect.signature(make).parameters.items()
        if p.default is p.empty and p.kind is not p.VAR_KEYWORD
    }


def assert_types_are_checked(make, hints, given):
    tried = 0
    for name, hint in hints.items():
        kinds = get_args(hint) or (hint,)
        for kind in (k for k in (int, float, bool) if k in kinds):
            for wrong in WRONG[kind]:
                with pytest.raises(ValueError, match=rf"^{name} must be .*got {wrong!r}".replace(
                    "[", r"\[")):  # fmt: skip
                    make(**given | {name: wrong})
                tried += 1
    return tried


@pytest.mark.parametrize("config", configs(), ids=lambda c: c.__name__)
def test_every_number_of_a_config_is_one(config):
    assert len(configs()) >= 10
    config(**smallest(config))
    assert assert_types_are_checked(config, get_type_hints(config), smallest(config))


COMPONENTS = [
    thing
    for module in (attending, layers, positions, recurrent, alignment)
    for thing in vars(module).values()
    if inspect.isclass(thing) and thing.__module__ == module.__name__
    and issubclass(thing, torch.nn.Module)
    and {"d_model", "d_k", "d_in", "num_heads", "context_length", "d_query"}
    & inspect.signature(thing).parameters.keys()
]  # fmt: skip


@pytest.mark.parametrize("make", [*COMPONENTS, RollingCache, KeyValueCache],
                         ids=lambda c: c.__name__)  # fmt: skip
def test_every_size_of_a_component_is_a_number(make):
    hints = {n: h for n, h in get_type_hints(make.__init__).items() if n != "return"}
    numbers = {n: h for n, h in hints.items() if bool not in (get_args(h) or (h,))}
    given = smallest(make) | ({"codes": positions.Positions()} if "codes" in hints else {})
    make(**given)
    assert assert_types_are_checked(make, numbers, given)


LISTS = [
    ("prompt", lambda: greedy(gpt(), [[1, 2]], max_new_tokens=1)),
    ("prompt", lambda: sample(gpt(), [[1, 2]], max_new_tokens=1)),
    ("prompt", lambda: beam_search(gpt(), [[1, 2]], max_new_tokens=1)),
    ("prompt", lambda: greedy(gpt(), "ab", max_new_tokens=1)),
    ("prompt_lengths", lambda: greedy(gpt(), TWO, prompt_lengths=[1, 2], max_new_tokens=1)),
    ("source", lambda: greedy(transformer(), 1, source=IDS, max_new_tokens=1)),
    ("source_lengths",
     lambda: greedy(transformer(), 1, source=TWO, source_lengths=[1, 2], max_new_tokens=1)),
    ("tokens", lambda: gpt()(IDS)),
    ("tokens", lambda: gpt()([1, 2])),
    ("tokens", lambda: bert()(IDS)),
    ("segments", lambda: bert()(TWO, IDS)),
    ("lengths", lambda: bert()(TWO, None, [1, 2])),
    ("places", lambda: bert()(TWO, places=[[True] * 3] * 2)),
    ("source", lambda: transformer()(IDS, TWO)),
    ("target", lambda: transformer()(TWO, IDS)),
    ("source_lengths", lambda: transformer()(TWO, TWO, [1, 2])),
    ("memory", lambda: transformer().decode(TWO, IDS)),
    ("images", lambda: vit()(IDS)),
    ("tokens", lambda: RecurrentLM(RecurrentLMConfig(V, 4))(IDS)),
    ("lengths", lambda: RecurrentLM(RecurrentLMConfig(V, 4))(TWO, [1, 2])),
    ("source", lambda: seq2seq()(IDS, TWO)),
    ("target_in", lambda: seq2seq()(TWO, IDS)),
    ("source_lengths",
     lambda: seq2seq()(TWO, TWO, [1, 2])),
    ("centre", lambda: SkipGram(SkipGramConfig(V, 4))([1, 2])),
    ("tokens", lambda: documents()(IDS)),
    ("lengths", lambda: documents()(TWO, [1, 2])),
    ("tokens", lambda: classifiers.PoolingClassifier(classifiers.PoolingConfig(V, 2, 4))(IDS)),
    ("lengths",
     lambda: classifiers.PoolingClassifier(classifiers.PoolingConfig(V, 2, 4))(TWO, [1, 2])),
    ("tokens", lambda: classifiers.HierarchicalClassifier(
        classifiers.HierarchicalConfig(V, 2))([IDS])),
    ("lengths", lambda: classifiers.HierarchicalClassifier(
        classifiers.HierarchicalConfig(V, 2))(TWO[None], [[1, 2]])),
    ("x", lambda: attention()([[[1.0] * 8]])),
    ("context", lambda: attention()(torch.zeros(1, 1, 8), [[[1.0] * 8]])),
    ("mask", lambda: attention()(torch.zeros(1, 1, 8), None, [[True]])),
    ("x", lambda: layers.LayerNorm(2)([1.0, 2.0])),
    ("x", lambda: layers.FeedForward(2)([1.0, 2.0])),
    ("x", lambda: attending.SelfAttention(2)([[1.0, 2.0]])),
    ("x", lambda: recurrent.Recurrent(recurrent.GRUCell, 2, 2)([[[1.0, 2.0]]])),
    ("query", lambda: alignment.AdditiveAttention(2, 2, 2)([[[1.0, 2.0]]], torch.zeros(1, 1, 2))),
    ("keys", lambda: alignment.DotAttention(2, 2)(torch.zeros(1, 1, 2), [[[1.0, 2.0]]])),
    ("lengths", lambda: padding_mask([1, 2], 3)),
    ("ids", lambda: language_model_nll(gpt(), [1, 2, 3], 2)),
    ("ids", lambda: mask_words(IDS, TWO > 0, mask=0, words=ONE)),
    ("words", lambda: mask_words(TWO, TWO > 0, mask=0, words=[1, 2])),
    ("position_ids",
     lambda: attention()(torch.zeros(1, 1, 8), position_ids=[[0]])),
    ("parents", lambda: positions.tree_distances([[-1, 0]])),
]  # fmt: skip


@pytest.mark.parametrize(("name", "call"), LISTS, ids=lambda x: x if isinstance(x, str) else "")
def test_a_list_for_a_tensor_is_refused_by_name(name, call):
    with pytest.raises(ValueError, match=f"{name} must be .*got (list|str)"):
        call()


THREE = torch.ones(3, 3).long()
BATCHES = [
    (lambda: transformer()(TWO, THREE), "target and memory must have .* 3 and 2"),
    (lambda: transformer().decode(THREE, torch.zeros(2, 3, 8)), "target and memory .* 3 and 2"),
    (lambda: seq2seq()(TWO, THREE),
     "target_in and state must have the same batch size, got 3 and 2"),
    (lambda: bert()(TWO, THREE), r"segments must have shape \(2, 3\), got \(3, 3\)"),
    (lambda: attention()(torch.zeros(2, 3, 8), torch.zeros(3, 3, 8)), "x and context .* 2 and 3"),
    (lambda: alignment.AdditiveAttention(4, 4, 4)(torch.zeros(2, 3, 4), torch.zeros(3, 3, 4)),
     "query and keys must have .* 2 and 3"),
    (lambda: alignment.DotAttention(4, 4)(torch.zeros(2, 3, 4), torch.zeros(3, 3, 4)),
     "query and keys must have .* 2 and 3"),
    (lambda: gpt()(TWO, mask=torch.ones(3, 3).bool()), "mask must broadcast to"),
    (lambda: greedy(transformer(), THREE, source=TWO, max_new_tokens=1), "for each source"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "told"), BATCHES, ids=range(len(BATCHES)))
def test_batches_of_two_and_three_are_refused_by_name(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_windows_and_tiles_are_numbers():
    q = torch.zeros(1, 2, 4)
    with pytest.raises(ValueError, match="window must be a whole number, got '2'"):
        causal_mask(3, window="2")
    with pytest.raises(ValueError, match="block_q must be a whole number, got 2.0"):
        flash_attention(q, q, q, block_q=2.0)
    with pytest.raises(ValueError, match="scale must be a number, got 'root'"):
        MultiHeadAttention(8, 2, scale="root")
    with pytest.raises(ValueError, match="max_new_tokens must be a whole number, got '3'"):
        greedy(gpt(), 1, max_new_tokens="3")
    with pytest.raises(ValueError, match="temperature must be a number, got '1'"):
        sample(gpt(), 1, max_new_tokens=1, temperature="1")


def test_a_star_imports_what_the_package_offers():
    offered = {}
    exec("from tfcourse import *", offered)
    assert offered.keys() - {"__builtins__"} == set(tfcourse.__all__)
    assert {"GPT", "greedy", "fit", "scaled_dot_product_attention"} <= offered.keys()
    assert set(tfcourse.__all__) <= set(dir(tfcourse))
