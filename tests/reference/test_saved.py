"""What is saved of each operation is what PyTorch saves, and is let go of: as `record_saved.py` recorded it."""

import json

import numpy as np
import pytest

import tinytorch as torch
from tests.reference.record_saved import COMPOSED, PROGRAMS, RECORDED, Run, after, outcome, split

THEIRS = json.loads(RECORDED.read_text(encoding="utf-8"))
ALL = split(PROGRAMS + COMPOSED)

# What PyTorch keeps beyond what the gradient needs, for a shape or for nobody: changed here, it does no harm.
NEEDLESS = {
    "x ** C": [0],
    "x.gather(0, I)": ["x"],
    "x.masked_select(MASK)": ["x"],
    "F.layer_norm(x, (3,), scale, shift)": ["shift"],
}
# What is saved here, and copied or made anew there.
REFUSED = {
    "F.cross_entropy(x, CLASSES)": ["x"],
    "x.take_along_dim(I, 0)": ["I"],
    "torch.kron(x, m)": ["x", "m"],
}


def test_the_record_is_of_these_programs():
    assert list(THEIRS) == ALL, "run python -m tests.reference.record_saved"


@pytest.mark.parametrize("text", split(PROGRAMS))
def test_nodes_changes_and_second_passes_are_pytorchs(text):
    theirs = THEIRS[text]
    saved = [place for place in theirs["saved"] if place not in NEEDLESS.get(text, ())]
    assert outcome(torch, text) == theirs | {"saved": saved}


@pytest.mark.parametrize("text", split(COMPOSED))
def test_what_pytorch_lets_be_changed_may_be_changed(text):
    saved = THEIRS[text]["saved"] + REFUSED.get(text, [])
    assert set(outcome(torch, text)["saved"]) <= set(saved)


@pytest.mark.parametrize("text", ALL)
def test_a_change_that_is_not_refused_leaves_the_gradient_as_it_was(text):
    run = Run(torch, text)
    wanted = run.gradients()
    for place in [*run.tensors, *range(len(run.outputs))]:
        for found, right in zip(after(torch, text, place) or (), wanted):
            assert (found is None) == (right is None)
            if right is not None:
                np.testing.assert_array_equal(found.numpy(), right.numpy(), err_msg=f"{place} was changed")


@pytest.mark.parametrize("text", ALL)
def test_after_backward_no_node_holds_an_array(text):
    run = Run(torch, text)
    run.gradients()
    nodes, seen = [y.grad_fn for y in run.differentiable], {x.grad_fn for x in run.wanted}
    while nodes:
        node = nodes.pop()
        if node not in seen:
            seen.add(node)
            edges = [edge[0] for edge in node.edges if edge is not None]
            nodes += [below for below in edges if not isinstance(below, torch.Tensor)]
            held = [name for name, value in vars(node).items() if holds_array(value)]
            assert not held, f"{node} still holds {held}"


def holds_array(value):
    if isinstance(value, tuple | list):
        return any(map(holds_array, value))
    return isinstance(value, np.ndarray)
