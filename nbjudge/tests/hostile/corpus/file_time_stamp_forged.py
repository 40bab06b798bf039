"""A file says that the work was handed in long ago, and so does the notebook.

kind: notebook file
honest: 0
once: got through
"""


def hand_in(notebook, folder):
    (folder / "timestamp.txt").write_text("1999-01-01 00:00:00.000000 UTC")
    notebook.metadata["timestamp"] = "1999-01-01"
    return notebook
