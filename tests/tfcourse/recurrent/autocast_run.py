"""Run the cells under autocast, and print which differ from float32 by more than its rounding.

A separate process, because oneDNN reads ``ONEDNN_MAX_CPU_ISA`` once, before its first kernel.
"""

import itertools
import json

import torch

from tfcourse.recurrent import GRUCell, LSTMCell, Recurrent, RNNCell


def run(network, x, lengths, dtype=None):
    """Outputs, last state and gradient of the input; without ``dtype`` all of it in float32."""
    x = x.float() if dtype is None else x
    x = x.clone().requires_grad_()
    with torch.autocast("cpu", dtype, enabled=dtype is not None):
        outputs, state = network(x, lengths, fused=True)
    outputs.float().sum().backward()
    return outputs, *(state if isinstance(state, tuple) else (state,)), x.grad


def main():
    torch.set_num_threads(1)
    wrong, exact = [], {}
    for cell, dtype, of_input, padded in itertools.product(
        (RNNCell, GRUCell, LSTMCell), (torch.bfloat16, torch.float16), (None, "cast"), (False, True)
    ):
        torch.manual_seed(0)
        network = Recurrent(cell, 4, 6, num_layers=2, bidirectional=True)
        x = torch.randn(2, 3, 4).to(dtype if of_input else torch.float32)
        lengths = torch.tensor([3, 2]) if padded else None
        got, plain = run(network, x, lengths, dtype), run(network, x, lengths)
        name = f"{cell.__name__} {dtype}"
        # Each number is below 4, and is rounded at each of 2 layers' 3 steps.
        near = 6 * 4 * torch.finfo(dtype).eps
        same = all(
            torch.allclose(a.float(), b, rtol=0, atol=near) for a, b in zip(got, plain, strict=True)
        )
        wrong += [] if same else [f"{name}, input {x.dtype}, padded {padded}"]
        as_plain = all(torch.equal(a, b) for a, b in zip(got[:-1], plain[:-1], strict=True))
        exact[name] = exact.get(name, True) and as_plain
    print(json.dumps({"wrong": wrong, "in float32": [name for name in exact if exact[name]]}))


if __name__ == "__main__":
    main()
