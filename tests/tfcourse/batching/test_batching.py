"""Batches: their content, their order, and where they resume."""

import json

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tfcourse.batching import Batches, Windows, pad, pad_labelled, pad_pairs

LENGTHS = [3, 9, 1, 4, 4, 7, 2, 8, 8, 5, 6, 1, 3, 2, 9, 5, 5, 7, 4]


def flat(batches):
    """One pass, as lists of examples."""
    return [list(batch) for batch in batches]


choices = st.fixed_dictionaries({
    "size": st.integers(1, 9), "seed": st.integers(0, 99), "shuffle": st.booleans(),
    "max_tokens": st.none() | st.integers(40, 90), "drop_last": st.booleans(),
})  # fmt: skip


def made(choices, **more):
    lengths = LENGTHS if choices["max_tokens"] else None
    return Batches(list(range(19)), lengths=lengths, **choices | more)


def test_pad_by_hand():
    ids, lengths = pad([[5, 6, 7], [], torch.tensor([8])], value=1)
    assert ids.tolist() == [[5, 6, 7], [1, 1, 1], [8, 1, 1]]
    assert lengths.tolist() == [3, 0, 1]
    assert ids.dtype == lengths.dtype == torch.long
    assert pad([[], []])[0].shape == (2, 0)
    assert pad([torch.tensor([1], dtype=torch.int16)])[0].dtype == torch.long


def test_pairs_and_labelled_by_hand():
    source, target, lengths = pad_pairs([([1, 2], [3]), ([4], [5, 6, 7])], value=9)
    assert source.tolist() == [[1, 2], [4, 9]]
    assert target.tolist() == [[3, 9, 9], [5, 6, 7]]
    assert lengths.tolist() == [2, 1]
    tokens, lengths, labels = pad_labelled([([1], 1), ([2, 3], 0)])
    assert (tokens.tolist(), lengths.tolist(), labels.tolist()) == (
        [[1, 0], [2, 3]],
        [1, 2],
        [1, 0],
    )


def test_windows_by_hand():
    windows = Windows(torch.arange(10, dtype=torch.int32), 3)
    assert [(x.tolist(), y.tolist()) for x, y in (windows[i] for i in range(len(windows)))] == [
        ([0, 1, 2], [1, 2, 3]), ([3, 4, 5], [4, 5, 6]), ([6, 7, 8], [7, 8, 9]),
    ]  # fmt: skip
    assert len(Windows(torch.arange(10), 3, stride=1)) == 7
    x, y = Windows(torch.arange(10, dtype=torch.int32), 3, stride=2).batch(torch.tensor([3, 0]))
    assert (x.tolist(), y.tolist()) == ([[6, 7, 8], [0, 1, 2]], [[7, 8, 9], [1, 2, 3]])
    assert x.dtype == torch.long
    assert [x.tolist() for x, _ in windows] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


@settings(max_examples=150, deadline=None)
@given(choices)
def test_an_epoch_has_every_example_once(choices):
    batches = made(choices)
    epoch = flat(batches)
    assert all(epoch)
    seen = sorted(sum(epoch, []))
    if choices["drop_last"]:
        assert len(seen) == len(set(seen)) <= 19
    else:
        assert seen == list(range(19))
    assert all(len(batch) <= choices["size"] for batch in epoch)
    if choices["max_tokens"]:
        padded = [len(batch) * max(LENGTHS[i] for i in batch) for batch in epoch]
        assert max(padded) <= choices["max_tokens"]
    elif choices["drop_last"]:
        assert {len(batch) for batch in epoch} == {choices["size"]}
    assert batches.epoch == 1
    if not choices["shuffle"]:
        assert flat(batches) == epoch


@settings(max_examples=100, deadline=None)
@given(choices, st.data())
def test_a_stopped_run_goes_on_as_if_it_had_not(choices, data):
    """At every place: between batches, between epochs, before the first."""
    batches = made(choices)
    whole, states = [], [batches.state_dict()]
    for _ in range(3):
        for batch in batches:
            whole.append(batch)
            states.append(batches.state_dict())
    stop = data.draw(st.integers(0, len(states) - 1))
    again = made(choices)
    flat(again)  # whatever it has done before
    again.load_state_dict(json.loads(json.dumps(states[stop])))
    rest = []
    while again.epoch < 3:
        rest += list(again)
    assert rest == whole[stop:]


@settings(max_examples=100, deadline=None)
@given(choices, st.integers(1, 4))
def test_the_shares_of_all_processes_are_the_batch_of_one(choices, world):
    choices |= {"size": max(world, choices["size"]), "drop_last": True}
    alone = made(choices)
    shares = [alone.shard(rank, world) for rank in range(world)]
    for _ in range(2):
        for batch, *parts in zip(alone, *shares, strict=True):
            assert all(parts)
            assert sorted(sum(parts, [])) == sorted(batch)
            assert max(map(len, parts)) - min(map(len, parts)) <= 1
    assert [share.state_dict() for share in shares] == [alone.state_dict()] * world


def test_a_run_goes_on_with_another_number_of_processes():
    batches = Batches(range(20), 4, seed=3)
    going = iter(batches)
    next(going), next(going)
    two = [Batches(range(20), 4, seed=3, rank=rank, world=2) for rank in range(2)]
    for one in two:
        one.load_state_dict(batches.state_dict())
    for batch, a, b in zip(going, *two, strict=True):
        assert sorted(a + b) == sorted(batch)
    going = iter(batches)
    next(going)
    shares = [batches.shard(rank, 2) for rank in range(2)]
    assert [share.position for share in shares] == [1, 1]
    a, b = (next(iter(share)) for share in shares)
    assert sorted(a + b) == sorted(next(iter(batches)))  # a look took nothing away from them either
    again = Batches(range(20), 4, seed=3)
    again.load_state_dict(two[0].state_dict() | {"epoch": 1, "position": 3})
    assert list(again.shard(0, 1)) == list(again)


def test_orders_differ_by_epoch_and_by_seed_and_are_the_same_again():
    batches = Batches(range(50), 50)
    first, second = flat(batches)[0], flat(batches)[0]
    other = flat(Batches(range(50), 50, seed=1))[0]
    assert len({tuple(order) for order in (first, second, other, range(50))}) == 4
    assert flat(Batches(range(50), 50))[0] == first
    torch.manual_seed(7)
    state = torch.get_rng_state()
    assert flat(Batches(range(50), 50))[0] == first
    assert torch.equal(torch.get_rng_state(), state)


def test_every_order_is_as_likely():
    """The first place of 3,000 epochs: chi-squared with 9 degrees of freedom, 99.9 % below 27.9."""
    batches = Batches(range(10), 10)
    first = torch.tensor([flat(batches)[0][0] for _ in range(3000)])
    count = torch.bincount(first, minlength=10).double()
    assert float(((count - 300) ** 2 / 300).sum()) < 27.9


def test_a_look_at_the_first_batch_takes_nothing_away():
    batches = Batches(range(10), 3)
    assert next(iter(batches)) == next(iter(batches))
    assert len(flat(batches)) == 4
    assert (batches.epoch, batches.position) == (1, 0)


def test_similar_lengths_stand_together():
    lengths = torch.randint(1, 60, (2000,), generator=torch.Generator().manual_seed(0)).tolist()

    def padding(batches):
        padded = sum(len(b) * max(lengths[i] for i in b) for b in batches)
        return 1 - sum(lengths) / padded

    mixed = padding(Batches(range(2000), 20))
    assert mixed > 0.4
    bucketed = Batches(range(2000), 20, lengths=lengths)
    assert padding(bucketed) < 0.05
    full = Batches(range(2000), max_tokens=1200, lengths=lambda i: lengths[i])
    assert padding(full) < 0.1
    # Long and short batches come in any order, another one in each epoch.
    firsts = [lengths[next(iter(Batches(range(2000), 20, lengths=lengths, seed=s)))[0]]
              for s in range(20)]  # fmt: skip
    assert max(firsts) - min(firsts) > 30
    assert flat(bucketed) != flat(bucketed)
    ordered = flat(Batches(range(2000), 20, lengths=lengths, shuffle=False))
    longest = [max(lengths[i] for i in batch) for batch in ordered]
    assert longest == sorted(longest)


def test_data_may_be_tensors_windows_or_any_sequence():
    x, y = torch.arange(6), torch.arange(6) * 10
    assert [b.tolist() for b in Batches(x, 4, shuffle=False)] == [[0, 1, 2, 3], [4, 5]]
    for a, b in Batches((x, y), 4):
        assert torch.equal(a * 10, b)
    a, b = next(iter(Batches(Windows(torch.arange(100), 8, stride=1), 5)))
    assert a.shape == b.shape == (5, 8)
    assert torch.equal(a + 1, b)
    pairs = [([i, i], [i]) for i in range(1, 5)]
    source, target, lengths = next(iter(Batches(pairs, 4, collate=pad_pairs)))
    assert torch.equal(source[:, 0], target[:, 0])
    assert lengths.tolist() == [2] * 4
    halves = Batches(x, 6, shuffle=False, collate=lambda rows: rows / 2)
    assert next(iter(halves)).tolist() == [0, 0.5, 1, 1.5, 2, 2.5]


def test_windows_in_shuffled_batches_cover_the_text():
    text = torch.arange(101)
    seen = torch.cat([y.flatten() for _, y in Batches(Windows(text, 10), 3)])
    assert sorted(seen.tolist()) == list(range(1, 101))


X = torch.arange(4)


@pytest.mark.parametrize(("call", "told"), [
    (lambda: pad([]), "sequences must have at least one, got none"),
    (lambda: pad([[1], [[2]]]), r"rows of ids, got \(1, 1\) of torch.int64 at index 1"),
    (lambda: pad([[0.5]]), r"rows of ids, got \(1,\) of torch.float32 at index 0"),
    (lambda: Windows(X, 4), r"ids must have length \+ 1 = 5 tokens, got 4"),
    (lambda: Windows(X.view(2, 2), 1), r"ids must be a row of ids, got \(2, 2\) of torch.int64"),
    (lambda: Windows(X, 0), "length must be at least 1, got 0"),
    (lambda: Windows(X, 2, 0), "stride must be at least 1, got 0"),
    (lambda: Batches([], 2), "data must have at least one example, got none"),
    (lambda: Batches(X), "size must be given, or max_tokens; got neither"),
    (lambda: Batches(X, 0), "size must be at least 1, got 0"),
    (lambda: Batches(X, 2, seed=-1), "seed must be at least 0, got -1"),
    (lambda: Batches(X, 2, rank=2, world=2), "rank must lie between 0 and world - 1 = 1, got 2"),
    (lambda: Batches(X, 2, world=0), "world must be at least 1, got 0"),
    (lambda: Batches((X, X[:3]), 2), r"data must have equal numbers of rows, got \[4, 3\]"),
    (lambda: Batches(X, 5, drop_last=True), "drop_last must be False if 4 examples do not"),
    (lambda: Batches(X, 2, world=3), "size must be at least world=3, an example for each .* got 2"),
    (lambda: Batches(X, 3, world=2),
     r"drop_last must be True in 2 processes: the last batch has 1 example\(s\)"),
    (lambda: Batches(X, max_tokens=9, lengths=[1, 2, 2, 1], world=2),
     "drop_last must be True with max_tokens in 2 processes, got False"),
    (lambda: Batches(X, 2, lengths=[1, 2]), r"lengths must be 4 numbers .* got \(2,\) from 1 on"),
    (lambda: Batches(X, 2, lengths=[1, 2, -3, 4]), r"lengths must be 4 numbers .* from -3 on"),
    (lambda: Batches(X, max_tokens=9), "lengths must be given with max_tokens, got None"),
    (lambda: Batches(X, max_tokens=9, lengths=[1, 2, 5, 1], world=2),
     "max_tokens must be at least 10, the longest example's length for each of 2 process.*got 9"),
    (lambda: Batches(X, 2).load_state_dict(Batches(X, 3).state_dict()),
     "state must be of batches with size=2, got 3"),
    (lambda: Batches(X, 2, lengths=[1, 2, 3, 4]).load_state_dict(
        Batches(X, 2, lengths=[1, 2, 4, 4]).state_dict()), "state must be of batches with lengths"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_with_the_reason(call, told):
    with pytest.raises(ValueError, match=told):
        call()


def test_an_index_beyond_the_windows_is_an_index_error():
    with pytest.raises(IndexError, match="index must lie within 3 windows, got 3"):
        Windows(torch.arange(10), 3)[3]
