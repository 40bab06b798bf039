"""Scripts in attachments, widgets' state, raw cells, the kernel's and the notebook's descriptions.

kind: notebook file
honest: 0
seen: kernel is
"""

from nbformat.v4 import new_markdown_cell, new_output, new_raw_cell

SCRIPT = "<script>alert(1)</script>"
PICTURE = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'
WIDGETS = "application/vnd.jupyter.widget-state+json"


def hand_in(notebook, folder):
    shown = new_markdown_cell("![a](attachment:a.svg) ![b](attachment:b.html)")
    shown["attachments"] = {
        "a.svg": {"image/svg+xml": PICTURE},
        "b.html": {"text/html": SCRIPT, "image/png": f"x' onerror='alert(1)' {SCRIPT}"},
    }
    raw = new_raw_cell(SCRIPT, metadata={"format": "text/html", "raw_mimetype": "text/html"})
    notebook.cells += [shown, raw]
    for cell in notebook.cells:
        cell.metadata["tags"] = [SCRIPT, "remove_input"]
        cell.metadata["name"] = cell.metadata["title"] = SCRIPT
        if cell.cell_type == "code":
            cell.metadata["magics_language"] = "html"
            data = {"text/html": SCRIPT, "application/javascript": "alert(1)", WIDGETS: {}}
            cell.outputs = [new_output("display_data", data=data)]
    kernel_name = f"\x1b]8;;http://x\x07[link=http://x]mine[/link]{SCRIPT}"
    notebook.metadata["kernelspec"] = {
        "name": kernel_name,
        "display_name": SCRIPT,
        "language": "html",
    }
    notebook.metadata["language_info"] = {"name": SCRIPT, "pygments_lexer": "html"}
    notebook.metadata["widgets"] = {WIDGETS: {"state": {"a": {"model_name": SCRIPT}}}}
    notebook.metadata["title"] = SCRIPT
    notebook.metadata["authors"] = [{"name": SCRIPT}]
    return notebook
