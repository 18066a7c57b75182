"""Attributes that the answer sets, written as calls, so that they are seen as its calls are."""

import ast


class Setting(ast.NodeTransformer):
    """Writes `thing.name = value` as `setattr(thing, "name", value)`; private names, which a class mangles, stay."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """One target is enough: of several each would read the value."""
        target = node.targets[0]
        if len(node.targets) > 1 or not isinstance(target, ast.Attribute) or target.attr.startswith("__"):
            return node
        words = [target.value, ast.Constant(value=target.attr), node.value]
        call = ast.Call(func=ast.Name(id="setattr", ctx=ast.Load()), args=words, keywords=[])
        return ast.copy_location(ast.Expr(value=ast.copy_location(call, node)), node)
