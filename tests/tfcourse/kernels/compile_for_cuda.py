"""Compile the kernels for NVIDIA GPUs, present or not; print what each needs as JSON.

Run by a test in a separate process, because kernels run by the interpreter are not compiled.
"""

import json

import torch
import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from tfcourse.kernels import triton_flash

POINTER = {torch.bfloat16: "*bf16", torch.float32: "*fp32"}


def compile_kernel(kernel, dtype, width, capability):
    matrix = torch.empty(1, 1, width, dtype=dtype)
    block = 64 if matrix.element_size() == 2 else 32  # the default
    constants = triton_flash._constants(matrix, matrix, True, width**-0.5, block, block)
    signature = {}
    for name in kernel.arg_names:
        if name in constants:
            signature[name] = "constexpr"
        elif name in ("T", "S"):
            signature[name] = "i32"
        else:  # the log-sum-exp and D are sums, in float32; the matrices are of the inputs' dtype
            signature[name] = "*fp32" if name in ("L", "D") else POINTER[dtype]
    return triton.compile(
        ASTSource(kernel, signature, constexprs=constants),
        target=GPUTarget("cuda", capability, 32),
        options=triton_flash.OPTIONS,
    )


for dtype in POINTER:
    for kernel in (triton_flash._forward, triton_flash._backward_q, triton_flash._backward_kv):
        compiled = compile_kernel(kernel, dtype, 128, 80)
        print(
            json.dumps(
                {
                    "kernel": kernel.fn.__name__,
                    "dtype": str(dtype),
                    "machine_code": len(compiled.asm["cubin"]),
                    "shared_memory": compiled.metadata.shared,
                    "tensor_cores": "mma.sync" in compiled.asm["ptx"],
                }
            )
        )
