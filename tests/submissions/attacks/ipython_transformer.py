# Installs an AST transformer that empties the cells after it.
# scale: failing
import ast

from IPython import get_ipython


class Empty(ast.NodeTransformer):
    def visit_Module(self, node):
        return ast.Module([], [])


get_ipython().ast_transformers.append(Empty())
