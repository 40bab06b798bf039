"""Thousands of errors are shown that no cell had, each as long as is kept.

kind: exhaustion
honest: 0
"""

from nbformat.v4 import new_code_cell

SHOW = """\
send = get_ipython().kernel.send_response
where = get_ipython().kernel.iopub_socket
content = {"ename": "E" * 200, "evalue": "e" * 5000, "traceback": ["t" * 40_000]}
for _ in range(300): send(where, "error", content)
"""


def hand_in(notebook, folder):
    notebook.cells += [new_code_cell(SHOW) for _ in range(5)]
    return notebook
