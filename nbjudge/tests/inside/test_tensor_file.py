"""Files of tensors that learners hand in: read without anything of theirs being run."""

import io
import json
import pickle

import numpy as np
import pytest
import torch
from safetensors.torch import save

from nbjudge.inside import tensor_file
from nbjudge.inside.tensor_file import NotTensors
from nbjudge.inside.testing.enclosed import tensors

WEIGHTS = {
    "table": torch.randn(3, 4),
    "half": torch.randn(5).half(),
    "brain": torch.randn(2, 2).bfloat16(),
    "whole": torch.arange(6).reshape(1, 2, 3),
    "flags": torch.tensor([True, False]),
    "one": torch.tensor(2.5),
    "none": torch.empty(0, 3),
}


def made(listed: object, numbers: bytes = b"") -> bytes:
    text = json.dumps(listed).encode()
    return len(text).to_bytes(8, "little") + text + numbers


def of(dtype="F32", shape=(1,), begin=0, end=4):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}


def test_what_the_librarys_writer_writes_is_read_to_the_last_bit():
    content = save(WEIGHTS, {"note": "of no account"})
    read = tensors(content)
    assert set(read) == set(WEIGHTS)
    for name, tensor in WEIGHTS.items():
        assert read[name].dtype == tensor.dtype and torch.equal(read[name], tensor), name
    assert {name: about["shape"] for name, about in tensor_file.contents(content)} == {
        name: list(tensor.shape) for name, tensor in WEIGHTS.items()
    }


def torch_saved() -> bytes:
    file = io.BytesIO()
    torch.save(WEIGHTS, file)
    return file.getvalue()


def numpy_saved() -> bytes:
    file = io.BytesIO()
    np.save(file, np.ones(3))
    return file.getvalue()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"abc", "is not in the safetensors format"),
        (torch_saved(), "is a zip, such as torch.save writes, with a pickle in it"),
        (pickle.dumps(WEIGHTS, 4), "is a pickle"),
        (numpy_saved(), "is a NumPy array"),
        (b"these are my weights", "is not in the safetensors format"),
        (made([]), "is not in the safetensors format"),
        (save(WEIGHTS)[:-1], "is cut off or damaged"),
        (save(WEIGHTS) + b"0", "is cut off or damaged"),
        (save(WEIGHTS)[:60], "is cut off or damaged"),
        ((1 << 62).to_bytes(8, "little") + b"{", "is cut off or damaged"),
        (made({"a": of()})[:20] + b"\xff" * 60, "is cut off or damaged"),
        (made({"a": 1}), "is cut off or damaged"),
        (made({"a": {"dtype": "x" * 900}}), "is cut off or damaged"),
        (made({"a": of(shape=(-1,))}, b"0000"), "is cut off or damaged"),
        (made({"a": of(shape=(1.0,))}, b"0000"), "is cut off or damaged"),
        (made({"a": of(shape=(True,))}, b"0000"), "is cut off or damaged"),
        (made({"a": {**of(), "data_offsets": [0]}}, b"0000"), "is cut off or damaged"),
        (made({"a": of(shape=(2,))}, b"0000"), "is cut off or damaged (invalid shape"),
        (made({"a": of(shape=(1 << 40, 1 << 40))}, b"0000"), "is cut off or damaged"),
        (made({"a": of(), "b": of()}, b"0000"), "is cut off or damaged (invalid offset"),
        (made({"a": of(begin=4, end=8)}, b"00000000"), "is cut off or damaged"),
        (made({"a": of()}), "is cut off or damaged"),
        (made({"a": of(dtype="F8_E4M3", end=1)}, b"0"), "of the unsupported dtype F8_E4M3"),
        (made({"a": of(shape=[1] * 9)}, b"0000"), "a tensor 'a' whose axes are too many"),
        (made({"a": of(shape=(0, 1 << 40), end=0)}), "a tensor 'a' whose axes are too many"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_tensors_is_refused_in_a_line(content, message):
    with pytest.raises(NotTensors, match="^[^\n]{,200}$") as refused:
        tensor_file.contents(content)
    assert message in str(refused.value)
    with pytest.raises(NotTensors):
        tensors(content)


def test_a_list_that_is_deep_or_long_costs_little():
    deep = b'{"a":' + b"[" * 200_000
    many = made({f"t{i}": of(begin=0, end=0, shape=(0,)) for i in range(10_001)})
    with pytest.raises(NotTensors, match="recursion limit"):
        tensor_file.contents(len(deep).to_bytes(8, "little") + deep)
    with pytest.raises(NotTensors, match="holds 10,001 tensors"):
        tensor_file.contents(many)


@pytest.mark.parametrize("name", ["a.pt", "sub/a.safetensors", "../a.safetensors", ".safetensors/"])
def test_only_a_plain_name_can_be_asked_for(name):
    with pytest.raises(ValueError, match="name must be that of a .safetensors file"):
        tensor_file.check_asked(name, 10)


@pytest.mark.parametrize("kilobytes", [0, -1, 1.5, True])
def test_only_a_size_in_whole_kilobytes_can_be_asked_for(kilobytes):
    with pytest.raises(ValueError, match="kilobytes must be a whole number above 0"):
        tensor_file.check_asked("a.safetensors", kilobytes)
