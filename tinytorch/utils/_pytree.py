"""Values in nested containers, as in torch.utils._pytree: taken out, changed, put back."""

from collections import OrderedDict, defaultdict, deque, namedtuple

__all__ = [
    "MappingKey", "TreeSpec", "register_pytree_node", "tree_all", "tree_any", "tree_flatten", "tree_iter",
    "tree_leaves", "tree_map", "tree_map_", "tree_map_only", "tree_structure", "tree_unflatten",
]  # fmt: skip

_nodes = {}


def register_pytree_node(cls, flatten_fn, unflatten_fn, **options):
    """Have objects of a class taken apart: into (values, context), and back from them."""
    if cls in _nodes:
        raise ValueError(f"{cls} is already registered as pytree node.")
    _nodes[cls] = flatten_fn, unflatten_fn


def _dict_flatten(d):
    return list(d.values()), list(d)


def _dict_unflatten(values, keys):
    return dict(zip(keys, values))


def _dict_flatten_with_keys(d):
    return [(MappingKey(key), value) for key, value in d.items()], list(d)


MappingKey = namedtuple("MappingKey", ["key"])
_register_pytree_node = register_pytree_node
for _sequence in (list, tuple):
    register_pytree_node(_sequence, lambda x: (list(x), None), lambda values, _, kind=_sequence: kind(values))
for _mapping in (dict, OrderedDict):
    register_pytree_node(
        _mapping,
        _dict_flatten,
        lambda values, keys, kind=_mapping: kind(zip(keys, values)),
    )
register_pytree_node(
    defaultdict,
    lambda x: (list(x.values()), (x.default_factory, list(x))),
    lambda values, context: defaultdict(context[0], zip(context[1], values)),
)
register_pytree_node(deque, lambda x: (list(x), x.maxlen), lambda values, most: deque(values, maxlen=most))


class TreeSpec(namedtuple("TreeSpec", ["type", "context", "children_specs"])):
    """How values were nested: the containers, without what was in them."""

    num_leaves = property(lambda self: sum(c.num_leaves for c in self.children_specs) if self.type else 1)

    def is_leaf(self):
        """Whether this stands for one value."""
        return self.type is None


LEAF = TreeSpec(None, None, ())


def kind_of(tree, is_leaf):
    """The container that a value is, or None for a value to be kept whole."""
    if is_leaf is not None and is_leaf(tree):
        return None
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return namedtuple
    return type(tree) if type(tree) in _nodes else None


def tree_flatten(tree, is_leaf=None):
    """The values in nested containers, as a list, and how they were nested."""
    kind = kind_of(tree, is_leaf)
    if kind is None:
        return [tree], LEAF
    children, context = (list(tree), type(tree)) if kind is namedtuple else _nodes[kind][0](tree)
    parts = [tree_flatten(child, is_leaf) for child in children]
    return [leaf for leaves, _ in parts for leaf in leaves], TreeSpec(
        kind, context, tuple(spec for _, spec in parts)
    )


def tree_unflatten(leaves, treespec):
    """Nest values as they were; ValueError for more or fewer of them."""
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(
            f"tree_unflatten(leaves, treespec): `leaves` has length {len(leaves)} but the spec refers to a pytree "
            f"that holds {treespec.num_leaves} items ({treespec})."
        )
    remaining = iter(leaves)

    def build(spec):
        if spec.type is None:
            return next(remaining)
        children = [build(child) for child in spec.children_specs]
        return (
            spec.context(*children)
            if spec.type is namedtuple
            else _nodes[spec.type][1](children, spec.context)
        )

    return build(treespec)


def tree_leaves(tree, is_leaf=None):
    """The values in nested containers."""
    return tree_flatten(tree, is_leaf)[0]


def tree_iter(tree, is_leaf=None):
    """The values in nested containers, one after the other."""
    return iter(tree_leaves(tree, is_leaf))


def tree_structure(tree, is_leaf=None):
    """How values are nested."""
    return tree_flatten(tree, is_leaf)[1]


def tree_map(func, tree, *rests, is_leaf=None):
    """Nest what a function makes of each value, and of those at the same place in other trees."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten(map(func, leaves, *[tree_leaves(rest, is_leaf) for rest in rests]), spec)


def tree_map_(func, tree, *rests, is_leaf=None):
    """Call a function on each value, and give the tree back as it was."""
    leaves = tree_leaves(tree, is_leaf)
    for values in zip(leaves, *[tree_leaves(rest, is_leaf) for rest in rests]):
        func(*values)
    return tree


def tree_map_only(type_or_types_or_pred, func, tree, is_leaf=None):
    """Change the values of some types alone, or those of which a function says so."""
    chosen = type_or_types_or_pred
    if not isinstance(chosen, type | tuple):
        return tree_map(lambda x: func(x) if chosen(x) else x, tree, is_leaf=is_leaf)
    return tree_map(lambda x: func(x) if isinstance(x, chosen) else x, tree, is_leaf=is_leaf)


def tree_all(pred, tree, is_leaf=None):
    """Whether something holds of every value."""
    return all(map(pred, tree_iter(tree, is_leaf)))


def tree_any(pred, tree, is_leaf=None):
    """Whether something holds of any value."""
    return any(map(pred, tree_iter(tree, is_leaf)))
