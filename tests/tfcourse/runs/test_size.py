"""A page's two sizes, and the parts of `make gpu`."""

import subprocess
import sys

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook, new_output

from tfcourse.runs.size import size, sized


def test_a_page_has_the_laptops_size_unless_told(monkeypatch):
    monkeypatch.delenv("TFCOURSE_SIZE", raising=False)
    assert size() == "laptop" and sized(laptop=3, full=9) == 3
    monkeypatch.setenv("TFCOURSE_SIZE", "full")
    assert size() == "full" and sized(laptop=3, full=9) == 9


def test_another_size_is_refused(monkeypatch):
    monkeypatch.setenv("TFCOURSE_SIZE", "Full")
    with pytest.raises(ValueError, match=r"TFCOURSE_SIZE must be one of \['laptop', 'full'\]"):
        sized(laptop=1, full=2)


def on_gpu(course, *flags):
    return subprocess.run(
        [sys.executable, "benchmarks/on_gpu.py", *flags], cwd=course, text=True,
        capture_output=True, timeout=300,
    )  # fmt: skip


def test_make_gpu_lists_its_parts_with_their_minutes(course):
    listed = on_gpu(course, "--list")
    assert listed.returncode == 0, listed.stderr
    *lines, in_all = listed.stdout.splitlines()
    assert lines[0].startswith("cuda-tests"), "what is worth most for a minute comes first"
    assert {line.split()[0] for line in lines} >= {"tinyshakespeare-gpu", "multi30k-de-en"}
    assert all("min" in line or "done" in line for line in lines)
    assert in_all.startswith("in all") and in_all.endswith(" min")


def test_make_gpu_goes_on_after_what_fails_and_repeats_nothing(
    course, monkeypatch, tmp_path, capsys
):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    ran = []

    def part(name, minutes, error=None):
        def run(folder):
            ran.append(name)
            assert folder.is_dir()
            if error is not None:
                raise error

        return on_gpu.Part(name, minutes, 1, run)

    found = {
        "memory": part("memory", 1, RuntimeError("CUDA out of memory")),
        "script": part("script", 1, subprocess.CalledProcessError(1, "python")),
        "corpus": part("corpus", 1, FileNotFoundError("no corpus")),
        "long": part("long", 20), "good": part("good", 1),
    }  # fmt: skip
    monkeypatch.setattr(on_gpu, "parts", lambda: found)
    monkeypatch.setattr(on_gpu, "need_cuda", lambda: None)
    monkeypatch.setattr(on_gpu, "FOLDER", tmp_path)
    monkeypatch.setattr(sys, "argv", ["on_gpu.py", "--minutes", "15"])
    with pytest.raises(SystemExit, match="Not done:\nmemory: RuntimeError: CUDA out of memory\n"):
        on_gpu.main()
    assert ran == ["memory", "script", "corpus", "good"]
    said = capsys.readouterr().out
    assert "long: left for another time" in said and "in all: 0.0 min" in said
    found["memory"] = part("memory", 1)
    with pytest.raises(SystemExit, match="Not done:\nscript: "):
        on_gpu.main()
    assert (
        ran[4:] == ["memory", "script", "corpus"] and "good: done before" in capsys.readouterr()[0]
    )


def test_what_a_chapter_prints_at_full_size_becomes_a_record(course, monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(course / "benchmarks"))
    import on_gpu

    def notebook(*said):
        output = [[new_output("stream", text=text)] for text in said]
        cells = [new_code_cell(f"print({n})", id=str(n), outputs=o) for n, o in enumerate(output)]
        return new_notebook(cells=cells)

    def ran(command, **environment):
        assert environment == {"TFCOURSE_SIZE": "full"}
        nbformat.write(notebook("the same", "3.5"), tmp_path / "evidence.ipynb")

    written = []
    monkeypatch.setattr(on_gpu, "_call", ran)
    monkeypatch.setattr(on_gpu.records, "write", lambda *what, **how: written.append((what, how)))
    path = tmp_path / "notebooks" / "01-words" / "evidence.ipynb"
    path.parent.mkdir(parents=True)
    nbformat.write(notebook("the same", "2.5"), path)
    on_gpu.chapter(path)(tmp_path)
    (((name, results), how),) = written
    assert (name, how["device"]) == ("full-size-01-words-evidence", "cuda")
    assert {key: cell["printed"] for key, cell in results["cells"].items()} == {"1": "3.5"}


def test_make_gpu_refuses_without_cuda_in_one_line(course):
    if torch.cuda.is_available():
        pytest.skip("needs a machine without a GPU")
    refused = on_gpu(course)
    assert refused.returncode and not refused.stdout
    assert len(refused.stderr.splitlines()) == 1 and "PyTorch finds none here" in refused.stderr
