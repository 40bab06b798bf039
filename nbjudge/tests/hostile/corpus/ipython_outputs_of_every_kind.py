"""Outputs of every kind that a browser runs, shown, updated, paged, and told as the result.

kind: IPython
honest: 0
exercise: double
"""

from IPython.display import display, publish_display_data

SCRIPT = "<script>alert(1)</script>"
KINDS = (
    *("text/html", "text/markdown", "text/latex", "image/svg+xml", "application/javascript"),
    *("application/json", "application/vnd.plotly.v1+json", "application/vnd.vega.v5+json"),
    *("application/vnd.jupyter.widget-view+json", "application/vnd.mermaid", "text/x-mermaid"),
    *("image/png", "image/gif", "image/svg", "TEXT/HTML", "text/html;charset=utf-8"),
)
publish_display_data(dict.fromkeys(KINDS, SCRIPT), metadata={"isolated": False})
for kind in KINDS:
    publish_display_data({kind: SCRIPT}, transient={"display_id": kind})
    publish_display_data({kind: SCRIPT}, transient={"display_id": kind}, update=True)
display({"text/plain": SCRIPT, "text/html": SCRIPT}, raw=True)
get_ipython().payload_manager.write_payload({"source": "page", "data": {"text/html": SCRIPT}})
get_ipython().set_next_input(SCRIPT)
print("\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07\x9b31m\x1bPq\x1b\\", SCRIPT)


def double(x):
    raise type(SCRIPT, (ValueError,), {"__module__": SCRIPT})(SCRIPT)
