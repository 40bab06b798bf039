"""The instructor's own text, which is not graded, is given a script for the marker's browser.

kind: notebook file
honest: 0
once: got through
"""

from nbformat.v4 import new_markdown_cell

SCRIPT = """\
# The target <script>alert(1)</script><img src=x onerror=alert(1)>

[marks](javascript:alert(1)) $&#92;href{javascript:alert(1)}{x}$
&#36;&#92;href{javascript:alert(1)}{x}&#36; &dollar;&bsol;href{javascript:alert(1)}{x}&dollar;
&lt;script>alert(1)&lt;/script> \\\\href{javascript:alert(1)}{x}
$\\mmlToken{mi}[href="javascript:alert(1)"]{x}$

```mermaid
<script>alert(1)</script>
```
"""


def hand_in(notebook, folder):
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = SCRIPT
    notebook.cells.append(new_markdown_cell(SCRIPT))
    return notebook
