"""No wrong answer is blamed for the mistake of another.

If several return the same at all checks of an exercise, all of them are named.
"""

import pytest
from whole_class import COURSE, variants

from coursebook.course import problem_set_names
from nbjudge.answers import load_variants

pytestmark = pytest.mark.case_of("problem set")

#: The sets that know mistakes by their results. A translator's results have none.
SETS = [
    name
    for name in problem_set_names(COURSE)
    if any(v.says for every in load_variants(COURSE / "solutions" / name).values() for v in every)
]


#: Answers that are told of another's mistake all the same → why.
EXCEPTIONS = {
    ("attention-matrix", "wrong-softmax-over-batch"): "a verb of the test says it, and it is true",
    ("bug", "wrong-unchanged"): "of the code's two mistakes each test names the one that it meets",
}


def check_blame(problem_set, told_by_test):
    """Nobody is told of another's mistake and not of their own.

    ``told_by_test`` gives what a wrong answer's author is told, by test, from its student and
    itself.
    """
    rows = [(student, v) for student, v in variants(problem_set, COURSE) if not v.right]
    lines, told = [], 0
    for student, variant in rows:
        every = {v.says for _, v in rows if v.exercise == variant.exercise and v.says}
        for test, said in told_by_test(student, variant).items():
            named = {says for says in every if says in said}
            told += bool(named)
            excepted = (variant.exercise, variant.name) in EXCEPTIONS
            if named and variant.says not in named and not excepted:
                lines.append(f"{test}: {variant.name} is told {sorted(named)[0][:70]!r}")
    assert told > 20
    assert not lines, "\n".join(lines)


@pytest.mark.parametrize("problem_set", SETS)
def test_graded_work_is_told_of_its_own_mistake(problem_set, lost):
    check_blame(problem_set, lambda student, v: lost(problem_set, student, v.exercise, v.source))


#: Judged as on a learner's machine at every change; what differs there is stored with a release.
ALONE = ("ps02-recurrence", "ps05-self-attention", "ps11-encoder-decoder")


@pytest.mark.parametrize(
    "problem_set",
    [
        name
        if name in ALONE
        else pytest.param(name, marks=pytest.mark.release("set of answers told of alone"))
        for name in SETS
    ],
)
def test_a_learner_is_told_of_their_own_mistake(problem_set, in_place, capsys):
    judge = in_place(problem_set, graded=False)
    check_blame(problem_set, lambda student, v: judge.lost(v.exercise, v.source))


#: Answers as learners write them, each with how the messages of its failed tests may begin.
TYPED = [
    (
        "rows-from-0",
        *("ps13-fast-attention", "rolling"),
        """
def write_rolling(cache, new, n):
    out = cache.clone()
    for i, row in enumerate(new):
        out[i % len(cache)] = row
    return out

def attend_rolling(Q, K, V, K_held, V_held, n):
    w, outputs = len(K_held), []
    for i in range(len(Q)):
        K_held, V_held = K_held.clone(), V_held.clone()
        K_held[(n + i) % w], V_held[(n + i) % w] = K[i], V[i]
        m = min(n + i + 1, w)
        weights = (K_held[:m] @ Q[i] / math.sqrt(Q.shape[1])).softmax(0)
        outputs.append(weights @ V_held[:m])
    return torch.stack(outputs)
""",
        "Your rows start at 0.",
    ),
    (
        "two-mistakes",
        *("ps02-recurrence", "lstm"),
        """
def lstm_step(x_t, h, c, W, U, b):
    f, i, g, o = (x_t @ W + h @ U + b).chunk(4, dim=-1)
    c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
    return torch.sigmoid(o) * c, c
""",
        "Several things may be wrong; start with ",
    ),
    (
        "lowest-number",
        *("ps05-self-attention", "masked-attention"),
        """
def masked_attention(Q, K, V, mask):
    scores = Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])
    weights = scores.masked_fill(~mask, -1e9).softmax(-1)
    return weights @ V, weights
""",
        "A query that may attend to nothing spreads its weight evenly",
    ),
    (
        "divided-again",
        *("ps05-self-attention", "masked-attention"),
        """
def masked_attention(Q, K, V, mask):
    weights = (Q @ K.transpose(-2, -1) / math.sqrt(Q.shape[-1])).softmax(-1) * mask
    weights = weights / weights.sum(dim=-1, keepdim=True)
    return weights @ V, weights
""",
        "You mask the weights after the softmax and divide by their sum: if that is 0, 0/0 is NaN.",
        "The gradient with respect to Q is NaN. The output may look right and",
    ),
    (
        "whole-numbers",
        *("ps01-words", "lookup"),
        """
def one_hot(ids, n):
    return (ids[:, None] == torch.arange(n)).long()

def look_up(ids, W):
    return W[ids]

def look_up_gradient(ids, G, n):
    return G.new_zeros(n, G.shape[1]).index_add(0, ids, G)
""",
        "The one-hot rows: int64, it must be float32. Give it this dtype where you make it, or",
    ),
    (
        "k-too-large",
        *("ps09-decoder", "filters"),
        """
def keep_top_k(logits, k):
    return logits.masked_fill(logits < logits.topk(k).values[:, -1:], -math.inf)

def keep_top_p(logits, p):
    if p == 1:
        return logits.clone()
    ordered, order = logits.sort(dim=-1, descending=True, stable=True)
    P = ordered.softmax(dim=-1)
    cut = P.cumsum(dim=-1) - P >= p
    return logits.masked_fill(cut.gather(-1, order.argsort(dim=-1)), -math.inf)
""",
        "`keep_top_k` stops with RuntimeError: selected index k out of range\nk must be no greater",
    ),
]


@pytest.mark.parametrize("graded", [True, False], ids=["graded", "alone"])
@pytest.mark.parametrize(
    ("problem_set", "exercise", "answer", "begins"),
    [pytest.param(*row[1:4], row[4:], id=f"{row[1][:4]}-{row[0]}") for row in TYPED],
)
def test_one_cause_is_named_or_none(problem_set, exercise, answer, begins, graded, in_place):
    told = in_place(problem_set, graded).lost(exercise, answer)
    told = {t: said for t, said in told.items() if not said.startswith("This test passes, ")}
    assert told
    for test, said in told.items():
        assert said.startswith(begins), f"{test}: {said}"
