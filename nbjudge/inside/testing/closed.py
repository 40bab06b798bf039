"""Closes the ways around what must be written by hand: what is not allowed is not there.

:mod:`nbjudge.inside.testing.absent` removes what an exercise names. This module removes what no
exercise needs and what would do the same in another way: operators outside PyTorch's public
namespace, modules that hold PyTorch's own formulas in Python, the compiler, and functions called
by address.
A process that is shut stays shut.
"""

from __future__ import annotations

import ctypes
import gc
import linecache
import sys
import sysconfig
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NoReturn

from nbjudge.inside.program import program
from nbjudge.inside.testing.by_hand import refuse_saying
from nbjudge.inside.values import torch

#: Namespaces whose operators stay; every optimiser calls ``profiler``'s.
NAMESPACES = ("aten", "profiler")

#: Dispatch keys at which operators of other namespaces could have a kernel.
KEYS = ("CPU", "MkldnnCPU", "SparseCPU", "QuantizedCPU", "AutogradCPU", "AutogradOther", "Autograd")

#: The packages that a kernel has besides Python's own modules and the course's, with their
#: dependencies. Nothing else that is installed beside them can be found.
PACKAGES = frozenset(
    {"torch", "functorch", "torchgen", "numpy", "numpy.libs", "matplotlib", "mpl_toolkits", "pylab"}
    | {"PIL", "pillow.libs", "contourpy", "cycler", "dateutil", "fontTools", "kiwisolver", "six"}
    | {"packaging", "pyparsing", "IPython", "ipython_pygments_lexers", "ipykernel", "comm"}
    | {"ipykernel_launcher", "traitlets", "jupyter_client", "jupyter_core", "matplotlib_inline"}
    | {"zmq", "pyzmq.libs", "tornado", "pygments", "prompt_toolkit", "wcwidth", "stack_data"}
    | {"executing", "asttokens", "pure_eval", "decorator", "jedi", "parso", "pexpect", "psutil"}
    | {"ptyprocess", "platformdirs", "debugpy", "typing_extensions", "tqdm", "colorama", "msgpack"}
    | {"nest_asyncio", "nest_asyncio2", "_distutils_hack"}
    | {"sympy", "mpmath", "filelock", "fsspec", "jinja2", "markupsafe", "networkx", "jaxtyping"}
    | {"wadler_lindig", "accessible_pygments", "a11y_pygments", "tzdata", "_yaml", "yaml"}
)

#: The course's own packages and their finder, looked up while modules can still be loaded.
OURS, FINDER = ("__pycache__", "nbjudge", *program().packages), program().finder

#: Parts of PyTorch that implement its formulas again in Python, or bypass the dispatcher.
WITHOUT = (
    *("torch._decomp", "torch._refs", "torch._prims", "torch._inductor", "torch._dynamo"),
    *("torch.onnx", "torch._numpy", "torch.contrib", "torch._higher_order_ops"),
    *("torch.utils.cpp_extension", "functorch"),
)

#: PyTorch's bindings that compile or load code which its dispatcher never sees.
DOORS: tuple[str, ...] = ("_aoti", "_te")
#: TorchScript does too: it has its own formulas for gradients, and archives of code.
DOORS += ("CompilationUnit", "parse_ir", "_jit_script_compile", "_jit_script_class_compile")
DOORS += ("_jit_differentiate", "_jit_interpret_graph", "_create_function_from_graph")
DOORS += ("_create_function_from_trace", "_create_function_from_trace_with_dict")
DOORS += ("import_ir_module", "import_ir_module_from_buffer", "_import_ir_module_from_package")
DOORS += ("_load_for_lite_interpreter", "_load_for_lite_interpreter_from_buffer")
DOORS += ("_load_jit_module_from_file", "_load_jit_module_from_bytes")

_shut = _locked = False

#: The modules that :func:`lock` removes. They are listed before the fork: in a forked process,
#: looking at every module copies its memory.
_doors: list[str] = []


def refused(name: str = "", *args: object, **kwargs: object) -> NoReturn:
    """Called in place of something that was removed.

    Raises
    ------
    Mistake
        Always.
    """
    refuse_saying(
        f"`{name}` is not available where this problem set is graded. Follow the formula with "
        "PyTorch's public functions on tensors.",
        {"key": "closed"},
    )


def shut() -> None:
    """Remove what no exercise needs from this process and those forked from it."""
    global _shut
    if _shut:
        return
    _shut = True
    if torch is not None:
        _shut_torch()
    sys.meta_path.insert(1, NotAllowed())  # after the finder for what an exercise forbids
    linecache.clearcache()
    _doors[:] = [m for m in sys.modules if m.partition(".")[0] in ("ctypes", "_ctypes")]
    files()  # looked up once, for all processes forked from here


def _shut_torch() -> None:
    torch.vmap(torch.relu)(torch.ones(1))  # a first call imports what is removed below
    sys.modules["torch._dynamo"] = torch._dynamo = _NoCompiler("torch._dynamo")
    for holder, name in ((torch, "compile"), (torch.nn.Module, "compile")):
        setattr(holder, name, not_compiled)
    for name in ("script", "trace"):
        setattr(torch.jit, name, not_compiled)
    replace_body(_written_in_python(torch.jit.load), f"{__name__}.refused", "torch.jit.load")
    torch.use_deterministic_algorithms = deterministic
    torch.testing._comparison._HAS_DTENSOR = False  # there are no distributed tensors either
    vars(torch).pop("_inductor", None)  # the profiler checks whether it is there
    getattr(torch, "_lazy_modules", set()).discard("_inductor")
    _without_operators()
    _without_modules()
    _without_doors()


def lock() -> None:
    """Make it impossible to call a function by its address.

    This is done last, because our own code calls functions that way until then; :func:`shut` comes
    first.
    """
    global _locked
    if _locked:
        return
    _locked = True
    pointer = vars(ctypes)["_CFuncPtr"]
    found = [pointer]
    for kind in found:
        found += kind.__subclasses__()
    for kind in reversed(found):
        inner = gc.get_referents(kind.__dict__)[0]
        for name, at in (("__call__", _CALL), ("__new__", _NEW)):
            inner.pop(name, None)
            ctypes.c_void_p.from_address(id(kind) + at).value = None
    sys.addaudithook(_hook)
    for module in (ctypes, sys.modules["_ctypes"]):
        _empty(module)
    for name in _doors:
        sys.modules.pop(name, None)


#: Offsets of ``tp_call`` and ``tp_new`` in a type object.
_CALL, _NEW = 128, 312


def without_methods(kind: type, *names: str) -> None:
    """Remove these methods from a built-in type."""
    inner = gc.get_referents(kind.__dict__)[0]
    for name in names:
        inner.pop(name, None)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))  # clears its cache of look-ups


def without_words(names: Iterable[str]) -> None:
    """Remove the docstrings of PyTorch's built-in functions with these names.

    Some of them spell out the formula in Python.
    """
    if torch is None:
        return
    for module in (torch, torch.nn.functional, torch._C._nn, torch._C._VariableFunctions):
        for found in filter(None, (getattr(module, name, None) for name in names)):
            if type(found) is type(len):
                _pointer(_address(id(found) + _ABOUT) + _WORDS).value = None
            elif isinstance(found, FunctionType):
                found.__doc__ = None


#: Offset of a built-in function's ``PyMethodDef``, and of the docstring in that.
_ABOUT, _WORDS = 16, 24


def without_slot(kind: type, name: str) -> None:
    """Clear the slot ``name``, an operator's C implementation, in a built-in type."""
    table, at = _SLOTS[name]
    _pointer(_address(id(kind) + table) + at).value = None


def _pointer(place: int) -> ctypes.c_void_p:
    """The pointer stored at an address, which can be read and changed."""
    return ctypes.c_void_p.from_address(place)


def _address(place: int) -> int:
    return _pointer(place).value or 0


#: Slot → the offset of ``tp_as_number`` in a type, and of the slot in that table.
_SLOTS = {"nb_matrix_multiply": (96, 272), "nb_inplace_matrix_multiply": (96, 280)}


def not_compiled(model: Any = None, *args: object, **kwargs: object) -> Any:
    """Replaces ``torch.compile`` and ``torch.jit.script`` where work is graded.

    Compiled code computes the same, so nothing is compiled.
    """
    return (lambda f: f) if model is None else model


def deterministic(mode: bool, *, warn_only: bool = False) -> None:
    """``torch.use_deterministic_algorithms`` without its call to the compiler."""
    torch._C._set_deterministic_algorithms(mode, warn_only=warn_only)


@cache
def files() -> tuple[Path, ...]:
    """Everything installed except the allowed packages, and PyTorch's own files.

    What a kernel needs of these was loaded before the fork; nobody can load or read more of them.
    """
    found = [Path(torch.__file__).parent] if torch else []
    for folder in filter(Path.is_dir, _installed_in()):
        for path in folder.iterdir():
            name = path.name.removesuffix(".py").partition(".cpython-")[0]
            if not path.name.endswith((".dist-info", ".pth", ".egg-link")) and not _allowed(name):
                found.append(path)
    standard = Path(sysconfig.get_path("stdlib"))
    found += [*standard.glob("lib-dynload/_ctypes*.so"), standard / "ctypes"]
    return tuple(path for path in found if path.exists())


def _allowed(name: str) -> bool:
    return name in PACKAGES or name in OURS or name.startswith(FINDER)


class NotAllowed:
    """An import finder that comes first and reports other modules as missing."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """Refuse what is not allowed; leave all others to other finders."""
        top = name.partition(".")[0]
        known = top in sys.stdlib_module_names or _allowed(top) or top == "__main__"
        gone = any(name == out or name.startswith(f"{out}.") for out in WITHOUT)
        if top in ("ctypes", "_ctypes", "cffi") or gone or (not known and _installed(top)):
            raise ModuleNotFoundError(
                f"{name} is not available where this problem set is graded: use PyTorch's public "
                "functions, NumPy and Python's own modules.",
                name=name,
            )
        return None


def _installed(top: str) -> bool:
    return any(
        (folder / name).exists() for folder in _installed_in() for name in (top, f"{top}.py")
    )


def _installed_in() -> list[Path]:
    """The folders in which packages are installed."""
    found = [sysconfig.get_paths()[name] for name in ("purelib", "platlib")]
    found += [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
    return [Path(path) for path in dict.fromkeys(found)]


class _NoCompiler(ModuleType):
    """Stands in for the compiler, which every optimiser asks whether it is compiling."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _NOTHING


class _Nothing:
    """Any attribute or call of it is itself; a function passed to it is returned unchanged."""

    def __call__(self, found: Any = None, *args: object, **kwargs: object) -> Any:
        return found if callable(found) else self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __bool__(self) -> bool:
        return False

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, *exception: object) -> None:
        """Do nothing."""


_NOTHING = _Nothing()


def _without_operators() -> None:
    every = torch._C._dispatch_get_all_op_names()
    by_namespace: dict[str, list[str]] = {}
    for operator in every:
        namespace, _, name = operator.partition("::")
        if namespace not in NAMESPACES:
            by_namespace.setdefault(namespace, []).append(name)
    for namespace, names in by_namespace.items():
        told = {name: _refusing(f"torch.ops.{namespace}.{name}") for name in names}
        implement(told, KEYS, namespace)


def _refusing(name: str) -> Callable:
    return lambda *args, **kwargs: refused(name)


def _without_modules() -> None:
    gone = tuple(f"{name}." for name in WITHOUT)
    for name, module in list(sys.modules.items()):
        if not f"{name}.".startswith(gone) or isinstance(module, _NoCompiler):
            continue
        for found in list(vars(module).values()):
            if isinstance(found, FunctionType) and found.__module__ == name:
                replace_body(found, f"{__name__}.refused", f"{name}.{found.__name__}")
        del sys.modules[name]


def _without_doors() -> None:
    # PyTorch itself has compilation units, and each of them leads to this class.
    without_methods(torch._C.CompilationUnit, "__init__", "define", "create_function")
    for name in [name for name in vars(torch._C) if name in DOORS]:
        delattr(torch._C, name)
        sys.modules.pop(f"torch._C.{name}", None)


def _empty(module: ModuleType) -> None:
    kept = {name: found for name, found in vars(module).items() if name.startswith("__")}
    vars(module).clear()
    vars(module).update(kept)


def _hook(event: str, args: tuple) -> None:
    if event.startswith("ctypes."):
        raise PermissionError("functions cannot be called by address here")


def _written_in_python(function: Any) -> FunctionType:
    """The function itself, after checking that it is written in Python."""
    if not isinstance(function, FunctionType):
        raise TypeError(f"{function!r} is not written in Python")
    return function


def replace_body(function: FunctionType, by: str, *args: str) -> None:
    """Make a function, whoever holds it, only call another one with these string arguments."""
    module, _, name = by.rpartition(".")
    source = (
        "def refused(*args, **kwargs):\n"
        f"    return __import__({module!r}, fromlist=[{name!r}]).{name}(*{args!r})\n"
    )
    made: dict[str, Any] = {}
    exec(compile(source, function.__code__.co_filename, "exec"), made)
    if not function.__code__.co_freevars:
        function.__defaults__ = function.__kwdefaults__ = None
        function.__code__ = made["refused"].__code__


def implement(
    kernels: Mapping[str, Callable], keys: Iterable[str], namespace: str = "aten"
) -> None:
    """Make these functions the kernels of operators in a namespace, at these keys, for good."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a kernel is overridden on purpose
        for key in keys:
            library: Any = torch._C._dispatch_library("IMPL", namespace, key, __file__, 1)
            for name, kernel in kernels.items():
                library.impl(name, key, kernel, False)
            _keep_for_good(library)


#: Offset of the flags in a pybind11 instance; their value if it owns its object, has the simple
#: layout, a constructed holder and is registered; and the size of the instance.
_FLAGS_AT, _OWNED, _SIZE = 48, 0b1111, 56


def _keep_for_good(library: object) -> None:
    """Make what a library registered last as long as the process.

    It would end with the library's Python object, which code that searches the process's memory
    can find, however well it is hidden. So the object is made to own nothing and may be deleted.
    """
    flags = ctypes.c_uint8.from_address(id(library) + _FLAGS_AT)
    if type(library).__basicsize__ == _SIZE and flags.value == _OWNED:
        flags.value &= ~0b101
    else:  # another version of pybind11
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(library))
