"""A process made without what its argument names tries it in every spelling, and says what came."""

import gc
import json
import sys
import types
import warnings

import numpy as np
import torch
import torch._refs
from torch import nn
from torch.nn import functional as F

from nbjudge.inside.testing import learner
from nbjudge.testing import Mistake

warnings.simplefilter("ignore")
held_ref = torch._refs.softmax
held = F.scaled_dot_product_attention, F.multi_head_attention_forward, nn.MultiheadAttention
learner.warm()
learner.begin(forbidden=tuple(json.loads(sys.argv[1])), seed=3, wire_path="")
Q, K, V = torch.randn(3, 1, 2, 5, 4)
W = torch.randn(4, 4)
q = Q.clone().requires_grad_()


def imports(name):
    return lambda: __import__(name, fromlist=["x"])


@torch.jit.script
def scripted(q: torch.Tensor):
    return torch.nn.functional.scaled_dot_product_attention(q, q, q)


def disabled():
    with torch._C.DisableTorchFunction(), torch.inference_mode():
        return torch.ops.aten.scaled_dot_product_attention(Q, K, V)


def below_autograd():
    key = torch._C.DispatchKeySet(torch._C.DispatchKey.AutogradCPU)
    with torch._C._ExcludeDispatchKeyGuard(key):
        return torch.ops.aten._scaled_dot_product_attention_math(Q, K, V)


def found_in_memory():
    for found in gc.get_objects():
        if type(found) is types.FunctionType and found.__name__ == MHA:
            return found(Q[0], K[0], V[0], 4, 1, *[None] * 4, 0.0, W, None)
    raise LookupError


class NumPys(torch.autograd.Function):
    """A product that NumPy computes, both ways."""

    @staticmethod
    def forward(ctx, a, b):
        ctx.save_for_backward(a, b)
        return torch.from_numpy(a.detach().numpy() @ b.detach().numpy())

    @staticmethod
    def backward(ctx, grad):
        a, b = (x.numpy() for x in ctx.saved_tensors)
        return torch.from_numpy(grad.numpy() @ b.T), torch.from_numpy(a.T @ grad.numpy())


def engine():
    root = (q * q).sum()
    torch.autograd.Variable._execution_engine.run_backward(
        (root,), (torch.ones(()),), False, False, (), allow_unreachable=True, accumulate_grad=True
    )
    return q.grad[0]


def node():
    return (q * 3).grad_fn(torch.ones_like(q))[0][0]


def by_address():
    import ctypes

    return ctypes.CDLL(torch._C.__file__).aoti_torch_cpu_mm_out


def by_address_held():
    """What imported ctypes before still has its functions."""
    kinds = [kind for kind in object.__subclasses__() if kind.__name__ == "_CData"]
    pointers = next(kind for kind in kinds[0].__subclasses__() if "FuncPtr" in kind.__name__)
    made = type("Made", (pointers,), {"_flags_": 1, "_restype_": None})
    return made(id)


def scripted_from_text():
    unit = torch._C.CompilationUnit()
    unit.define("def f(x: Tensor):\n    return torch.autograd.grad([(x * x).sum()], [x])\n", None)
    return unit.f(q)


def compiled():
    return torch.compile(lambda x: x * 2, backend="eager")(Q)[0]


def optimised():
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    return torch.optim.Adam(layer.parameters()).step()


MHA = "multi_head_attention_forward"
op = torch.ops.aten
USES = {
    "functional": lambda: F.scaled_dot_product_attention(Q, K, V),
    "held": lambda: held[0](Q, K, V),
    "held module": lambda: held[2](4, 1),
    "held function": lambda: held[1](Q[0], K[0], V[0], 4, 1, *[None] * 4, 0.0, W, None),
    "by name": lambda: getattr(F, "scaled_dot_" + "product_attention")(Q, K, V),
    "with gradients": lambda: F.scaled_dot_product_attention(q, K, V),
    "in half precision": lambda: F.scaled_dot_product_attention(*(x.bfloat16() for x in (Q, K, V))),
    "autocast": lambda: torch.autocast("cpu")(F.scaled_dot_product_attention)(Q, K, V),
    "bindings": lambda: torch._C._nn.scaled_dot_product_attention(Q, K, V),
    "operator": lambda: op.scaled_dot_product_attention(Q, K, V),
    "overload": lambda: op.scaled_dot_product_attention.default(Q, K, V),
    "math": lambda: torch._scaled_dot_product_attention_math(Q, K, V),
    "math operator": lambda: op._scaled_dot_product_attention_math(q, K, V),
    "flash": lambda: op._scaled_dot_product_flash_attention_for_cpu(Q, K, V),
    "overrideable": lambda: op._scaled_dot_product_fused_attention_overrideable(Q, K, V),
    "native": lambda: op._native_multi_head_attention(Q[0], K[0], V[0], 4, 1, W, W, W, W),
    "vmap": lambda: torch.vmap(op.scaled_dot_product_attention)(Q, K, V),
    "vmap of math": lambda: torch.vmap(op._scaled_dot_product_attention_math)(Q, K, V),
    "grad": lambda: torch.func.grad(lambda x: op.scaled_dot_product_attention(x, K, V).sum())(Q),
    "jvp": lambda: torch.func.jvp(
        lambda x: op._scaled_dot_product_attention_math(x, K, V)[0], (Q,), (Q,)
    ),
    "scripted": lambda: scripted(Q),
    "traced": lambda: torch.jit.trace(lambda x: F.scaled_dot_product_attention(x, x, x), (Q,))(Q),
    "disabled": disabled,
    "below autograd": below_autograd,
    "in memory": found_in_memory,
    "multi-head": lambda: nn.MultiheadAttention(4, 1),
    "multi-head, older": lambda: nn.MultiheadAttention.__new__(nn.MultiheadAttention).forward(Q),
    "encoder layer": lambda: nn.TransformerEncoderLayer(4, 1),
    "decoder layer": lambda: nn.TransformerDecoderLayer(4, 1),
    "transformer": lambda: nn.Transformer(4, 1),
    "quantizable": lambda: imports("torch.ao.nn.quantizable")().MultiheadAttention(4, 1),
    "flex": imports("torch.nn.attention.flex_attention"),
    "flex operator": lambda: torch.ops.higher_order.flex_attention(Q, K, V, None, None, 1.0, {}),
    "onnx": imports("torch.onnx.ops"),
    "nested": imports("torch.nested._internal.sdpa"),
    "transformers": imports("transformers"),
    "ours": imports("tfcourse.attention"),
    "ours, beside": imports("tfcourse.alignment"),
    "our cache": imports("tfcourse.key_value_cache"),
    "our rolling cache": imports("tfcourse.rolling_cache"),
    "our models": imports("tfcourse.models.gpt"),
    "our kernels": imports("tfcourse.kernels"),
    "matmul": lambda: Q @ K.mT,
    "matmul, graded": lambda: q @ K.mT,
    "mm": lambda: torch.mm(Q[0, 0], K[0, 0].mT),
    "mm, out": lambda: torch.mm(Q[0, 0], K[0, 0].mT, out=torch.empty(5, 5)),
    "bmm": lambda: torch.bmm(Q[0], K[0].mT),
    "einsum": lambda: torch.einsum("bhik,bhjk->bhij", Q, K),
    "linear": lambda: F.linear(Q, K[0, 0]),
    "addmm": lambda: torch.addmm(torch.zeros(5, 5), Q[0, 0], K[0, 0].mT),
    "baddbmm": lambda: torch.baddbmm(torch.zeros(2, 5, 5), Q[0], K[0].mT),
    "tensordot": lambda: torch.tensordot(Q[0, 0], K[0, 0], dims=([1], [1])),
    "convolution": lambda: F.conv1d(Q[0].mT, K[0, 0][:, :, None]),
    "disabled product": lambda: torch._C.DisableTorchFunction().__enter__() or Q @ K.mT,
    "vector": lambda: K[0, 0] @ Q[0, 0, 0],
    "vector, graded": lambda: torch.autograd.grad((K[0, 0] @ q[0, 0, 0]).sum(), q),
    "row": lambda: torch.autograd.grad((q[0, 0, :1] @ K[0, 0].mT).sum(), q),
    "dot": lambda: Q[0, 0, 0] @ K[0, 0, 0],
    "softmax": lambda: torch.autograd.grad(q.softmax(-1).square().sum(), q),
    "linear layer": lambda: nn.Linear(4, 3)(Q[0, 0, 0]),
    "layer norm": lambda: nn.LayerNorm(4)(Q),
    "lstm": lambda: nn.LSTM(4, 3)(Q[0])[0],
    "our records": imports("coursebook.records"),
    "row of a matrix": lambda: F.softmax(Q[0, 0, 1:2] @ K[0, 0].mT, -1),
    "numpy": lambda: Q[0, 0].numpy() @ K[0, 0].numpy().T,
    "numpy, dot": lambda: Q[0, 0].numpy().dot(K[0, 0].numpy().T),
    "numpy, function": lambda: np.matmul(Q[0, 0].numpy(), K[0, 0].numpy().T),
    "numpy, einsum": lambda: np.einsum("ij,kj->ik", Q[0, 0].numpy(), K[0, 0].numpy()),
    "numpy in a function": lambda: NumPys.apply(q[0, 0], K[0, 0].mT).sum().backward(),
    "mkldnn": lambda: torch.ops.mkldnn._linear_pointwise(
        Q[0, 0], K[0, 0], None, "none", [], "none"
    ),
    "prims": lambda: torch.ops.prims.exp.default(Q),
    "refs": lambda: imports("torch._refs")().softmax(Q, -1),
    "refs, held": lambda: held_ref(Q, -1),
    "decompositions": imports("torch._decomp.decompositions"),
    "engine": engine,
    "node": node,
    "by address": by_address,
    "by address, held": by_address_held,
    "scripted from text": scripted_from_text,
    "scripted product": lambda: torch.jit.trace(lambda x: x @ x.mT, (Q,))(Q),
    "pattern file": imports("torch._inductor.fx_passes.fuse_attention"),
    "sklearn": imports("sklearn.preprocessing"),
    "scipy": imports("scipy.special"),
    "compiled": compiled,
    "optimised": optimised,
    "vmap of a formula": lambda: torch.vmap(lambda x: x.softmax(-1))(Q[0]),
    "jacobian": lambda: torch.func.jacrev(lambda x: x * x)(Q[0, 0, 0]),
    "gradients": lambda: torch.autograd.grad((q * q).sum(), q)[0][0],
}

said = {}
for name, use in USES.items():
    try:
        use()
        said[name] = "done"
    except Mistake as mistake:
        said[name] = str(mistake)
    except Exception as error:
        said[name] = f"{type(error).__name__}: {error}"


def product():
    rows = torch.addmm(torch.ones(5), Q[0, 0, :1], K[0, 0].mT, beta=2, alpha=3)
    right = 2 + 3 * (Q[0, 0, 0] * K[0, 0]).sum(-1)
    return torch.allclose(rows[0], right) and torch.allclose(K[0, 0] @ Q[0, 0, 0], (right - 2) / 3)


said["vector products are right"] = str(product())
print(json.dumps(said))
