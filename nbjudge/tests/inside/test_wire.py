"""The wire: what is sent comes back as it was, and what is no message is refused."""

import math
import random
import socket
import struct
import threading
from time import monotonic

import msgpack
import numpy as np
import pytest
import torch
from mutations import odd_bytes

from nbjudge.inside import wire
from nbjudge.inside.codecs import numpy_values, torch_values
from nbjudge.inside.wire import Channel, Closed, Made, Name, TimedOut, WireError, dumps, loads


def parts(message: bytes) -> tuple[bytes, bytes]:
    tree, blob = wire.HEADER.unpack_from(message)
    assert len(message) == wire.HEADER.size + tree + blob
    return message[wire.HEADER.size :][:tree], message[wire.HEADER.size + tree :]


def there_and_back(value, **more):
    return loads(*parts(dumps(value)), **more)


def same(a, b) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, torch.Tensor):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and torch.equal(a.nan_to_num(7), b.nan_to_num(7)) if alike else False
    if isinstance(a, np.ndarray):
        alike = a.dtype == b.dtype and a.shape == b.shape
        return alike and (a.tolist() == b.tolist() or a.tobytes() == b.tobytes())
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    return bool(a == b) or (isinstance(a, float) and math.isnan(a) and math.isnan(b))


VALUES = [
    None,
    True,
    0,
    -(2**63),
    2**64 - 1,
    2**64,
    -(10**500),
    1.5,
    math.nan,
    -math.inf,
    "ünï\x00code",
    b"\xff\x00",
    [],
    (),
    {},
    [1, (2, [3.0, {"a": None, 7: True}])],
    1 + 2j,
    torch.Size([2, 3]),
    torch.Size([]),
    torch.bfloat16,
    torch.device("cpu"),
    *(torch.arange(6).reshape(2, 3).to(dtype) for dtype, _ in torch_values.DTYPES.values()),
    torch.tensor(True),
    torch.tensor(math.nan),
    torch.empty(0, 5),
    torch.empty(3, 0, 2, dtype=torch.bool),
    torch.arange(12.0).reshape(3, 4).mT,
    torch.arange(12.0)[::3],
    torch.ones(1).expand(3, 4),
    torch.randn(2, dtype=torch.complex64).conj(),
    *(np.arange(6).reshape(2, 3).astype(name) for name in sorted(numpy_values.DTYPES)),
    np.arange(6)[::-2],
    np.array(3.0),
    np.zeros((0, 3)),
    np.arange(4, dtype=">i4").astype(">i4"),
    np.array(["text", "more\U0001f600"]),
    np.array([[b"text", b""]]),
    np.zeros((0, 2), "U3"),
    np.array(["2026-11-28", "NaT"], "M8[D]"),
    np.array([1, 2], "m8[ns]"),
    np.array([1, "a", None, [2.5]], dtype=object),
    np.array([["a", "bc"]], dtype=object),
    np.float64(math.nan),
    np.int8(-3),
    np.bool_(True),
    np.str_("text"),
    np.datetime64("2026-11-28"),
    np.dtype("float32"),
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: f"{type(value).__name__}")
def test_what_is_sent_comes_back(value):
    if isinstance(value, np.ndarray):  # in this machine's order of bytes
        value = np.ascontiguousarray(value)
        expected = value.astype(value.dtype.newbyteorder("="))
        assert same(there_and_back(value).reshape(expected.shape), expected)
    else:
        expected = value.resolve_conj() if isinstance(value, torch.Tensor) else value
        assert same(there_and_back(value), expected)


def test_what_comes_back_has_memory_of_its_own():
    base = torch.zeros(2, 2)
    first, second = there_and_back((base, base[0]))
    first.fill_(1)
    assert torch.equal(second, torch.zeros(2)) and torch.equal(base, torch.zeros(2, 2))
    assert first.is_contiguous() and there_and_back(base.mT).is_contiguous()


def test_whether_a_gradient_is_wanted_is_said():
    assert there_and_back(torch.ones(2, requires_grad=True)).requires_grad
    assert not there_and_back(torch.ones(2)).requires_grad


def test_names_and_objects_go_one_way_only():
    for reference in Name("attention"), Made(3):
        assert there_and_back([reference], names=True) == [reference]
        with pytest.raises(WireError, match="a tag that is not known"):
            there_and_back([reference])


class Sneaky(dict):
    """A dict of a type of its own."""


@pytest.mark.parametrize(
    "value",
    [
        object(),
        {1, 2},
        lambda: 1,
        torch.nn.Linear(1, 1),
        Sneaky(a=1),
        {("a",): 1},
        {None: 1},
        np.array([object()]),
        np.array([{1, 2}, None]),
        np.ma.masked_array([1, 2], [True, False]),
        np.zeros(2, dtype=[("a", "i4")]),
        torch.zeros(2, 2).to_sparse(),
        torch.zeros(2, device="meta"),
        torch.quantize_per_tensor(torch.ones(2), 1.0, 0, torch.qint8),
        torch.zeros(2).to(torch.float8_e4m3fn),
        "x" * (wire.TREE_BYTES + 1),
        list(range(10**6)),
        10**2000,
        "\ud800",
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_sent_is_refused(value):
    with pytest.raises(WireError):
        dumps(value)


def test_a_list_that_holds_itself_is_refused():
    around = []
    around.append(around)
    with pytest.raises(WireError, match="holds itself"):
        dumps(around)
    with pytest.raises(WireError, match="deep"):
        dumps({"a": [around]})


def test_more_than_is_allowed_is_refused():
    dumps(torch.zeros(1024), most=4096)
    for value in torch.zeros(1025), [torch.zeros(1000), torch.zeros(1000)], np.zeros(1025):
        with pytest.raises(WireError, match="more than"):
            dumps(value, most=4096)
    with pytest.raises(WireError, match="more than"):  # though it takes no memory here
        dumps(torch.zeros(1).expand(10**6, 10**6))


def packed(tree) -> bytes:
    return msgpack.packb(tree, use_bin_type=True)


def nested(depth: int):
    tree: list = ["l"]
    for _ in range(depth):
        tree = ["l", tree]
    return tree


@pytest.mark.parametrize(
    ("tree", "blob"),
    [
        (packed({"a": 1}), b""),
        (packed({}), b""),
        (packed([]), b""),
        (packed([1, 2]), b""),
        (packed(["q", 1]), b""),
        (packed(["d", "a"]), b""),
        (packed(["d", "a", 1, "a", 2]), b""),
        (packed(["d", 1, 1, True, 2]), b""),
        (packed(["d", ["l"], 1]), b""),
        (packed(["d", 1.5, 1]), b""),
        (packed(["T", "float32", [2], False]), b"\0" * 7),
        (packed(["T", "float32", [2], False]), b"\0" * 9),
        (packed(["T", "float32", [2], 0]), b"\0" * 8),
        (packed(["T", "float32", [2]]), b"\0" * 8),
        (packed(["T", "object", [1], False]), b"\0" * 8),
        (packed(["T", "int64", [1], True]), b"\0" * 8),
        (packed(["T", "float32", [-2], False]), b"\0" * 8),
        (packed(["T", "float32", [True, 2], False]), b"\0" * 8),
        (packed(["T", "float32", [2.0], False]), b"\0" * 8),
        (packed(["T", "float32", "2", False]), b"\0" * 8),
        (packed(["T", "float32", [2**62, 4], False]), b""),
        (packed(["T", "float32", [0, 2**62], False]), b""),
        (packed(["T", "uint8", [2**63, 2], False]), b""),
        (packed(["T", "float32", [1] * 17, False]), b"\0" * 4),
        (packed(["A", "object", [1]]), b"\0" * 8),
        (packed(["A", "bfloat16", [1]]), b"\0" * 2),
        (packed(["A", "float32", [2], 1]), b"\0" * 8),
        (packed(["As", "U1", [1]]), b"\xff\xff\xff\x7f"),
        (packed(["As", "U1", [1]]), b"\x00\xd8\x00\x00"),
        (packed(["As", "U0", [1]]), b""),
        (packed(["As", "V4", [1]]), b"\0" * 4),
        (packed(["Am", "datetime64[25s]", [1]]), b"\0" * 8),
        (packed(["Am", "datetime64", [1]]), b"\0" * 8),
        (packed(["Ao", [2], ["l", 1]]), b""),
        (packed(["Ao", [2**40], ["l"]]), b""),
        (packed(["Ax", [1], ["A", "int64", [1]], ["A", "uint8", [1]]]), b"\2" + b"\0" * 8),
        (
            packed(["Ax", [1], ["A", "int64", [1]], ["A", "uint8", [1]]]),
            b"\1" + b"\0" * 7 + b"\xff",
        ),
        (packed(["N", ["A", "int8", [2]]]), b"\0\0"),
        (packed(["N", ["Ao", [], ["l", 1]]]), b""),
        (packed(["N", ["t"]]), b""),
        (packed(["Nd", "V8"]), b""),
        (packed(["i", "1e9"]), b""),
        (packed(["i", "٣"]), b""),
        (packed(["i", "9" * 5000]), b""),
        (packed(["i", ""]), b""),
        (packed(["c", 1, 2]), b""),
        (packed(["s", -1]), b""),
        (packed(["y", "float33"]), b""),
        (packed(["v", "cpu; import os"]), b""),
        (packed(["n", "attention"]), b""),
        (packed(["o", 1]), b""),
        (packed(nested(wire.MAX_DEPTH + 2)), b""),
        (b"\x91" * 5000, b""),
        (packed(msgpack.ExtType(4, b"abc")), b""),
        (packed(msgpack.Timestamp(0)), b""),
        (packed(1) + b"\xc0", b""),
        (b"", b""),
        (b"\xc1", b""),
        (b"\xa2\xff\xfe", b""),
        (b"\xdd\xff\xff\xff\xff", b""),
        (b"\xc6\xff\xff\xff\xff", b""),
        (packed(None), b"x"),
        (b"\x80\x04\x95.", b""),
    ],
)
def test_what_is_no_message_is_refused(tree, blob):
    with pytest.raises(WireError):
        loads(tree, blob)


def test_booleans_are_zeros_and_ones_whatever_their_bytes():
    back = loads(packed(["T", "bool", [4], False]), b"\x00\x01\x02\xff")
    assert back.view(torch.uint8).tolist() == [0, 1, 1, 1]
    back = loads(packed(["A", "bool", [4]]), b"\x00\x01\x02\xff")
    assert back.view(np.uint8).tolist() == [0, 1, 1, 1]


# -- over a socket -------------------------------------------------------------------------------


@pytest.fixture
def ends():
    a, b = socket.socketpair()
    yield Channel(a, most=1 << 20), Channel(b, most=1 << 20)
    a.close()
    b.close()


def test_messages_come_in_order_and_whole(ends):
    one, other = ends
    sent = [torch.arange(50_000), "between", {"last": (1, 2)}]
    sender = threading.Thread(target=lambda: [one.send(value, 5) for value in sent])
    sender.start()
    assert all(same(other.receive(5), value) for value in sent)
    sender.join()


def test_an_end_that_says_nothing_or_half_of_it_is_waited_for_no_longer_than_said(ends):
    one, other = ends
    for begun in b"", struct.pack(">IQ", 100, 0), struct.pack(">IQ", 100, 0) + b"abc":
        one.sock.sendall(begun)
        started = monotonic()
        with pytest.raises(TimedOut):
            other.receive(0.1)
        assert monotonic() - started < 2


def test_an_end_that_drips_is_waited_for_no_longer_than_said(ends):
    one, other = ends
    stop = threading.Event()

    def drip():
        one.sock.sendall(struct.pack(">IQ", 1000, 0))
        while not stop.wait(0.02):
            one.sock.sendall(b"\x00")

    dripping = threading.Thread(target=drip)
    dripping.start()
    started = monotonic()
    with pytest.raises(TimedOut):
        other.receive(0.3)
    assert monotonic() - started < 2
    stop.set()
    dripping.join()


def test_an_end_that_has_gone_is_said(ends):
    one, other = ends
    one.sock.sendall(struct.pack(">IQ", 100, 0) + b"abc")
    one.close()
    with pytest.raises(Closed):
        other.receive(5)


@pytest.mark.parametrize("sizes", [(wire.TREE_BYTES + 1, 0), (1, (1 << 20) + 1), (1, 2**64 - 1)])
def test_a_message_that_is_too_long_is_refused_before_it_is_read(ends, sizes):
    one, other = ends
    one.sock.sendall(struct.pack(">IQ", *sizes))
    with pytest.raises(WireError, match="too long"):
        other.receive(5)


def test_an_end_that_reads_nothing_is_waited_for_no_longer_than_said(ends):
    one, _ = ends
    with pytest.raises(TimedOut):
        for _ in range(100):
            one.send(torch.zeros(200_000), 0.1)


# -- fuzz ------------------------------------------------------------------------------------------


def test_a_hundred_thousand_mutated_messages_are_read_or_refused():
    draw = random.Random(0)
    replies = [
        {"id": 3, "is": "value", "value": value}
        for value in [*VALUES, (torch.randn(2, 3), torch.randn(4)), {"W": torch.ones(2, 2)}]
    ]
    whole = [parts(dumps(reply)) for reply in replies]
    read = 0
    for _ in range(100_000):
        tree, blob = draw.choice(whole)
        if draw.random() < 0.8:
            tree = odd_bytes(draw, tree)
        if draw.random() < 0.3:
            blob = odd_bytes(draw, blob)
        try:
            back = loads(tree, bytearray(blob))
        except WireError:
            continue
        read += 1
        dumps(back)  # of the wire's own types all through
    assert 1000 < read < 90_000
