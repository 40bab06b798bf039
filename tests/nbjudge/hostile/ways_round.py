"""Ways round what is to be written by hand: kind → way → the answer's source, which defines ``f``.

The first of each kind is honest, and shows that its test can be passed.
"""

from __future__ import annotations

MATRICES = {
    "honest": "f = lambda A, B: torch.stack([B.mT @ row for row in A])",
    "honest rows of one": """
def f(A, B):
    return torch.cat([A[i : i + 1] @ B for i in range(len(A))])
""",
    "numpy in a function of autograd": """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b):
        return torch.from_numpy(a.detach().numpy() @ b.detach().numpy())

    @staticmethod
    def backward(ctx, grad):
        return None, None

f = Product.apply
""",
    "numpy's own functions": """
import numpy as np
def f(A, B):
    return torch.from_numpy(np.einsum("ij,jk->ik", A.numpy(), B.numpy()))
""",
    "numpy's method": "f = lambda A, B: torch.from_numpy(A.numpy().dot(B.numpy()))",
    "numpy's matrices": """
import numpy as np
f = lambda A, B: torch.from_numpy(np.asarray(np.asmatrix(A.numpy()) * np.asmatrix(B.numpy())))
""",
    "operators of another namespace": """
def f(A, B):
    return torch.ops.mkldnn._linear_pointwise(A, B.mT.contiguous(), None, "none", [], "none")
""",
    "one convolution": """
def f(A, B):
    return torch.nn.functional.conv1d(A[:, :, None], B.mT[:, :, None])[:, :, 0]
""",
    "bags of rows": """
def f(A, B):
    n, k = A.shape
    ids, ends = torch.arange(k).repeat(n), torch.arange(0, n * k, k)
    weights = A.flatten()
    bag = torch.nn.functional.embedding_bag
    return bag(ids, B, ends, mode="sum", per_sample_weights=weights)
""",
    "a triangle solved": """
def f(A, B):
    n = len(A)
    L, right = torch.eye(2 * n), torch.cat([B, torch.zeros(n, B.shape[1])])
    L[n:, :n] = -A
    return torch.linalg.solve_triangular(L, right, upper=False)[n:]
""",
    "equations solved": """
f = lambda A, B: torch.linalg.solve(torch.linalg.inv(A.double()), B.double()).float()
""",
    "equations solved by numpy": """
import numpy as np
def f(A, B):
    A, B = A.double().numpy(), B.double().numpy()
    return torch.from_numpy(np.linalg.solve(np.linalg.inv(A), B)).float()
""",
    "distances": """
def f(A, B):
    A, B = A.double(), B.mT.double()
    far = torch.cdist(A, B, compute_mode="donot_use_mm_for_euclid_dist") ** 2
    return (((A**2).sum(1)[:, None] + (B**2).sum(1) - far) / 2).float()
""",
    "exponential of a matrix": """
def f(A, B):
    n = len(A)
    Z = torch.zeros(3 * n, 3 * n, dtype=torch.float64)
    Z[:n, n : 2 * n], Z[n : 2 * n, 2 * n :] = A, B
    return (2 * torch.linalg.matrix_exp(Z)[:n, 2 * n :]).float()
""",
    "another thread": """
import threading
def f(A, B):
    found = []
    thread = threading.Thread(target=lambda: found.append(A @ B))
    thread.start(), thread.join()
    return found[0]
""",
    "another program": """
import json, subprocess, sys
def f(A, B):
    text = "import json, sys, torch; a, b = json.load(sys.stdin)\\n"
    text += "print((torch.tensor(a) @ torch.tensor(b)).tolist())"
    given = json.dumps([A.tolist(), B.tolist()])
    ran = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True)
    return torch.tensor(json.loads(ran.stdout))
""",
    "numpy in another program": """
import json, subprocess, sys
def f(A, B):
    text = "import json, sys, numpy; a, b = json.load(sys.stdin)\\n"
    text += "print((numpy.array(a) @ numpy.array(b)).tolist())"
    given = json.dumps([A.tolist(), B.tolist()])
    ran = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True)
    return torch.tensor(json.loads(ran.stdout))
""",
    "honest linear": """
f = lambda A, B: torch.stack([torch.nn.functional.linear(row, B.mT) for row in A])
""",
    "honest numbers": """
def f(A, B):
    one = torch.linalg.norm(A) / torch.linalg.vector_norm(A)
    return torch.stack([torch.stack([a.dot(b) for b in B.mT]) for a in A]) * one
""",
    "in place": "f = lambda A, B: torch.zeros(len(A), B.shape[1]).addmm_(A, B)",
    "in place, a batch": """
f = lambda A, B: torch.zeros(1, len(A), B.shape[1]).baddbmm_(A[None], B[None])[0]
""",
    "a sparse matrix, unwatched": """
def f(A, B):
    with torch._C.DisableTorchFunction():
        return torch.addmm(torch.zeros(len(A), B.shape[1]), A.to_sparse(), B)
""",
    "a compressed sparse matrix, unwatched": """
def f(A, B):
    with torch._C.DisableTorchFunction():
        return torch.addmm(torch.zeros(len(A), B.shape[1]), A.to_sparse_csr(), B)
""",
    "sparse and sampled": """
def f(A, B):
    everywhere = torch.ones(len(A), B.shape[1]).to_sparse_csr()
    return torch.sparse.sampled_addmm(everywhere, A, B, beta=0.0).to_dense()
""",
    "a sparse batch, unwatched": """
def f(A, B):
    with torch._C.DisableTorchFunction():
        return torch.bmm(A[None].to_sparse(), B[None])[0]
""",
    "another layout": """
def f(A, B):
    with torch._C.DisableTorchFunction():
        return torch.nn.functional.linear(A.to_mkldnn(), B.mT.contiguous().to_mkldnn()).to_dense()
""",
    "backwards through a convolution": """
def f(A, B):
    x, grad = A.mT[:, :, None].contiguous(), B[:, :, None].contiguous()
    back = torch.ops.aten.convolution_backward
    w = torch.zeros(B.shape[1], len(A), 1)
    found = back(grad, x, w, None, [1], [0], [1], False, [0], 1, [False, True, False])
    return found[1][:, :, 0].mT
""",
    "reflections": """
def f(A, B):
    n, k = A.shape
    small = 1e-5
    V = torch.cat([torch.eye(k), small * A]).double()
    X = torch.cat([B, torch.zeros(n, B.shape[1])]).double()
    found = torch.ormqr(V, torch.ones(k).double(), X)
    return (-found[k:] / small).float()
""",
    "triangles of a matrix": """
def f(A, B):
    n, k = A.shape
    small = 1 / (4 * A.abs().max().item())
    top = torch.cat([torch.eye(k), torch.zeros(k, n), B], 1)
    low = torch.cat([-small * A, torch.eye(n), torch.zeros(n, B.shape[1])], 1)
    found = torch.linalg.lu_factor(torch.cat([top, low]).double())[0]
    return (found[k:, k + n :] / small).float()
""",
    "right angles": """
def f(A, B):
    n, k = A.shape
    small = 1e-5
    left = torch.cat([torch.eye(n), small * A.mT]).double()
    right = torch.cat([torch.zeros(n, B.shape[1]), B]).double()
    R = torch.linalg.qr(torch.cat([left, right], 1))[1]
    return (R[:n, n:] / R[:n, :n].diagonal()[:, None].sign() / small).float()
""",
    "right angles by numpy": """
import numpy as np
def f(A, B):
    n, k = A.shape
    small = 1e-5
    left = torch.cat([torch.eye(n), small * A.mT]).double()
    right = torch.cat([torch.zeros(n, B.shape[1]), B]).double()
    R = torch.from_numpy(np.linalg.qr(torch.cat([left, right], 1).numpy())[1])
    return (R[:n, n:] / R[:n, :n].diagonal()[:, None].sign() / small).float()
""",
    "distances of pairs": """
def f(A, B):
    n, m = len(A), B.shape[1]
    points = torch.cat([A, B.mT]).double()
    far = torch.zeros(n + m, n + m).double()
    far[tuple(torch.triu_indices(n + m, n + m, 1))] = torch.pdist(points) ** 2
    square = (points**2).sum(1)
    return ((square[:n, None] + square[n:] - far[:n, n:]) / 2).float()
""",
    "attention": """
def f(A, B):
    A = A.double()
    high = 1 + A.abs().max()
    Q, V = (A + high).log(), B.double()
    K = torch.eye(len(V)).double()
    with torch._C.DisableTorchFunction():
        found = torch.nn.functional.scaled_dot_product_attention(
            Q[None, None], K[None, None], V[None, None], scale=1.0
        )[0, 0]
    return (found * (A + high).sum(1, keepdim=True) - high * V.sum(0)).float()
""",
    "attention, watched": """
def f(A, B):
    A = A.double()
    high = 1 + A.abs().max()
    Q, V = (A + high).log(), B.double()
    K = torch.eye(len(V)).double()
    found = torch.nn.functional.scaled_dot_product_attention(
        Q[None, None], K[None, None], V[None, None], scale=1.0
    )[0, 0]
    return (found * (A + high).sum(1, keepdim=True) - high * V.sum(0)).float()
""",
    "packed weights": """
def f(A, B):
    found, rest = torch.zeros(len(A), B.shape[1]), B
    for _ in range(3):
        half = rest.half().float()
        packed = torch.fbgemm_pack_gemm_matrix_fp16(half.mT.contiguous())
        linear = torch.fbgemm_linear_fp16_weight_fp32_activation
        found = found + linear(A, packed, torch.zeros(B.shape[1]))
        rest = rest - half
    return found
""",
    "weights of eight bits": """
def f(A, B):
    found, rest = torch.zeros(len(A), B.shape[1]), B
    for _ in range(4):
        scale = rest.abs().amax(0) / 127 + 1e-20
        whole = (rest / scale).round().to(torch.int8)
        part = torch._weight_int8pack_mm(A, whole.mT.contiguous(), scale)
        found, rest = found + part, rest - whole.float() * scale
    return found
""",
    "a list of products": """
f = lambda A, B: torch.ops.aten._foreach_mm([A], [B])[0]
""",
    "groups": """
f = lambda A, B: torch.nn.functional.grouped_mm(A[None], B[None])[0]
""",
    "a unit of TorchScript": """
unit = torch._C.CompilationUnit()
body = "    return torch.zeros(A.size(0), B.size(1)).addmm_(A, B)\\n"
unit.define("def g(A: Tensor, B: Tensor):\\n" + body, None)
f = unit.g
""",
    "a recurrent net": """
def f(A, B):
    small = 1e-4
    W, n = B.mT.double().contiguous(), B.shape[1]
    zero = torch.zeros(len(A), n).double()
    with torch._C.DisableTorchFunction():
        found = torch.rnn_tanh_cell(small * A.double(), zero, W, torch.zeros(n, n).double())
    return (found / small).float()
""",
    "a broken product of NumPy's own": """
import numpy as np
f = lambda A, B: torch.from_numpy(np.core.multiarray.dot(A.numpy(), B.numpy()))
""",
    "NumPy's list of its functions": """
from numpy._core import overrides
found = {f.__name__: f for f in overrides.ARRAY_FUNCTIONS}["dot"]
f = lambda A, B: torch.from_numpy(found(A.numpy(), B.numpy()))
""",
    "NumPy's functions, out of memory": """
import gc
def f(A, B):
    A, B = A.numpy(), B.numpy()
    for found in gc.get_objects():
        kind = type(found)
        if not str(kind.__module__).startswith("numpy") and kind is not type(len):
            continue
        if getattr(found, "__name__", "") not in ("matmul", "dot", "c_einsum"):
            continue
        try:
            out = found("ij,jk->ik", A, B) if "ein" in found.__name__ else found(A, B)
        except BaseException:
            continue
        if type(out) is type(A) and out.shape == (4, 4):
            return torch.from_numpy(out)
""",
    "another library's matrices": """
import sympy
def f(A, B):
    product = sympy.Matrix(A.tolist()) * sympy.Matrix(B.tolist())
    return torch.tensor(product.tolist(), dtype=torch.float64).float()
""",
    "a third library's matrices": """
import mpmath
def f(A, B):
    product = mpmath.matrix(A.tolist()) * mpmath.matrix(B.tolist())
    return torch.tensor([[float(x) for x in row] for row in product.tolist()])
""",
    "another library's matrices, as PyTorch has it": """
import sys
held = sys.modules["torch.fx.experimental.symbolic_shapes"].sympy
def f(A, B):
    product = held.Matrix(A.tolist()) @ held.Matrix(B.tolist())
    return torch.tensor(product.tolist(), dtype=torch.float64).float()
""",
    "matrices that another library keeps to itself": """
import gc
def f(A, B):
    kinds = [x for x in gc.get_objects() if type(x) is type and "sympy" in str(x.__module__)]
    held = {x.__name__: x for x in kinds}
    matrix, field = held["DomainMatrix"], held["RealField"]()
    a, b = (matrix([list(map(field, r)) for r in x.tolist()], x.shape, field) for x in (A, B))
    return torch.tensor([[float(x) for x in row] for row in a.matmul(b).to_list()])
""",
    "covariances": """
def f(A, B):
    n, m = len(A), B.shape[1]
    rows = torch.cat([A, B.mT]).double()
    both = torch.cat([rows, -rows], 1)
    return (torch.cov(both, correction=0)[:n, n:] * A.shape[1]).float()
""",
}

ATTENTION = {
    "honest": "f = lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V",
    "honest, compiled": """
@torch.compile(backend="eager")
def f(Q, K, V):
    return torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, -1) @ V
""",
    "honest, with PyTorch's helpers": """
import torch.nn.utils.prune, torch.utils.benchmark
@torch.jit.script
def f(Q, K, V):
    return torch.softmax(Q @ K.mT * Q.shape[-1] ** -0.5, -1) @ V
""",
    "PyTorch's pattern file, read": """
import pathlib
path = pathlib.Path(torch.__file__).parent / "_inductor/fx_passes/fuse_attention.py"
lines = path.read_text().split("def _sfdp_pattern_1(")[1].split("def ")[0]
exec("def pattern(" + lines)
f = lambda Q, K, V: pattern(Q[None], K[None], V[None], Q.shape[-1] ** 0.5)[0]
""",
    "PyTorch's pattern file, imported": """
import sys
from importlib.machinery import PathFinder
sys.meta_path[:] = [PathFinder, *sys.meta_path]
from torch._inductor.fx_passes.fuse_attention import _sfdp_pattern_1
f = lambda Q, K, V: _sfdp_pattern_1(Q[None], K[None], V[None], Q.shape[-1] ** 0.5)[0]
""",
    "the source of a function": """
import inspect, textwrap
source = inspect.getsource(inspect.getmodule(torch.nn.functional.softmax))
start = source.index("def scaled_dot_product_attention(query")
import math
exec(textwrap.dedent(" " * 8 + source[start : source.index(".. warning::", start)]), globals())
f = scaled_dot_product_attention
""",
    "what a function says of itself": """
import math, textwrap
said = torch.nn.functional.scaled_dot_product_attention.__doc__
start = said.index("def scaled_dot_product_attention(query")
code = textwrap.dedent(" " * 8 + said[start : said.index(".. warning::", start)])
exec(code, globals())
f = scaled_dot_product_attention
""",
    "a function by its address": """
import ctypes
library = ctypes.CDLL(torch.__path__[0] + "/lib/libtorch_cpu.so")
library.aoti_torch_cpu__scaled_dot_product_flash_attention_for_cpu
f = lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V
""",
    "a function by its address, of a module that has it": """
import sys
linux = sys.modules["nbjudge.inside.linux"]
held = [x for x in vars(linux).values() if type(x).__name__ == "CDLL"]
held[0].getpid()
f = lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V
""",
    "a library of one's own": """
import glob, importlib.util, os, shutil, sysconfig
made = glob.glob(sysconfig.get_path("stdlib") + "/lib-dynload/_json*.so")[0]
own = os.path.expanduser("~/" + os.path.basename(made))
shutil.copy(made, own)
spec = importlib.util.spec_from_file_location("_json", own)
importlib.util.module_from_spec(spec)
f = lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V
""",
    "another program": """
import json, subprocess, sys
def f(Q, K, V):
    text = "import json, sys, torch; found = map(torch.tensor, json.load(sys.stdin))\\n"
    text += "print(torch.nn.functional.scaled_dot_product_attention(*found).tolist())"
    given = json.dumps([x.tolist() for x in (Q, K, V)])
    ran = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True)
    return torch.tensor(json.loads(ran.stdout))
""",
    "a held formula of PyTorch's": """
import gc
def f(Q, K, V):
    for found in gc.get_objects():
        if getattr(found, "__name__", "") == "_scaled_dot_product_flash_attention_for_cpu":
            return found(Q[None, None], K[None, None], V[None, None])[0][0, 0]
""",
    "PyTorch's file, read otherwise": """
import io, math, mmap, os, subprocess, textwrap
path = torch.nn.functional.__file__
ways = [
    lambda: torch.nn.functional.__loader__.get_data(path),
    lambda: io.open_code(path).read(),
    lambda: os.read(os.open(path, os.O_RDONLY), 10**7),
    lambda: mmap.mmap(os.open(path, os.O_RDONLY), 0, prot=mmap.PROT_READ)[:],
    lambda: subprocess.run(["cat", path], capture_output=True).stdout,
]
def read(way):
    try:
        return way().decode()
    except Exception:
        return ""
source = max(map(read, ways), key=len)
start = source.index("def scaled_dot_product_attention(query")
exec(textwrap.dedent(" " * 8 + source[start : source.index(".. warning::", start)]), globals())
f = scaled_dot_product_attention
""",
    "an operator for other machines": """
def f(Q, K, V):
    other = torch.ops.aten._scaled_dot_product_attention_math_for_mps
    return other(Q[None, None], K[None, None], V[None, None])[0][0, 0]
""",
    "a function out of a pickle": """
import pickle
def f(Q, K, V):
    found = pickle.loads(b"ctorch._C._nn\\nscaled_dot_product_attention\\n.")
    return found(Q, K, V)
""",
    "nested tensors": """
def f(Q, K, V):
    wide = (torch.nested.nested_tensor([x[None]]).contiguous() for x in (Q, K, V))
    return torch.nn.functional.scaled_dot_product_attention(*wide)[0][0]
""",
    "unwatched": """
def f(Q, K, V):
    with torch._C.DisableTorchFunction():
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V)
""",
    "under another dispatch mode": """
from torch.utils._python_dispatch import TorchDispatchMode
class Mode(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))
def f(Q, K, V):
    with Mode():
        own = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        return own(Q[None, None], K[None, None], V[None, None])[0][0, 0]
""",
    "a tensor of one's own kind": """
class Mine(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        with torch._C.DisableTorchFunctionSubclass():
            return func(*args, **(kwargs or {}))
def f(Q, K, V):
    Q = Q.as_subclass(Mine)
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V).as_subclass(torch.Tensor)
""",
    "an operator of one's own that calls it": """
lib = torch.library.Library("mine", "DEF")
lib.define("a(Tensor q, Tensor k, Tensor v) -> Tensor")
own = torch.ops.aten._scaled_dot_product_attention_math
lib.impl("a", lambda q, k, v: own(q, k, v)[0], "CompositeExplicitAutograd")
f = lambda Q, K, V: torch.ops.mine.a(Q, K, V)
""",
    "a graph of torch.fx": """
import torch.fx
graph = torch.fx.Graph()
names = [graph.placeholder(n) for n in "qkv"]
graph.output(graph.call_function(torch.nn.functional.scaled_dot_product_attention, tuple(names)))
f = torch.fx.GraphModule(torch.nn.Module(), graph)
""",
    "half precision turned on and off": """
def f(Q, K, V):
    guard = torch._C._IncludeDispatchKeyGuard(torch._C.DispatchKey.AutocastCPU)
    with torch.autocast("cpu", dtype=torch.bfloat16), guard:
        return torch.nn.functional.scaled_dot_product_attention(Q, K, V).float()
""",
    "a redispatch below all keys": """
def f(Q, K, V):
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
    found = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    return found.redispatch(keys, Q[None, None], K[None, None], V[None, None])[0][0, 0]
""",
    "backwards through PyTorch's": """
def f(Q, K, V):
    names = [n for n in torch._C._dispatch_get_all_op_names() if "attention" in n and "cpu" in n]
    for name in names:
        q, k, v = (x[None, None] for x in (Q, K, V))
        try:
            found = torch._C._get_operation_overload(*name.partition(".")[::2])[0]
            return found(q, k, v)[0][0, 0]
        except BaseException:
            continue
""",
    "an operator of the interpreter of TorchScript": """
def f(Q, K, V):
    found = torch._C._jit_get_operation("aten::scaled_dot_product_attention")[0]
    return found(Q, K, V, None, 0.0, False)
""",
    "the course's own, out of memory": """
import gc
def f(Q, K, V):
    for found in gc.get_objects():
        if type(found) is type(f) and "attention" in f"{found.__module__}.{found.__name__}":
            try:
                out = found(Q, K, V)
                out = out[0] if isinstance(out, tuple) else out
                if out.shape == V.shape:
                    return out
            except BaseException:
                continue
""",
}

GRADIENT = {
    "honest": "f = lambda x: 3 * x**2",
    "the engine": """
def f(x):
    x = x.clone().requires_grad_()
    y = (x**3).sum()
    run = torch.autograd.Variable._execution_engine.run_backward
    return run((y,), (torch.ones(()),), False, False, (x,), True, False)[0]
""",
    "each node by itself": """
def f(x):
    x = x.clone().requires_grad_()
    return (x**3).grad_fn(torch.ones_like(x))
""",
    "another thread": """
import threading
def f(x):
    found = []
    def run():
        with torch.enable_grad():
            leaf = x.clone().requires_grad_()
            (leaf**3).sum().backward()
            found.append(leaf.grad)
    thread = threading.Thread(target=run)
    thread.start(), thread.join()
    return found[0]
""",
    "TorchScript": """
unit = torch._C.CompilationUnit()
unit.define("def g(x: Tensor):\\n    return torch.autograd.grad([(x * x * x).sum()], [x])\\n", None)
def f(x):
    return unit.g(x.clone().requires_grad_())[0]
""",
    "functions of functions": "f = torch.func.grad(lambda x: (x**3).sum())",
    "tangents": """
import torch.autograd.forward_ad as forward_ad
def f(x):
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x, torch.ones_like(x))
        return forward_ad.unpack_dual(dual**3).tangent
""",
    "tangents by the operator": """
def f(x):
    torch._C._enter_dual_level()
    dual = torch.ops.aten._make_dual(x, torch.ones_like(x), 0)
    return torch.ops.aten._unpack_dual(dual**3, 0)[1]
""",
    "backward operators": """
def f(x):
    x = x.clone().requires_grad_()
    return torch.ops.aten.grad([(x**3).sum()], [x])[0]
""",
    "another program": """
import json, subprocess, sys
def f(x):
    text = "import json, sys, torch\\nx = torch.tensor(json.load(sys.stdin), requires_grad=True)\\n"
    text += "(x**3).sum().backward(); print(x.grad.tolist())"
    given = json.dumps(x.tolist())
    ran = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True)
    return torch.tensor(json.loads(ran.stdout))
""",
    "an operator of TorchScript's": """
def f(x):
    leaf = x.to_mkldnn().requires_grad_()
    one = torch.ones_like(x).to_mkldnn()
    return torch.ops.aten.grad([leaf * leaf * leaf], [leaf], [one])[0].to_dense()
""",
    "a method of TorchScript's": """
def f(x):
    leaf = torch.nested.nested_tensor([x]).requires_grad_()
    y = torch.nested.to_padded_tensor(leaf * leaf * leaf, 0.0)
    torch._C._jit_get_operation("aten::backward")[0](y, torch.ones_like(y), None, False)
    return leaf.grad[0]
""",
    "another layout": """
unit = torch._C.CompilationUnit()
body = "    v2 = torch.jit.annotate(List[Optional[Tensor]], [v])\\n"
body += "    return torch.autograd.grad([y], [x], v2)\\n"
unit.define("def g(y: Tensor, x: Tensor, v: Tensor):\\n" + body, None)
def f(x):
    leaf = x.to_mkldnn().requires_grad_()
    y = leaf * leaf * leaf
    return unit.g(y, leaf, torch.ones_like(x).to_mkldnn())[0].to_dense()
""",
    "the graph of TorchScript": """
unit = torch._C.CompilationUnit()
unit.define("def h(x: Tensor):\\n    return x * x * x + x * 0.0\\n", None)
torch._C._debug_set_autodiff_subgraph_inlining(False)
def f(x):
    leaf = x.clone().requires_grad_()
    for _ in range(6):
        y = unit.h(leaf)
    return torch.ops.aten.grad([y], [leaf], [torch.ones_like(x)])[0]
""",
    "the graph of TorchScript, differentiated": """
unit = torch._C.CompilationUnit()
unit.define("def h(x: Tensor):\\n    return x * x * x\\n", None)
both = torch._C._jit_differentiate(unit.h.graph.copy())
f = torch._C._create_function_from_graph("back", both.df)
""",
    "nested tensors": """
unit = torch._C.CompilationUnit()
body = "    v2 = torch.jit.annotate(List[Optional[Tensor]], [v])\\n"
body += "    return torch.autograd.grad([y], [x], v2)\\n"
unit.define("def g(y: Tensor, x: Tensor, v: Tensor):\\n" + body, None)
def f(x):
    leaf = torch.nested.nested_tensor([x]).requires_grad_()
    y = leaf * leaf * leaf
    return unit.g(y, leaf, torch.nested.nested_tensor([torch.ones_like(x)]))[0][0]
""",
    "numbers of PyTorch's own check": """
import sys
check = sys.modules["torch.autograd.gradcheck"]
def f(x):
    held = x.double().requires_grad_()
    found = check._get_numerical_jacobian(lambda t: (t**3).sum(), (held,), eps=1e-5)
    return found[0][0][:, 0].float()
""",
    "the engine, by a method of its neighbour's": """
import numpy as np
def at(address, size):
    class Here:
        __array_interface__ = dict(
            data=(address, False), shape=(size,), typestr="<u8", version=3
        )
    return np.asarray(Here())
def f(x):
    run = torch.autograd.Variable._execution_engine.is_checkpoint_valid
    words = at(id(run), 8)
    words[2] -= 64
    words[6] = 0
    leaf = x.to_mkldnn().requires_grad_()
    y = leaf * leaf * leaf
    v = torch.ones_like(x).to_mkldnn()
    return run((y,), (v,), False, False, (leaf,), True, False)[0].to_dense()
""",
    "another library's derivative": """
import sympy
x = sympy.Symbol("x")
slope = sympy.lambdify(x, sympy.diff(x**3, x))
f = lambda at: slope(at)
""",
    "a third library's derivative": """
import mpmath
f = lambda x: torch.tensor([float(mpmath.diff(lambda t: t**3, a)) for a in x.tolist()])
""",
    "another library's derivative, as PyTorch has it": """
import sys
held = sys.modules["torch.fx.experimental.symbolic_shapes"].sympy
x = held.Symbol("x")
slope = (x**3).diff(x)
f = lambda at: torch.tensor([float(slope.subs(x, a)) for a in at.tolist()])
""",
    "tangents in another layout": """
def f(x):
    level = torch._C._enter_dual_level()
    dual = torch._make_dual(x.to_mkldnn(), torch.ones_like(x).to_mkldnn(), level)
    found = torch._VF._unpack_dual(dual * dual * dual, level)[1].to_dense()
    torch._C._exit_dual_level(level)
    return found
""",
}

ONE_HOT = {
    "honest": "f = lambda ids: (ids[:, None] == torch.arange(5)).float()",
    "sklearn": """
from sklearn.preprocessing import label_binarize
f = lambda ids: torch.from_numpy(label_binarize(ids.numpy(), classes=range(5))).float()
""",
    "sklearn past the guards": """
import sys
from importlib.machinery import PathFinder
sys.meta_path[:] = [PathFinder]
from sklearn.preprocessing import label_binarize
f = lambda ids: torch.from_numpy(label_binarize(ids.numpy(), classes=range(5))).float()
""",
    "scipy": """
from scipy.sparse import coo_array
def f(ids):
    places = torch.ones(len(ids)).numpy(), (range(len(ids)), ids.tolist())
    return torch.from_numpy(coo_array(places, shape=(len(ids), 5)).toarray())
""",
    "PyTorch's own": "f = lambda ids: torch.nn.functional.one_hot(ids, 5).float()",
    "a distribution": """
def f(ids):
    return torch.distributions.OneHotCategorical(logits=torch.zeros(5)).enumerate_support()[ids]
""",
    "another program": """
import json, subprocess, sys
def f(ids):
    text = "import json, sys, torch\\nids = torch.tensor(json.load(sys.stdin))\\n"
    text += "print(torch.nn.functional.one_hot(ids, 5).tolist())"
    given = json.dumps(ids.tolist())
    ran = subprocess.run([sys.executable, "-c", text], input=given, capture_output=True, text=True)
    return torch.tensor(json.loads(ran.stdout)).float()
""",
    "unwatched": """
def f(ids):
    with torch._C.DisableTorchFunction():
        return torch.nn.functional.one_hot(ids, 5).float()
""",
    "a table's backward": """
f = lambda ids: torch.ops.aten.embedding_dense_backward(torch.eye(len(ids)), ids, 5, -1, False).mT
""",
}

CLIPPING = {
    "honest": "f = lambda G: G * min(1.0, 0.5 / G.norm().item())",
    "the course's own": """
import importlib.util, os, types, sys, tfcourse
sys.modules["tfcourse.training"] = around = types.ModuleType("tfcourse.training")
around.__path__ = [os.path.join(os.path.dirname(tfcourse.__file__), "training")]
from tfcourse.training.optimisers import clip_gradients
def f(G):
    held = torch.nn.Parameter(G.clone())
    held.grad = G.clone()
    clip_gradients([held], 0.5)
    return held.grad
""",
    "PyTorch's own": """
def f(G):
    held = torch.nn.Parameter(G.clone())
    held.grad = G.clone()
    torch.nn.utils.clip_grad_norm_([held], 0.5)
    return held.grad
""",
    "PyTorch's own, in two steps": """
def f(G):
    held = torch.nn.Parameter(G.clone())
    held.grad = G.clone()
    torch.nn.utils.clip_grads_with_norm_([held], 0.5, torch.nn.utils.get_total_norm([G]))
    return held.grad
""",
    "rows made short": "f = lambda G: torch.renorm(G[None], 2, 0, 0.5)[0]",
    "rows of a table made short": """
f = lambda G: torch.nn.functional.embedding(torch.tensor([0]), G[None].clone(), max_norm=0.5)[0]
""",
    "rows of a table made short, unwatched": """
def f(G):
    table = G[None].clone()
    torch.ops.aten.embedding_renorm_(table, torch.tensor([0]), 0.5, 2.0)
    return table[0]
""",
}

VISION = {
    "honest": "f = lambda x: x.unfold(2, 2, 2).unfold(3, 2, 2).reshape(1, 6, 4).mT",
    "PyTorch's own": "f = lambda x: torch.nn.functional.unfold(x, 2, stride=2)",
    "a convolution of volumes": """
def f(x):
    w = torch.eye(4).reshape(4, 1, 1, 2, 2)
    return torch._C._nn.slow_conv3d(x[:, :, None], w, (1, 2, 2), None, (1, 2, 2)).flatten(2)
""",
    "a convolution with holes": """
def f(x):
    w = torch.eye(4).reshape(4, 1, 2, 2)
    return torch._C._nn.slow_conv_dilated2d(x, w, (2, 2), None, (2, 2), (0, 0), (1, 1)).flatten(2)
""",
    "a convolution with holes, of volumes": """
def f(x):
    w = torch.eye(4).reshape(4, 1, 1, 2, 2)
    conv = torch._C._nn.slow_conv_dilated3d
    return conv(x[:, :, None], w, (1, 2, 2), None, (1, 2, 2), (0, 0, 0), (1, 1, 1)).flatten(2)
""",
    "a convolution turned round": """
def f(x):
    w = torch.eye(4).reshape(4, 1, 2, 2)
    y, only = torch.zeros(1, 4, 2, 3), [True, False, False]
    back = torch.ops.aten.convolution_backward
    return back(x, y, w, None, [2, 2], [0, 0], [1, 1], True, [0, 0], 1, only)[0].flatten(2)
""",
    "unwatched": """
def f(x):
    with torch._C.DisableTorchFunction():
        w = torch.eye(4).reshape(4, 1, 1, 2, 2)
        return torch.nn.functional.conv3d(x[:, :, None], w, stride=(1, 2, 2)).flatten(2)
""",
}

BLOCKS = {
    "honest": "f = lambda x: x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()",
    "PyTorch's own": "f = lambda x: torch.nn.functional.rms_norm(x, (8,), eps=1e-5)",
    "a norm of neighbours": """
def f(x):
    near = torch.nn.functional.local_response_norm
    return near(x[:, :, None], 16, alpha=2.0, beta=0.5, k=1e-5)[:, :, 0]
""",
    "unwatched": """
def f(x):
    with torch._C.DisableTorchFunction():
        return torch.nn.functional.rms_norm(x, (8,), eps=1e-5)
""",
}

COUNTS = {
    "honest": "f = lambda n: 2 * n**3",
    "PyTorch's counter": """
from torch.utils.flop_counter import FlopCounterMode
def f(n):
    with FlopCounterMode(display=False) as counter:
        torch.ones(n, n) @ torch.ones(n, n)
    return counter.get_total_flops()
""",
    "honest, timed": """
import torch.profiler
def f(n):
    with torch.autograd.profiler.profile() as seen:
        torch.ones(n, n) @ torch.ones(n, n)
    assert seen.key_averages()
    with torch.profiler.profile(record_shapes=True) as seen:
        torch.ones(n, n) @ torch.ones(n, n)
    return 2 * n**3 + sum(event.flops or 0 for event in seen.key_averages())
""",
    "PyTorch's profiler, started another way": """
def f(n):
    profile = torch.autograd.profiler.profile
    seen = profile.__new__(profile)
    profile.__init__.__wrapped__(seen, with_flops=True)
    with seen:
        torch.ones(n, n) @ torch.ones(n, n)
    return int(sum(event.flops or 0 for event in seen.key_averages()))
""",
    "PyTorch's newer profiler": """
import torch.profiler
def f(n):
    with torch.profiler.profile(with_flops=True) as seen:
        torch.ones(n, n) @ torch.ones(n, n)
    return int(sum(event.flops or 0 for event in seen.key_averages()))
""",
    "PyTorch's profiler": """
def f(n):
    with torch.autograd.profiler.profile(with_flops=True) as seen:
        torch.ones(n, n) @ torch.ones(n, n)
    return int(sum(event.flops or 0 for event in seen.key_averages()))
""",
}

LANGUAGE = {
    "honest": """
def f(x, ids):
    return -x.log_softmax(-1)[torch.arange(len(ids)), ids].mean()
""",
    "PyTorch's own": "f = lambda x, ids: torch.nn.functional.cross_entropy(x, ids)",
    "two dimensions": "f = lambda x, ids: torch._C._nn.nll_loss_nd(x.log_softmax(-1), ids)",
    "unwatched": """
def f(x, ids):
    with torch._C.DisableTorchFunction():
        return torch.nn.functional.cross_entropy(x, ids)
""",
}

#: Kind, perhaps with what is asked for → its ways, the inputs of its test, and what is due.
KINDS = {
    "matrix products": (
        MATRICES,
        "A, B = torch.randn(2, 4, 4, generator=generator)",
        "call({f}, A, B), A @ B",
    ),
    "attention": (
        ATTENTION,
        "Q, K, V = torch.randn(3, 5, 8, generator=generator)",
        "call({f}, Q, K, V), (Q @ K.mT / 8**0.5).softmax(-1) @ V",
    ),
    "autograd": (
        GRADIENT,
        "x = torch.randn(6, generator=generator)",
        "call({f}, x), 3 * x**2",
    ),
    "word vectors": (
        ONE_HOT,
        "ids = torch.randint(5, (7,), generator=generator)",
        "call({f}, ids), torch.eye(5)[ids]",
    ),
    "clipping": (
        CLIPPING,
        "G = 5 * torch.randn(6, generator=generator)",
        "call({f}, G), G / G.norm() / 2",
    ),
    "vision": (
        VISION,
        "x = torch.randn(1, 1, 4, 6, generator=generator)",
        "call({f}, x), x.unfold(2, 2, 2).unfold(3, 2, 2).reshape(1, 6, 4).mT",
    ),
    "blocks": (
        BLOCKS,
        "x = torch.randn(3, 8, generator=generator)",
        "call({f}, x), x / (x.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt()",
    ),
    "blocks: counts": (
        COUNTS,
        "n = int(torch.randint(3, 9, (), generator=generator))",
        "call({f}, n), 2 * n**3",
    ),
    "language models": (
        LANGUAGE,
        "x, ids = torch.randn(7, 5, generator=generator), torch.arange(7) % 5",
        "call({f}, x, ids), -x.log_softmax(-1)[torch.arange(7), ids].mean()",
    ),
}
