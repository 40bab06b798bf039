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
}

ATTENTION = {
    "honest": "f = lambda Q, K, V: (Q @ K.mT / Q.shape[-1] ** 0.5).softmax(-1) @ V",
    "honest, compiled": """
@torch.compile(backend="eager")
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
}

#: Kind → its ways, the inputs of its test, and what is due.
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
}
