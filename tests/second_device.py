"""A second device on a machine that has one: what is left on the CPU is noticed.

A tensor there computes with ordinary numbers in ``elem`` and reports PyTorch's device ``meta``,
which needs no hardware and which autograd accepts. Within :class:`SecondDevice` whatever is moved
to that device, or made on it, is such a tensor; an operation on tensors of both devices is refused
as on a GPU, where only a single number and an index may come from the CPU.
"""

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._mode_utils import no_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

DEVICE = torch.device("meta")
aten = torch.ops.aten
#: What moves numbers from one device to the other.
MOVES = (aten._to_copy.default, aten.copy_.default)
#: Packed sequences: how many rows there are at each place is kept on the CPU, on every device.
PACKS = (aten._pack_padded_sequence.default, aten._pack_padded_sequence_backward.default)
#: What is picked may be told from the CPU: the second argument.
PICKS = (aten.index.Tensor, aten.index_put.default, aten.index_put_.default)


class There(torch.Tensor):
    """A tensor on the second device."""

    @staticmethod
    def __new__(cls, elem):
        return torch.Tensor._make_wrapper_subclass(
            cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(),
            dtype=elem.dtype, layout=elem.layout, device=DEVICE, requires_grad=False,
        )  # fmt: skip

    def __init__(self, elem):
        self.elem = elem

    # What comes back is what the operation gives: a copy on the CPU is an ordinary tensor.
    __torch_function__ = torch._C._disabled_torch_function_impl

    def tolist(self):
        return self.elem.tolist()

    def __repr__(self):
        return f"There({self.elem!r})"

    def __format__(self, how):
        return format(self.elem, how)

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        return computed(func, args, kwargs or {})


class Made(TorchFunctionMode):
    """A tensor made of numbers, also for an index: nothing that a dispatch mode would see."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        if func is torch.Tensor.__getitem__ and isinstance(args[1], tuple):
            index = (torch.tensor(i) if isinstance(i, list) else i for i in args[1])
            return func(args[0], tuple(index))
        makes = func in (torch.tensor, torch.as_tensor) and kwargs.get("device") is not None
        if not makes or torch.device(kwargs["device"]) != DEVICE:
            return func(*args, **kwargs)
        return func(*args, **kwargs | {"device": "cpu"}).to(DEVICE)


class SecondDevice(TorchDispatchMode):
    """Within, the second device exists."""

    def __enter__(self):
        self.made = Made()
        self.made.__enter__()
        return super().__enter__()

    def __exit__(self, *raised):
        super().__exit__(*raised)
        self.made.__exit__(*raised)

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return computed(func, args, kwargs or {})


def computed(func, args, kwargs):
    """The operation on the numbers, and its result on the device where it belongs."""
    tensors = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, torch.Tensor)]
    there = any(isinstance(x, There) for x in tensors)
    for x in tensors:
        if not isinstance(x, There) and x.device == DEVICE:
            raise RuntimeError(f"{func} was given a tensor without numbers on {DEVICE}")
    may_mix = func in MOVES or func in PACKS
    if func in PICKS:
        tensors = [x for x in (args[0], *args[2:]) if isinstance(x, torch.Tensor)]
    if there and not may_mix and any(not isinstance(x, There) and x.dim() for x in tensors):
        raise RuntimeError(
            f"Expected all tensors to be on the same device: {func} was given "
            + ", ".join(f"{tuple(x.shape)} on {x.device}" for x in tensors)
        )
    wanted = kwargs.get("device")
    if wanted is not None:
        there = torch.device(wanted) == DEVICE
        kwargs = {**kwargs, "device": torch.device("cpu")}
    if there and kwargs.get("generator") is not None:
        raise RuntimeError(f"Expected a generator of the same device: {func} was given the CPU's")
    elems, options = tree_map(lambda x: x.elem if isinstance(x, There) else x, (args, kwargs))
    out = func(*elems, **options)
    if torch.Tag.inplace_view in func.tags:
        with no_dispatch():
            func(*args, **kwargs)  # another shape for what stands for it, too
    if func._schema.is_mutable and out is not None:
        return kwargs.get("out", args[0])  # the tensor that was written to
    if not there:
        return out
    if func is PACKS[0]:
        return There(out[0]), out[1]
    return tree_map(lambda x: There(x) if isinstance(x, torch.Tensor) else x, out)


def numbers(x):
    """What a tensor on the second device holds."""
    assert isinstance(x, There), f"on {x.device}, not on the second device"
    return x.elem
