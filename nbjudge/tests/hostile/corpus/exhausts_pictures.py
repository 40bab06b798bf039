"""A short notebook whose cells show 495 pictures, together more than a gigabyte.

kind: exhaustion
honest: 0
once: got through
"""

from nbformat.v4 import new_code_cell

FIRST = """\
import base64, os
from IPython.display import display
text = base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n" + os.urandom(600_000)).decode()
"""


def hand_in(notebook, folder):
    show = 'display({"image/png": text}, raw=True)'
    notebook.cells += [new_code_cell(FIRST), *(new_code_cell(show) for _ in range(494))]
    return notebook
