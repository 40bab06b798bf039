"""Values of SciPy in a message: sparse matrices, and results with names."""

import msgpack
import numpy as np
import pytest

from nbjudge.inside import codecs
from nbjudge.inside.testing.handle import NotThroughAVerb
from nbjudge.inside.wire import WireError, dumps, loads, undumps

optimize = pytest.importorskip("scipy.optimize", reason="SciPy is not installed")
sparse = pytest.importorskip("scipy.sparse")
stats = pytest.importorskip("scipy.stats")


def there_and_back(value):
    return undumps(dumps(value))


@pytest.mark.parametrize("kind", ["matrix", "array"])
@pytest.mark.parametrize("form", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
def test_a_sparse_matrix_comes_back_in_its_format(form, kind):
    made = getattr(sparse, f"{form}_{kind}")(np.array([[0, 1.5], [2, 0], [0, 0]]))
    back = there_and_back(made)
    assert type(back) is type(made) and back.shape == made.shape and back.nnz == made.nnz
    assert (back.toarray() == made.toarray()).all()
    assert codecs.of(made).alike(made, back, 1e-6, 0) and not codecs.of(made).alike(
        made, 2 * made, 1e-6, 0
    )


@pytest.mark.parametrize(
    "result",
    [
        stats.ttest_ind([1, 2, 3], [2, 3, 5]),
        stats.linregress([1, 2, 3], [2, 4, 7]),
        stats.pearsonr([1, 2, 3], [1, 2, 4]),
        stats.describe([1, 2, 3]),
        stats.chi2_contingency([[10, 20], [20, 10]]),
        stats.mannwhitneyu([1, 2], [3, 4]),
    ],
    ids=lambda result: type(result).__name__,
)
def test_a_result_of_a_test_is_a_tuple_with_names(result):
    back = there_and_back(result)
    assert isinstance(back, tuple) and len(back) == len(result)
    names = {*result._fields, *getattr(result, "_extra_fields", ())}
    for name in names:
        one, other = getattr(result, name), getattr(back, name)
        assert type(one) is type(other) and np.all(np.equal(one, other)), name
    assert all(name in repr(back) for name in names)
    assert type(back) is type(codecs.copied(result)), "as a verb gives it in a notebook"
    assert dumps(back) == dumps(result)


def test_what_is_no_value_in_a_result_is_said_to_stay_where_it_is():
    back = there_and_back(stats.ttest_ind([1, 2, 3], [2, 3, 5]))
    with pytest.raises(NotThroughAVerb, match="confidence_interval"):
        back.confidence_interval()
    assert not hasattr(back, "__array__")
    back = there_and_back(optimize.minimize(lambda x: x @ x, [1.0], method="L-BFGS-B"))
    with pytest.raises(NotThroughAVerb, match="hess_inv"):
        _ = back.hess_inv
    with pytest.raises(NotThroughAVerb, match="hess_inv"):
        _ = back["hess_inv"]
    with pytest.raises(AttributeError):
        _ = back.no_such_field


def test_a_result_of_an_optimiser_comes_back():
    back = there_and_back(optimize.minimize(lambda x: x @ x, [1.0, 2.0]))
    assert isinstance(back, optimize.OptimizeResult) and back.success is True
    assert back.x.shape == (2,) and np.allclose(back.x, 0, atol=1e-5) and back["nit"] > 0
    assert there_and_back(optimize.root_scalar(lambda x: x - 1, bracket=[0, 3])).root == 1
    nested = there_and_back(optimize.linprog([1], bounds=[(1, 2)]))
    assert isinstance(nested.lower, optimize.OptimizeResult)


ONE = ["A", "int8", [1]]


@pytest.mark.parametrize(
    ("tree", "blob"),
    [
        (["ym", "npz", True, [2, 2], ONE, ["l", ONE, ONE]], b"\0" * 3),
        (["ym", "csr", True, [2, 2], ONE, ["l", ONE, ONE]], b"\0\5\0"),  # outside
        (["ym", "csr", True, [2, 2], ONE, ["l", ONE, ONE]], b"\0\xff\0"),
        (["ym", "csr", True, [2**30, 2], ONE, ["l", ONE, ONE]], b"\0" * 3),
        (["ym", "csr", True, [2, 2], ONE, ["l", ONE]], b"\0" * 2),
        (["ym", "csr", True, [2, 2], ["Ao", [1], ["l", 1]], ["l", ONE, ONE]], b"\0" * 2),
        (["yr", ["l"], []], b""),
        (["yr", ["d", 1, 2], []], b""),
        (["yr", ["d"], [1]], b""),
        (["yt", "T", ["a"], ["l"], [], ["l"]], b""),
        (["yt", "T", ["_a"], ["l", 1], [], ["l"]], b""),
        (["yt", "T", ["__class__"], ["l", 1], [], ["l"]], b""),
        (["yt", "T", ["a", "a"], ["l", 1, 2], [], ["l"]], b""),
        (["yt", "T", ["a"], ["l", 1], ["a"], ["l", 1]], b""),
        (["yt", "T", ["lambda"], ["l", 1], [], ["l"]], b""),
        (["yt", "a b", ["a"], ["l", 1], [], ["l"]], b""),
        (["yt", "T", [f"a{i}" for i in range(99)], ["l", *range(99)], [], ["l"]], b""),
        (["yt", "T", [1], ["l", 1], [], ["l"]], b""),
    ],
)
def test_what_is_no_value_is_refused(tree, blob):
    with pytest.raises(WireError):
        loads(msgpack.packb(tree), blob)
