"""A diagram among the learner's words, which the marker's browser draws with links of its own.

kind: notebook file
honest: 0
once: got through
"""

from nbformat.v4 import new_markdown_cell


def hand_in(notebook, folder):
    for fence in ("``` mermaid", "~~~\tmermaid", "> ````   mermaid x", "- ```\u00a0mermaid"):
        begin, end = fence[:2] if fence[0] in ">-" else "", fence.strip("> -")[:3]
        drawn = (
            f'{fence}\n{begin}graph TD\n{begin}click A href "javascript:alert(1)"\n{begin}{end}`'
        )
        notebook.cells.append(new_markdown_cell(drawn))
    return notebook
