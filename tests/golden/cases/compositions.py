"""Programs that `compositions.py` drew: some hundreds, and every one on which TinyTorch once differed from PyTorch.

Each is text, a statement a line. All of its tensors are compared at its end, so that a copy in place of a view shows,
and then the gradients of those that require one; where PyTorch refuses to go backward, so must we.
"""

import json

from golden import RECORDED, Area, Case, With

KEPT = RECORDED / "compositions.json"


def scope_of(torch):
    return {"torch": torch, "F": torch.nn.functional, "inf": float("inf"), "nan": float("nan")}


def tensors_of(torch, scope):
    return {name: value for name, value in scope.items() if isinstance(value, torch.Tensor)}


def case_of(text, raises=False):
    def program(torch):
        scope = scope_of(torch)
        exec(compile(text, "<composition>", "exec"), scope)
        tensors = tensors_of(torch, scope)
        return With(tensors, {name: x for name, x in tensors.items() if x.is_leaf and x.requires_grad})

    return Case(text, program, [()], raises=raises)


area = Area()
for text, raises in json.loads(KEPT.read_text(encoding="utf-8")).items():
    area.cases[text] = case_of(text, raises)
