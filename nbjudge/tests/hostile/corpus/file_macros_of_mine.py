r"""Formulas that define commands anew, load parts of MathJax, and set styles, classes and ids.

kind: notebook file
honest: 0
"""

from nbformat.v4 import new_markdown_cell

FORMULAS = r"""
$\def\bf{\href{javascript:alert(1)}}\bf{x}$ $\newcommand{\it}{\href{javascript:alert(1)}}\it{x}$
$$\require{html}\style{position:fixed}{x}\class{mermaid}{x}\cssId{marks}{x}\data{a=b}{x}$$
\begin{html}\unicode{x3c}script\unicode{x3e}\end{html} \(\let\alpha\href\alpha{javascript:alert(1)}\)
$\text{<img src=x onerror=alert(1)>}$ $\mbox{$\href{javascript:alert(1)}{x}$}$
$\begin{array}{@{\href{javascript:alert(1)}{x}}c}a\end{array}$ $\csname href\endcsname{javascript:alert(1)}{x}$
\[\color{red}\bbox[url(x)]{x}\texttip{x}{<script>alert(1)</script>}\mathtip{x}{y}\toggle{a}{b}\endtoggle\]
"""


def hand_in(notebook, folder):
    notebook.cells.append(new_markdown_cell(FORMULAS))
    notebook.cells.append(
        new_markdown_cell("[a]: javascript:alert(1)\n\n[a] <javascript:alert(1)>")
    )
    return notebook
