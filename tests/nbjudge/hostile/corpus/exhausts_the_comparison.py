"""A module's name of 99,000 parts, for which Python's parser takes gigabytes.

kind: exhaustion
honest: 0
"""


def hand_in(notebook, folder):
    for cell in notebook.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "double":
            cell.source = "import " + ".".join("a" * 99_000)
    return notebook
