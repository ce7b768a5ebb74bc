"""The code of a .pyi: classes and functions with the types given by parameters' names and defaults, or by a table here."""

import ast
import inspect
import math
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType


def all_of(names: str, told: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), told)


# Parameters' types by their names, and by their defaults' types; "" where several types may come.
ANYWHERE = {"dtype": "_dtype", "device": "Device", "generator": "Generator", "requires_grad": "_bool"}
ANYWHERE |= all_of("activation ord p padding lr momentum mean std", "")
OF_TENSORS = {
    **all_of("dim dims axis", "Dims"),
    **all_of("dim0 dim1 start_dim end_dim diagonal k", "_int"),
    **all_of("input target mask mat mat1 mat2 vec vec1 vec2 batch1 batch2 tensor1 tensor2", "Tensor"),
    **all_of("other exponent end", "Operand"),
    "tensors": "Sequence[Tensor]",
}  # fmt: skip
BY_DEFAULT = {bool: "_bool", float: "_float", str: "str"}
BY_VALUE = {
    "dtype": "_dtype",
    "bool": "_bool",
    "int": "_int",
    "float": "_float",
    "str": "str",
    "Size": "Size",
}

PARTS = "tuple[Tensor, ...]"
RETURNS = {"__init__": "None", "__exit__": "None", "__len__": "_int"}
TENSORS_RETURN = RETURNS | {
    **all_of("numel dim ndimension nelement element_size storage_offset data_ptr __int__ __index__", "_int"),
    **all_of("get_device initial_seed seed", "_int"),
    **all_of("allclose equal can_cast __bool__ __contains__", "_bool"),
    **all_of("backward retain_grad __setitem__ set_default_dtype set_default_device set_default_tensor_type", "None"),
    **all_of("set_printoptions set_rng_state", "None"),
    **all_of("split split_with_sizes unsafe_split unsafe_split_with_sizes chunk unsafe_chunk tensor_split", PARTS),
    **all_of("hsplit vsplit dsplit unbind meshgrid broadcast_tensors std_mean var_mean unravel_index", PARTS),
    **all_of("promote_types result_type get_default_dtype", "_dtype"),
    **{"__float__": "_float", "__iter__": "Iterator[Tensor]", "broadcast_shapes": "Size", "manual_seed": "Generator"},
    **{"get_default_device": "_device", "typename": "str"},
    **all_of("item tolist size stride numpy type max min topk sort aminmax cummax cummin median nanmedian", ""),
    **all_of("lu lu_factor lu_factor_ex lu_unpack ldl_factor ldl_factor_ex inv_ex cholesky_ex gradient", ""),
    **all_of("triangular_solve histogramdd dim_order", ""),
    **all_of("mode kthvalue histogram frexp unique unique_consecutive nonzero where edge storage", ""),
    **all_of("untyped_storage finfo iinfo polar view_as_complex to_dlpack slogdet eigh lstsq qr svd", ""),
    **all_of("register_hook register_post_accumulate_grad_hook atleast_1d atleast_2d atleast_3d", ""),
}  # fmt: skip
OVERLOADED = {
    "type",
    "where",
    "normal",
    "searchsorted",
    "bucketize",
    "isin",
    "tensordot",
    "max",
    "min",
    "result_type",
}
OVERLOADED |= {"xlog1py", "dim_order"}
ATTRIBUTES = {"shape": "Size", "dtype": "_dtype", "device": "_device", "grad": "Any", "ndim": "_int"}
ATTRIBUTES |= all_of("T mT H mH data real", "Tensor")
UNTOLD = set(dir(object)) - {
    "__init__",
    "__setattr__",
    "__eq__",
    "__ne__",
    "__lt__",
    "__le__",
    "__gt__",
    "__ge__",
}
UNTOLD |= {"__deepcopy__", "__copy__", "__setstate__", "__getstate__", "__class_getitem__", "__replace__"}
UNTOLD |= {"__torch_function__"}
DOCUMENTED = 90  # characters: a first sentence that is longer is left out


def class_of(name: str, cls: type, place: str, homes: dict) -> str:
    """A class: what it inherits from, its attributes, and its methods, with those of classes that have no place."""
    bases, hidden = lineage(cls, homes)
    members = {key: value for each in [*reversed(hidden), cls] for key, value in vars(each).items()}
    found = [homes.get(id(base), ("builtins", base.__name__)) for base in bases]
    imports = "".join(
        f"from {home} import {own} as _{own}\n" for home, own in found if home not in (place, "builtins")
    )
    shown = [
        f"builtins.{own}" if home == "builtins" else own if home == place else f"_{own}"
        for home, own in found
    ]
    if "__class_getitem__" in members:
        shown.append("Generic[_T]")
    body = [f'"""{text}"""'] if (text := sentence(cls)) else []
    attributes = {key for each in [*hidden, cls] for key in attributes_of(each)} - members.keys()
    body += [
        f"{key}: {ATTRIBUTES.get(key, 'Any') if cls.__name__ == 'Tensor' else 'Any'}"
        for key in sorted(attributes)
    ]
    if "__init__" not in members and ("__new__" in members or "__call__" in vars(type(cls))):
        body.append("def __init__(self, *args, **kwargs) -> None: ...")
    for key, value in sorted(members.items()):
        body += member(key, value, cls.__name__ in ("Tensor", "Parameter"))
    head = f"class {name}({', '.join(shown)}):" if shown else f"class {name}:"
    return imports + "".join(
        [head, *(f"\n    {line}" for part in body or ["..."] for line in part.splitlines()), "\n"]
    )


def lineage(cls: type, homes: dict) -> tuple[list[type], list[type]]:
    """The nearest classes with a place that it inherits from, and those in between that have no place."""
    bases, hidden = [], []
    for base in cls.__bases__:
        if homes.get(id(base), ("",))[0] or base.__module__ == "builtins":
            bases.append(base)
        else:
            above, between = lineage(base, homes)
            bases, hidden = bases + above, [*hidden, base, *between]
    others = set(bases) - {object}
    return [
        base
        for base in dict.fromkeys(bases)
        if not any(base in other.__mro__[1:] for other in others) and base in others
    ], hidden


@cache
def assigned(path: str) -> dict[str, set[str]]:
    """What the methods of each class in a file assign to: self.x = ..."""
    classes = [
        node
        for node in ast.walk(ast.parse(Path(path).read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]
    return {
        node.name: {
            each.attr
            for each in ast.walk(node)
            if isinstance(each, ast.Attribute)
            and isinstance(each.ctx, ast.Store)
            and ast.unparse(each.value) == "self"
        }
        for node in classes
    }


def attributes_of(cls: type) -> set[str]:
    """The public attributes of a class's instances."""
    path = getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
    found = assigned(path).get(cls.__name__, set()) if path.endswith(".py") else set()
    return {name for name in {*found, *inspect.get_annotations(cls)} if not name.startswith("_")}


def member(name: str, value: object, of_tensors: bool) -> list[str]:
    """The code of a method, a property or a constant of a class."""
    is_special = (
        name.startswith("__")
        and name.endswith("__")
        and name not in UNTOLD
        and not name.startswith("__array")
    )
    is_private = name.startswith("_") and not (is_special and callable(value))
    if is_private or (of_tensors and name in ("__getattr__", "__setattr__")):
        return []
    kind = type(value).__name__ if isinstance(value, staticmethod | classmethod) else ""
    function = value.__func__ if kind else value
    if name == "forward":  # of which every layer takes what it likes
        return ["forward: Any"]
    if isinstance(function, FunctionType):
        return [
            *([f"@{kind}"] if kind else []),
            function_of(name, function, of_tensors, int(kind != "staticmethod")),
        ]
    if is_special:
        return []
    told = ATTRIBUTES.get(name) or ("_bool" if name.startswith("is_") else "Any")
    return [f"{name}: {told if of_tensors else BY_VALUE.get(type(value).__name__, 'Any')}"]


def function_of(name: str, function: FunctionType, of_tensors: bool, bound: int = 0) -> str:
    """A function, or a method whose first argument is bound; its sentence where it is short."""
    own = inspect.signature(function)
    number_first = name in import_module("tinytorch.given.tensor.functions").NUMBER_FIRST
    parameters = [
        parameter.replace(
            default=parameter.default
            if parameter.default is parameter.empty
            else Code(shown(parameter.default)),
            annotation=Code(told)
            if (told := "" if at < bound else type_of(parameter, of_tensors, name, number_first))
            else parameter.empty,
        )
        for at, parameter in enumerate(taken(name, function, own, of_tensors))
    ]
    table = TENSORS_RETURN if of_tensors else RETURNS
    back = (
        ""
        if of_tensors and "max_pool" in name
        else table.get(name, "_bool" if name.startswith("is_") else "Tensor" if of_tensors else "")
    )
    line = f"def {name}{own.replace(parameters=parameters, return_annotation=own.empty)}{f' -> {back}' if back else ''}:"
    return f'{line}\n    """{text}"""\n' if (text := sentence(function)) else f"{line} ...\n"


def taken(
    name: str, function: FunctionType, own: inspect.Signature, of_tensors: bool
) -> list[inspect.Parameter]:
    """The parameters of a signature, and those that a function takes in addition: `out`, and NumPy's names."""
    listed = list(own.parameters.values())
    more = {"out"} if "put_out" in function.__code__.co_names and "out" not in own.parameters else set()
    method = vars(import_module("tinytorch").Tensor).get(name) if of_tensors else None
    if isinstance(method, FunctionType) and "keepdims" in method.__code__.co_consts:
        required = [one for one in listed if one.default is one.empty]
        if required[-1].name == "dim":
            listed[listed.index(required[-1])] = required[-1].replace(default=None)
        more |= {"axis", "keepdims"} - own.parameters.keys()
    listed += [inspect.Parameter(one, inspect.Parameter.KEYWORD_ONLY, default=None) for one in sorted(more)]
    return sorted(listed, key=lambda parameter: parameter.kind)


class Code(str):
    """A piece of code, which a signature shows without quotes."""

    __repr__ = str.__str__


def shown(default: object) -> str:
    is_plain = type(default) in (type(None), bool, int, str, tuple) and "<" not in repr(default)
    return repr(default) if is_plain or (type(default) is float and math.isfinite(default)) else "..."


def type_of(parameter: inspect.Parameter, of_tensors: bool, function: str, number_first: bool) -> str:
    """The type given by a parameter's name or default; "" if they give none."""
    name, default = parameter.name, parameter.default
    if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL) or function in OVERLOADED:
        return ""
    known = ANYWHERE.get(name, BY_DEFAULT.get(type(default)))
    if known is None and of_tensors:
        known = "Operand" if number_first and name == "input" else OF_TENSORS.get(name)
    return f"{known} | None" if known and default is None else known or ""


def sentence(value: object) -> str:
    """The first sentence of its docstring, where it is short."""
    text = (value.__doc__ or "").strip().partition("\n")[0]
    return (
        text
        if len(text) <= DOCUMENTED and text.endswith(".") and '"' not in text and "\\" not in text
        else ""
    )
