# %% [markdown]
# # 16 Compression
#
# A trained network has more weights than it needs. In this module you remove weights one by one, remove whole units,
# replace a matrix by two thin ones, or put two thin ones beside it, let weights share values, and train a small network
# with the help of a large one. Then you measure all of it in the same way: bytes in a file, milliseconds, digits
# classified correctly.
#
# When you are done you will be able to
#
# - prune by magnitude, in one layer or over all layers at once, with masks that hold while you train and save;
# - increase the share of zeros by a schedule during training;
# - say what zeros save by themselves (nothing), and make layers that really are smaller;
# - write a matrix as a product of two thin ones, and say below which rank that saves anything;
# - train a low-rank correction beside frozen weights, also 4-bit ones (LoRA);
# - cluster weights, and store half a byte for each;
# - train with a teacher's probabilities, and say when that helps and when it does not;
# - judge a claim like "90 % smaller at no loss" by the control it was compared with.
#
# ## Where it stands
#
# | here | PyTorch | differs in |
# |---|---|---|
# | `BasePruningMethod`, `PruningContainer`, `L1Unstructured`, `LnStructured`, ... | `torch.nn.utils.prune` | `put_on` is ours: in PyTorch it is part of `apply` |
# | `l1_unstructured`, `ln_structured`, `global_unstructured`, `custom_from_mask`, `remove`, `is_pruned`, ... | `torch.nn.utils.prune` | which of several equal elements is pruned |
# | `magnitude_mask`, `PruningSchedule` | | ours; `torch.ao.pruning.CubicSL` is of the same kind |
# | `rewind`, `find_ticket`, `put_masks` | | ours |
# | `strongest_units`, `select_outputs`, `select_inputs`, `shrink` | | ours: a mask of `torch.nn.utils.prune` never changes a shape |
# | `LoRALinear`, `add_adapters`, `adapter_state`, `merged` | | ours, with the names of PEFT, a separate library: `lora_A`, `lora_B` |
# | `factorize`, `kmeans`, `cluster_weights`, `distillation_loss`, `pareto_front` | | ours |

# %%
#| export
import copy
from abc import ABC, abstractmethod

import numpy as np

from tinytorch.autograd import no_grad
from tinytorch.given.compression.checks import *
from tinytorch.layers import Linear, Module, Parameter, Sequential, zeros_
from tinytorch.losses import cross_entropy, kl_div
from tinytorch.activations import log_softmax
from tinytorch.tensor import cat, ones_like, randperm, tensor

# %%
import io
import zlib

import matplotlib.pyplot as plt
import scipy.sparse
import scipy.stats

from tinytorch.conv import BatchNorm1d, Conv2d, LeNet
from tinytorch.dataloader import Digits
from tinytorch.given import predictions
from tinytorch.given.compression.drawing import draw_front, draw_masks, draw_schedule
from tinytorch.layers import Flatten, ReLU
from tinytorch.optimizers import SGD, AdamW
from tinytorch.profiling import count_flops, count_parameters, measure_latency
from tinytorch.quantization import Int4Linear, file_bytes, quantize_dynamic, quantize_int4
from tinytorch.tensor import Tensor, manual_seed
from tinytorch.trainer import OneCycleLR, accuracy, save

# %% [markdown]
# ## The problem: which weights matter
#
# Train a network on digits, as in module 15. You will make it smaller in five ways.

# %%
images, labels = Digits().tensors()
unseen, unseen_labels = Digits(train=False).tensors()


def train(model, epochs, lr=0.01, schedule=None, x=images):
    """Train on 1,437 digits, and return the model in evaluation mode."""
    optimizer = AdamW(model.parameters(), lr=lr, weight_decay=0.05)
    rate = OneCycleLR(optimizer, lr, epochs=epochs, steps_per_epoch=-(-len(images) // 64))
    model.train()
    for _ in range(epochs):
        for rows in randperm(len(images)).split(64):
            optimizer.zero_grad()
            cross_entropy(model(x[rows]), labels[rows]).backward()
            optimizer.step()
            rate.step()
            if schedule is not None:
                schedule.step()
    return model.eval()


def right(model, x=unseen):
    """The percentage of the 360 held-out digits that a model classifies correctly."""
    with no_grad():
        return 100 * float(accuracy(model(x), unseen_labels))


def make_mlp(hidden=128):
    return Sequential(Flatten(), Linear(64, hidden), ReLU(), Linear(hidden, 10))


manual_seed(0)
mlp = train(make_mlp(), epochs=20)
weight = mlp[1].weight.detach().numpy()
print(f"{right(mlp):.1f} % of the held-out digits right, {count_parameters(mlp):,} parameters")
_, axis = plt.subplots(figsize=(6, 2.5), layout="constrained")
axis.hist(weight.ravel(), bins=100, color="tab:gray")
axis.set(xlabel="weight of the first layer", ylabel="how many", yscale="log")
plt.show()

# %% [markdown]
# Most weights are small, and a small weight changes the output little: the sum $\sum_j w_j x_j$ moves by $w_j x_j$ when
# $w_j$ becomes 0. So the usual first choice is to remove the weights that are smallest in magnitude (Han et al., 2015).
# It is a guess, since $x_j$ matters too; you will compare it with removing weights at random.
#
# ## 1. A mask by magnitude
#
# A **mask** has the shape of the weight, a 0 for each weight that is removed and a 1 for each that stays. Remove the
# `count` smallest of *all* elements, whatever row they are in, and exactly `count`, even if several are equal: a
# comparison with a threshold would remove all equal ones, or none.
#
# <details><summary>Hint 1</summary>Positions are easier than thresholds: let NumPy sort the magnitudes, and write zeros
# at the first <code>count</code> positions.</details>
# <details><summary>Hint 2</summary>Without <code>axis=None</code>, or a <code>ravel()</code>, each row would be sorted
# separately.</details>
# <details><summary>Hint 3</summary><code>np.argsort(..., axis=None)</code> gives positions in the flat array, the
# smallest first. <code>mask.reshape(-1)</code> of a contiguous mask is a view: what you write into it is in the
# mask.</details>


# %% stub="magnitude-mask"
#| export
def magnitude_mask(scores, count):
    """Make a mask that removes the elements that are smallest in magnitude.

    Args:
        scores: an array or a view, such as W.T, of any shape, floating point; not changed.
        count: how many elements are removed, 0 to scores.size.

    Returns:
        An array of the shape and type of `scores`: exactly `count` zeros, the rest ones. Which
        of several equal elements are removed does not matter.

    >>> magnitude_mask(np.float32([[0.1, -3.0], [2.0, -0.2]]), 2)
    array([[0., 1.],
           [1., 0.]], dtype=float32)
    """
    ### BEGIN SOLUTION
    mask = np.ones(scores.shape, scores.dtype)
    smallest = np.argsort(np.abs(scores), axis=None)[:count]
    mask.reshape(-1)[smallest] = 0
    return mask
    ### END SOLUTION


# %% test="magnitude-mask" points=4
def drawn(*shape, seed=0, dtype=np.float32):
    """Random numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def same(found, wanted, message=""):
    """Compare arrays, number by number."""
    np.testing.assert_array_equal(found, wanted, err_msg=message)


def check_mask(scores, count):
    order = sorted(np.ndindex(scores.shape), key=lambda place: abs(float(scores[place])))
    wanted = np.ones(scores.shape)
    for place in order[:count]:
        wanted[place] = 0
    kept = scores.copy()
    found = magnitude_mask(scores, count)
    shown = f" of {scores.tolist()}" if scores.size < 9 else ""
    kind = "" if scores.flags.c_contiguous else " (a transposed or reversed view)"
    about = f"shape {scores.shape}{kind}, the {count} smallest magnitudes{shown} go"
    same(scores, kept, "`scores` belong to the caller")
    assert found.shape == scores.shape, f"{about}: the mask has shape {found.shape}"
    assert found.dtype == scores.dtype, f"{about}: {scores.dtype}, not {found.dtype}"
    zeros = int((found == 0).sum())
    assert zeros == count, f"{about}: {zeros} zeros in the mask, {count} are wanted"
    same(found, wanted, about)


def test_the_smallest_of_all_elements_go():
    check_mask(np.float32([[9, -6, 7], [0.25, -8, 0.125]]), 2)
    for step in (1, -1):
        check_mask(np.float32([4e-25, -1e-25, 3e-25, 2e-25])[::step], 2)
    for shape, count in [((4, 5), 7), ((5, 4), 12), ((30,), 11), ((2, 3, 2, 2), 9)]:
        check_mask(drawn(*shape, seed=count), count)
    check_mask(drawn(3, 4, dtype=np.float64), 5)
    check_mask(np.array([1 + 1e-12, 1.0]), 1)  # which float32 cannot tell apart
    check_mask(drawn(6, 5).T, 8)


def test_none_or_all_may_go():
    for count in (0, 1, 11, 12):
        check_mask(drawn(3, 4, seed=1), count)


def test_of_equal_elements_only_as_many_go_as_wanted():
    for size, count in [(1, 1), (1, 2), (1, 4), (0, 0), (0, 2), (0, 4)]:
        scores = np.float32([[size, -size, size], [size, 2, -size]])
        zeros = magnitude_mask(scores, count) == 0
        found = f"{int(zeros.sum())} zeros, {zeros.tolist()}"
        message = f"five elements of {scores.tolist()} are equal and {count} go; found {found}"
        assert zeros.sum() == count, message
        assert not zeros[1, 1], f"the 2 is larger than the others and stays; found {found}"


# %% [markdown]
# Try it on a copy: remove weights from both layers, the smallest ones and, for comparison, as many at random.


# %%
def zeroed(model, share, at_random=False):
    """A copy with a share of each layer's weights set to 0."""
    model, rng = copy.deepcopy(model), np.random.default_rng(0)
    for layer in (model[1], model[3]):
        w = layer.weight.array
        scores = rng.random(w.shape) if at_random else w
        w *= magnitude_mask(scores, round(share * w.size)).astype(w.dtype)
    return model


for share in (0.5, 0.8, 0.9, 0.95):
    small, random = right(zeroed(mlp, share)), right(zeroed(mlp, share, at_random=True))
    print(f"{share:.0%} zeros: {small:5.1f} % right, at random {random:5.1f} % right")

# %% [markdown]
# Half of the weights can be removed at a small cost; if the same number is removed at random, accuracy drops far more.
# At 90 % the network has to be trained further, and that raises a problem:

# %%
pruned = zeroed(mlp, 0.9)
before = int((pruned[1].weight.array == 0).sum())
train(pruned, epochs=1, lr=0.003)
after = int((pruned[1].weight.array == 0).sum())
print(f"zeros in the first layer: {before:,} before one epoch, {after:,} after it")

# %% [markdown]
# ## 2. A mask that holds
#
# The optimizer does not know about your zeros: they have gradients like all other weights, and become nonzero again.
# (Those that are still 0 mostly belong to pixels that are always blank, or to units that are 0 for every image.)
# Resetting them to zero after each step is easy to forget, and momentum would keep pushing. PyTorch instead changes
# what is trained. The parameter `weight` becomes three things:
#
# ```
#   before                      after put_on
#
#   weight   Parameter          weight_orig   Parameter, the same object: it is trained, and saved
#                               weight_mask   buffer: is saved, and is not trained
#                               weight        = weight_orig * weight_mask, recomputed before each forward
# ```
#
# The recomputing is done by a *forward pre-hook* (module 03): a function that is called with the module and its inputs
# before each forward. The method object itself is that function, through its `__call__`. The gradient follows
# automatically from the rule of the product: $\partial L / \partial w_{orig} = m \cdot \partial L / \partial w$, zero
# wherever the mask is.
#
# `weight` is then an ordinary attribute, a Tensor but not a Parameter. And `remove` undoes all of it: the parameter
# gets its old name back, with the zeros in it.
#
# If the same parameter is pruned a second time, `weight_orig` exists already: the mask is replaced, and the second
# method registers itself too.
#
# <details><summary>Hint 1</summary>You need four parts of a module: <code>_parameters</code>, a dictionary;
# <code>register_parameter(name, parameter)</code>; <code>register_buffer(name, tensor)</code>;
# <code>register_forward_pre_hook(function)</code>. Take <code>weight</code> out of the parameters before you assign a
# Tensor to that name.</details>
# <details><summary>Hint 2</summary><code>getattr</code> and <code>setattr</code> take names that are put together, such
# as NAME_orig. At its end <code>put_on</code> computes the weight as the hook does, and registers
# <code>self</code>.</details>
# <details><summary>Hint 3</summary><code>remove</code>: compute the masked weight; delete the attribute; pop the
# parameter, and assign the masked numbers to its <code>data</code>, which keeps the object; delete the mask; assign the
# parameter to its old name. The caller removes the hook.</details>


# %% stub="masked-parameter"
#| export
class BasePruningMethod(ABC):
    """A way to prune, and the hook that masks one parameter of a module before each forward.

    Subclasses decide in `compute_mask` which elements are removed. `_tensor_name`, such as
    "weight", is the parameter that the method acts on; `apply` (given) sets it.
    """

    _tensor_name: str

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """Return the mask for scores t, where default_mask says what was removed before."""

    def put_on(self, module, mask):
        """Make a module's parameter NAME the product of NAME_orig and NAME_mask from now on.

        The parameter itself is registered as NAME_orig, if it is not so already, and removed
        from its old name; the mask becomes the buffer NAME_mask; the attribute NAME is
        computed; and `self` is registered as a forward pre-hook.
        """
        name = self._tensor_name
        ### BEGIN SOLUTION
        if f"{name}_orig" not in module._parameters:
            module.register_parameter(f"{name}_orig", module._parameters.pop(name))
        module.register_buffer(f"{name}_mask", mask)
        self(module, None)
        module.register_forward_pre_hook(self)
        ### END SOLUTION

    def __call__(self, module, inputs):
        """Recompute the attribute NAME of the module; the inputs stay as they are."""
        setattr(module, self._tensor_name, self.apply_mask(module))

    def apply_mask(self, module):
        """Return NAME_orig times NAME_mask, of NAME_orig's type, for gradients to pass."""
        name = self._tensor_name
        ### BEGIN SOLUTION
        mask, orig = getattr(module, f"{name}_mask"), getattr(module, f"{name}_orig")
        return mask.to(dtype=orig.dtype) * orig
        ### END SOLUTION

    def remove(self, module):
        """Make NAME the same parameter again, zeros in it; the caller removes the hook."""
        name = self._tensor_name
        ### BEGIN SOLUTION
        weight = self.apply_mask(module)
        delattr(module, name)
        parameter = module._parameters.pop(f"{name}_orig")
        parameter.data = weight.data
        del module._buffers[f"{name}_mask"]
        setattr(module, name, parameter)
        ### END SOLUTION


# %% test="masked-parameter" points=9
class Fixed(BasePruningMethod):
    """For these tests: a method without its own rule."""

    def compute_mask(self, t, default_mask):
        return default_mask


def masked_linear(mask, name="weight", seed=1):
    """A Linear with a mask on a parameter, the method, and the parameter."""
    layer = Linear(np.shape(mask)[-1], 2)
    layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed)
    layer.bias.array[...] = drawn(2, seed=seed + 1)
    method, parameter = Fixed(), getattr(layer, name)
    method._tensor_name = name
    method.put_on(layer, tensor(np.float32(mask)))
    return layer, method, parameter


MASK = [[1, 0, 1], [0, 1, 1]]


def test_a_parameter_becomes_the_original_and_a_mask():
    layer, _, parameter = masked_linear(MASK)
    names = [name for name, _ in layer.named_parameters()]
    assert sorted(names) == ["bias", "weight_orig"], f"bias and weight_orig, not {names}"
    assert layer.weight_orig is parameter, "weight_orig is the same object: optimizers hold it"
    message = "weight_orig keeps all of its numbers, masked ones too"
    same(parameter.array, drawn(2, 3, seed=1), message)
    buffers = [name for name, _ in layer.named_buffers()]
    assert buffers == ["weight_mask"], f"the only buffer is weight_mask, not {buffers}"
    saved = sorted(layer.state_dict())
    wanted = ["bias", "weight_mask", "weight_orig"]
    assert saved == wanted, f"{wanted} are saved, not {saved}"
    same(layer.weight_mask.numpy(), MASK, "weight_mask")
    assert not layer.weight_mask.requires_grad, "the mask is not trained"


def test_the_weight_is_the_product_at_once_and_before_each_forward():
    layer, _, parameter = masked_linear(MASK)
    wanted = parameter.array * np.float32(MASK)
    same(layer.weight.detach().numpy(), wanted, "at once")
    assert not isinstance(layer.weight, Parameter), "weight is a Tensor, not a Parameter"
    assert layer.weight.requires_grad, "at once it is a product through which gradients pass"
    parameter.array += 1
    wanted, x = parameter.array * np.float32(MASK), drawn(4, 3)
    np.testing.assert_allclose(
        layer(tensor(x)).detach().numpy(),
        x @ wanted.T + layer.bias.detach().numpy(),
        rtol=1e-5,
        atol=1e-6,
        err_msg="weight_orig has changed: forward uses the new product, by a forward pre-hook",
    )
    same(layer.weight.detach().numpy(), wanted, "afterwards")


def test_gradients_reach_what_is_left_and_nothing_else():
    layer, _, parameter = masked_linear(MASK)
    x, cotangent = drawn(5, 3, seed=4), drawn(5, 2, seed=5)
    for _ in range(2):  # a second step needs a graph of its own
        parameter.grad = None
        layer(tensor(x)).backward(tensor(cotangent))
        assert parameter.grad is not None, "weight_orig has a gradient after backward"
        wanted, found = (cotangent.T @ x) * np.float32(MASK), parameter.grad.numpy()
        message = "the gradient is gᵀ x where the mask is 1, and 0 elsewhere"
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5, err_msg=message)


def test_pruned_elements_stay_zero_while_an_optimizer_works():
    layer, _, _ = masked_linear(MASK)
    optimizer = SGD(layer.parameters(), lr=0.1, momentum=0.9, weight_decay=0.1)
    for step in range(4):
        optimizer.zero_grad()
        (layer(tensor(drawn(6, 3, seed=step))) ** 2).sum().backward()
        optimizer.step()
    layer(tensor(drawn(1, 3)))
    zeros = layer.weight.detach().numpy()[np.equal(MASK, 0)]
    same(zeros, 0, "zeros hold during training")


def test_other_names_and_types_work():
    layer, _, parameter = masked_linear([1, 0], name="bias")
    assert layer.bias_orig is parameter, "put_on acts on the named parameter: bias_orig"
    same(layer.bias.detach().numpy(), parameter.array * [1, 0])
    layer, method, _ = masked_linear(MASK)
    layer.weight_mask = tensor(np.array(MASK, np.float64))
    found = method.apply_mask(layer)
    message = "weight_orig is float32, its mask float64, and the product"
    assert str(found.dtype) == "torch.float32", f"{message} float32, not {found.dtype}"
    layer = Linear(3, 2).half()
    method.put_on(layer, tensor(np.float32(MASK)))
    found = layer.weight.dtype
    assert str(found) == "torch.float16", f"weight_orig is float16, weight {found}"


def test_weight_and_bias_of_a_layer_have_masks_of_their_own():
    layer, masks = Linear(3, 2).double().eval(), {"weight": MASK, "bias": [0, 1]}
    parameters, methods = dict(layer.named_parameters()), {name: Fixed() for name in masks}
    for name, method in methods.items():
        method._tensor_name = name
        method.put_on(layer, tensor(np.float32(masks[name])))
        parameters[name].array += 1
    hooks = list(layer._forward_pre_hooks.values())
    assert len(hooks) == 2, f"a hook for the weight and one for the bias, not {len(hooks)}"
    own = [method in hooks for method in methods.values()]
    assert own == [True, True], f"the methods themselves (`self`) are the hooks: {own}"
    layer(tensor(drawn(4, 3, dtype=np.float64)))
    for name, mask in masks.items():
        found, wanted = getattr(layer, name).detach().numpy(), parameters[name].array * mask
        assert found.dtype == wanted.dtype, f"{name}_orig is float64, {name} {found.dtype}"
        same(
            found,
            wanted,
            f"{name} must be recomputed before a forward in evaluation mode, too",
        )
    methods["bias"].remove(layer)
    found, wanted = sorted(layer.state_dict()), ["bias", "weight_mask", "weight_orig"]
    assert found == wanted, f"without the mask of the bias: {wanted}, not {found}"
    assert methods["weight"] in layer._forward_pre_hooks.values(), "the weight's hook stays"


def test_a_second_mask_takes_the_place_of_the_first():
    layer, method, parameter = masked_linear(MASK)
    layer._forward_pre_hooks.clear()
    before, second = parameter.array.copy(), np.float32([[1, 1, 0], [0, 0, 1]])
    method.put_on(layer, tensor(second))
    assert layer.weight_orig is parameter, "weight_orig stays the same object"
    same(parameter.array, before, "its numbers stay the same, too")
    same(layer.weight.detach().numpy(), before * second, "the second mask alone counts")
    hooks = len(layer._forward_pre_hooks)
    assert hooks == 1, (
        f"with the first hook removed, a second put_on registers one hook, not {hooks}"
    )
    first, layer = tensor(np.float32(MASK)), Linear(3, 2)
    for mask in (first, tensor(second)):
        method.put_on(layer, mask)
    same(first.numpy(), MASK, "the first mask's numbers stay: another layer may have it, too")


def test_removing_makes_a_parameter_with_zeros():
    layer, method, parameter = masked_linear(MASK)
    parameter.array += 1  # as an optimizer would, with no forward after it
    wanted = parameter.array * np.float32(MASK)
    method.remove(layer)
    kept = method in layer._forward_pre_hooks.values()
    assert kept, "the method's `remove` leaves its hook: its caller removes that"
    layer._forward_pre_hooks.clear()
    names = sorted(layer.state_dict())
    assert names == ["bias", "weight"], f"bias and weight are left, not {names}"
    again = layer.weight is parameter
    assert again, "`remove` must give back the same object that was the parameter before"
    same(parameter.detach().numpy(), wanted, "zeros in it")
    assert layer.weight.requires_grad, "the parameter can be trained, as before pruning"
    assert "weight" not in vars(layer), "the Tensor that was called weight is deleted"


def test_removing_keeps_the_type():
    layer, method = Linear(3, 2), Fixed()
    method._tensor_name = "weight"
    method.put_on(layer, tensor(np.float64(MASK)))
    method.remove(layer)
    kind = layer.weight.array.dtype
    assert kind == np.float32, f"float32 with a float64 mask becomes float32 again, not {kind}"


def test_a_frozen_parameter_stays_frozen():
    layer, method = Linear(3, 2).requires_grad_(False), Fixed()
    method._tensor_name = "weight"
    method.put_on(layer, tensor(np.float32(MASK)))
    assert not layer.weight_orig.requires_grad, "frozen before, weight_orig is frozen too"
    method.remove(layer)
    assert not layer.weight.requires_grad, "frozen before, the parameter stays frozen"


# %% [markdown]
# ## 3. Pruning again
#
# In PyTorch, a share is a share of what is *left*: half of the weights, and then half again, leaves a quarter. The
# second method must not see what has been removed already, or it would take the zeros for the smallest and remove
# nothing new. So a `PruningContainer` holds the methods of a parameter in order, and its `compute_mask` passes only a
# *part* of the scores and of the mask to the last one. Which part depends on the method's `PRUNING_TYPE`:
#
# | `PRUNING_TYPE` | the method sees | |
# |---|---|---|
# | `"unstructured"` | the elements where the mask is 1, as one flat vector | `t[mask == 1]` |
# | `"structured"` | along `method.dim`, the slices whose mask is not all zero | `t[:, alive]` for `dim` 1 |
# | `"global"` | everything | |
#
# The mask that the method returns is written back into that part; the rest of the mask is unchanged.
#
# ```
#   mask  1 0 1 1      t  5 0 1 3      part of t  5 1 3      result for amount=1     1 0 1
#                                                            new mask              1 0 0 1
# ```
#
# <details><summary>Hint 1</summary>Find an index <code>part</code> for each of the three cases, so that the last two
# lines are the same for all: the method gets <code>t[part]</code> and <code>mask[part]</code>, and its result is
# assigned to <code>mask[part]</code> of a copy of <code>t</code>'s type.</details>
# <details><summary>Hint 2</summary>A slice is alive if its mask is not all zero: <code>mask.sum(others) != 0</code>,
# with <code>others</code> all dimensions but <code>dim</code>. A negative <code>dim</code> counts from the end:
# <code>method.dim % t.dim()</code>.</details>
# <details><summary>Hint 3</summary><code>default_mask == 1</code>; <code>(slice(None),) * dim + (alive,)</code>; and
# <code>slice(None)</code> or <code>...</code> for everything. Pass the mask as a keyword argument:
# <code>method.compute_mask(t[part], default_mask=mask[part])</code>.</details>


# %% stub="what-is-left"
#| export
class PruningContainer(BasePruningMethod):
    """The pruning methods of one parameter, in the order in which they were added."""

    def __init__(self, *args):
        self._pruning_methods = ()
        if len(args) == 1:
            self._tensor_name = args[0]._tensor_name
        for method in args:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a method at the end; it has to act on the same parameter."""
        check_method(self, method, BasePruningMethod)
        self._pruning_methods += (method,)

    def compute_mask(self, t, default_mask):
        """Let the last of `self._pruning_methods` prune what is left.

        Args:
            t: the scores, a Tensor; of two dimensions or more if the method is structured.
            default_mask: the mask so far, of t's shape; not changed. Methods keep its type.

        Returns:
            A new mask of t's shape and type.
        """
        method = self._pruning_methods[-1]
        check_pruning_type(method, t)
        ### BEGIN SOLUTION
        mask = default_mask.detach().clone().to(t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            part = default_mask == 1
        elif method.PRUNING_TYPE == "structured":
            dim = method.dim % t.dim()
            others = [d for d in range(t.dim()) if d != dim]
            part = (slice(None),) * dim + (default_mask.sum(others) != 0,)
        else:
            part = ...
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(t.dtype)
        return mask
        ### END SOLUTION


# %% test="what-is-left" points=6
class Recorder(BasePruningMethod):
    """For these tests: removes every second element, or slice, of what it sees."""

    def __init__(self, kind, dim=None):
        self.PRUNING_TYPE, self.dim, self._tensor_name = kind, dim, "weight"

    def compute_mask(self, t, default_mask):
        self.seen = t.detach().numpy().copy(), default_mask.numpy().copy()
        mask = default_mask.detach().clone()
        if self.PRUNING_TYPE == "structured":
            mask[(slice(None),) * (self.dim % t.dim()) + (slice(None, None, 2),)] = 0
        else:
            mask.view(-1)[::2] = 0
        return mask


def combined(method, t, mask):
    container = PruningContainer(Recorder("global"))
    container.add_pruning_method(method)
    t, mask = tensor(t, requires_grad=True), tensor(np.float32(mask))
    kept = t.detach().numpy().copy(), mask.numpy().copy()
    found = container.compute_mask(t, default_mask=mask)
    same(mask.numpy(), kept[1], "default_mask is the caller's")
    same(t.detach().numpy(), kept[0], "t is the caller's")
    assert not found.requires_grad, "a mask has no gradient"
    return found.numpy()


def test_elements_that_have_gone_are_not_seen_again():
    for shape, seed in [((3, 4), 0), ((2, 3, 4), 1), ((9,), 2)]:
        t, mask = drawn(*shape, seed=seed), (drawn(*shape, seed=seed + 9) > -0.3) * 1.0
        left = np.flatnonzero(mask)
        t.reshape(-1)[left[0]] = 0  # a score, and no mask
        wanted = mask.copy()
        wanted.reshape(-1)[left[::2]] = 0
        method = Recorder("unstructured")
        found = combined(method, t, mask)
        message = f"shape {shape}: the method sees the {len(left)} scores where the mask is 1"
        same(method.seen[0], t.reshape(-1)[left], message)
        message = (
            f"shape {shape}: the method gets the {len(left)} elements of the mask that are 1"
        )
        same(method.seen[1], np.ones(len(left)), message)
        message = f"shape {shape}: the result goes where the mask was 1, the rest stays"
        same(found, wanted, message)


def test_slices_that_are_all_zero_are_not_seen_again():
    for shape, dim, gone in [
        ((5, 3), 0, 2),
        ((3, 5), 1, 0),
        ((2, 4, 5), -1, 3),
        ((4, 5, 2), -2, 1),
    ]:
        t, mask = drawn(*shape, seed=dim + 9), np.ones(shape, np.float32)
        alive = [i for i in range(shape[dim]) if i != gone]
        np.moveaxis(t, dim, 0)[alive[0]] = 0  # scores, and no mask
        np.moveaxis(mask, dim, 0)[[gone, alive[-1]]] = 0
        mask.reshape(-1)[[0, -1]] = 0, 1  # the last slice is still alive
        wanted = mask.copy()
        np.moveaxis(wanted, dim, 0)[alive[::2]] = 0
        seen = np.take(t, alive, dim), np.take(mask, alive, dim)
        method = Recorder("structured", dim)
        found = combined(method, t, mask)
        about = f"shape {shape}, dim={dim}, slice {gone} was removed"
        same(method.seen[0], seen[0], f"scores seen, {about}")
        same(method.seen[1], seen[1], f"mask seen, {about}")
        same(found, wanted, f"new mask, {about}")


def test_global_methods_see_everything():
    t, mask = drawn(3, 4), (drawn(3, 4, seed=5) > 0) * np.float32(1)
    method = Recorder("global")
    wanted = mask.copy()
    wanted.reshape(-1)[::2] = 0
    found = combined(method, t, mask)
    same(method.seen[0], t, "all scores are seen")
    same(method.seen[1], mask, "the whole mask is seen")
    same(found, wanted, "global: the method's result is the mask")
    method = Recorder("global")
    method.compute_mask = lambda t, default_mask: tensor(np.float32(MASK))
    found = combined(method, drawn(2, 3), np.zeros((2, 3), np.float32))
    same(found, MASK, "global: the mask is what the method returns, whatever the mask was")


def test_the_last_method_is_asked():
    first, second = Recorder("unstructured"), Recorder("unstructured")
    container = PruningContainer(first)
    container.add_pruning_method(second)
    container.compute_mask(
        tensor(drawn(2, 3)), default_mask=tensor(np.ones((2, 3), np.float32))
    )
    assert not hasattr(first, "seen"), "the first method's result is in the mask already"
    assert hasattr(second, "seen"), "the last method prunes"


def test_the_mask_has_the_type_of_the_scores():
    mask = tensor(np.ones((2, 3), np.float32))
    for t in (tensor(drawn(2, 3, dtype=np.float64)), tensor(drawn(2, 3)).half()):
        for kind in ("unstructured", "structured", "global"):
            found = PruningContainer(Recorder(kind, 0)).compute_mask(t, default_mask=mask)
            assert found.dtype == t.dtype, f"{kind}: scores {t.dtype}, mask {found.dtype}"


def test_a_new_mask_is_returned_although_nothing_goes():
    kinds, nothing = ("unstructured", "structured", "global"), [[0, 0, 0], [0, 0, 0]]
    for kind, before in [(kind, mask) for mask in (MASK, nothing) for kind in kinds]:
        method, mask = Fixed(), tensor(np.float32(before))
        method.PRUNING_TYPE, method.dim, method._tensor_name = kind, 0, "weight"
        found = PruningContainer(method).compute_mask(tensor(drawn(2, 3)), default_mask=mask)
        same(found.numpy(), before, f"{kind}, {before}: a method that removes nothing")
        shared = np.shares_memory(found.numpy(), mask.numpy())
        assert not shared, (
            f"{kind}: the new mask must not be default_mask {before}, or share its memory"
        )


# %% [markdown]
# The rest of `torch.nn.utils.prune` is given: the methods and functions with PyTorch's names, and `apply`, which puts a
# method on a parameter by your `put_on`, or into a container if there is one already.

# %%
#| export
from tinytorch.given.compression.methods import *
from tinytorch.given.compression.shapes import *

# %% [markdown]
# Half, then half of what is left, with PyTorch's names:

# %%
layer = Linear(4, 3)
for _ in range(2):
    l1_unstructured(layer, "weight", amount=0.5)
    print(f"{int(layer.weight_mask.sum()):2} of 12 weights are left")
print(list(layer.state_dict()))

# %% [markdown]
# ## 4. Over all layers at once
#
# Is it fair to remove 80 % from each layer? The first has 8,192 weights, the last 1,280, and these decide between the
# ten digits. Put the scores of all layers into one vector, prune that, and split the mask again: each layer then loses
# the weights that are small in comparison with *all* weights.
#
# ```
#   fc1.weight (2, 3)      fc2.weight (1, 2)
#   5 1 4 | 2 9 6          8 3
#   \_______ one vector of 8 scores, one of 8 masks, one compute_mask: ______/
#   5 1 4 2 9 6 8 3        amount=3 removes 1, 2, 3
#   1 0 1 0 1 1 1 0        cut at 6, shaped (2, 3) and (1, 2)
# ```
#
# A parameter that has a mask already contributes it, so that a second call counts from what is left in total. Given are
# `container`, which prunes what is left; `scores`, a dict (empty for None); and `custom_from_mask`, which applies a
# mask.
#
# <details><summary>Hint 1</summary><code>cat([...])</code> concatenates flat tensors, <code>x.reshape(-1)</code>
# flattens them. The scores of a pair are <code>scores.get((module, name), getattr(module, name))</code>.</details>
# <details><summary>Hint 2</summary>The mask so far is <code>getattr(module, name + "_mask", ...)</code>, or ones like
# the weight where there is none. The new one is <code>container.compute_mask(all_scores, all_masks)</code>.</details>
# <details><summary>Hint 3</summary><code>mask.split(sizes)</code>, with the list of the parameters'
# <code>numel()</code>, gives the pieces; <code>piece.view(weight.shape)</code> is the mask for
# <code>custom_from_mask(module, name, mask)</code>.</details>


# %% stub="global"
#| export
def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune parameters of several layers together, as if they were one vector; return None.

    Args:
        parameters: pairs (module, name), such as (model.fc1, "weight").
        pruning_method: a class such as `L1Unstructured`, which prunes single elements.
        importance_scores: a dict, not changed: pairs, and tensors of the parameters' shapes;
            a parameter that is not in it, or every one for None, is scored by its own numbers.
        kwargs: arguments of the method, such as amount=0.5 or amount=100, counted from
            all elements that are left.

    >>> a, b = Linear(3, 1, bias=False), Linear(2, 1, bias=False)
    >>> a.weight.array[...], b.weight.array[...] = [5, 1, 4], [2, 9]
    >>> global_unstructured([(a, "weight"), (b, "weight")], L1Unstructured, amount=2)
    >>> a.weight_mask.tolist(), b.weight_mask.tolist()
    ([[1.0, 0.0, 1.0]], [[0.0, 1.0]])
    """
    parameters, container, scores = check_parameters(
        parameters, pruning_method, importance_scores, kwargs
    )
    ### BEGIN SOLUTION
    weights = [getattr(module, name) for module, name in parameters]
    all_scores = cat([scores.get(p, w).reshape(-1) for p, w in zip(parameters, weights)])
    masks = [
        getattr(module, f"{name}_mask", ones_like(w))
        for (module, name), w in zip(parameters, weights)
    ]
    mask = container.compute_mask(all_scores, cat([m.reshape(-1) for m in masks]))
    pieces = mask.split([w.numel() for w in weights])
    for (module, name), w, piece in zip(parameters, weights, pieces):
        custom_from_mask(module, name, mask=piece.view(w.shape))
    ### END SOLUTION


# %% test="global" points=7
class Smallest(BasePruningMethod):
    """For these tests: removes the smallest magnitudes, without your mask."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        self.amount = amount

    def compute_mask(self, t, default_mask):
        count = round(self.amount * len(t)) if isinstance(self.amount, float) else self.amount
        ranks = t.detach().abs().argsort().argsort()
        return default_mask * (ranks >= count)


class Negative(BasePruningMethod):
    """For these tests: removes what is below 0."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask * (t.detach() >= 0)


def prune(pairs, method, **options):
    """Call `global_unstructured`, and say so if what it calls refuses what it was given."""
    try:
        return global_unstructured(pairs, method, **options)
    except AssertionError as error:
        message = f"a function that `global_unstructured` calls refuses its arguments: {error}"
        raise ValueError(message).with_traceback(error.__traceback__) from None


def three_layers(seed=0):
    """Layers whose weights are of different sizes, and the pairs."""
    layers = [Linear(4, 3), Linear(2, 5), Conv2d(2, 3, 2)]
    for number, layer in enumerate(layers):
        layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed + number) * 3**number
    return layers, [(layer, "weight") for layer in layers]


def masks_of(layers, scores, gone, before=None):
    """The expected masks when the `gone` smallest scores of all are removed."""
    flat = np.concatenate([np.abs(s).ravel() for s in scores])
    if before is not None:
        flat[np.concatenate([m.ravel() for m in before]) == 0] = -1  # gone first
    mask = np.ones(len(flat))
    mask[np.argsort(flat)[:gone]] = 0
    ends = np.cumsum([s.size for s in scores])[:-1]
    return [part.reshape(s.shape) for part, s in zip(np.split(mask, ends), scores)]


def check_masks(layers, wanted, about):
    bare = [tuple(e.weight.shape) for e in layers if not hasattr(e, "weight_mask")]
    assert bare == [], f"{about}: the layers of {bare} have no mask"
    for layer, mask in zip(layers, wanted):
        found, shape = layer.weight_mask.numpy(), tuple(layer.weight.shape)
        assert found.shape == shape, f"{about}: weight {shape}, mask {found.shape}"
        same(found, mask, f"{about}, the layer of {shape}")
        masked = layer.weight_orig.array * mask
        same(layer.weight.detach().numpy(), masked, about)


def test_the_smallest_of_all_layers_go():
    for amount, gone in ((20, 20), (0.25, 12), (0, 0)):
        layers, pairs = three_layers()
        layers[1].weight.array[0, 0] = 0  # with no mask
        wanted = masks_of(layers, [layer.weight.array.copy() for layer in layers], gone)
        found = prune(pairs, Smallest, amount=amount)
        assert found is None, f"nothing is returned, not {found!r}"
        check_masks(layers, wanted, f"amount={amount} of 46 weights")


def test_a_second_call_counts_from_what_is_left():
    layers, pairs = three_layers(seed=3)
    weights = [layer.weight.array.copy() for layer in layers]
    first = masks_of(layers, weights, 23)
    second = masks_of(layers, weights, 23 + 12, before=first)
    prune(pairs, Smallest, amount=0.5)
    prune(pairs, Smallest, amount=0.5)
    check_masks(layers, second, "half of 46, then half of 23, rounded to 12")
    for layer, w in zip(layers, weights):
        same(layer.weight_orig.array, w, "two calls: weight_orig keeps what is masked")
    hooks = [len(layer._forward_pre_hooks) for layer in layers]
    assert hooks == [1, 1, 1], f"one hook on each weight after two calls, not {hooks}"


def test_a_mask_from_elsewhere_is_kept():
    layers, pairs = three_layers(seed=5)
    weights = [layer.weight.array.copy() for layer in layers]
    first = [np.ones(w.shape) for w in weights]
    first[0].reshape(-1)[np.abs(weights[0]).argmax()] = 0  # the largest of the first layer
    wanted = masks_of(layers, weights, 1 + 9, before=first)
    custom_from_mask(layers[0], "weight", tensor(np.float32(first[0])))
    prune(pairs, Smallest, amount=9)
    check_masks(layers, wanted, "9 weights, one of the others was removed before")


def test_a_mask_of_the_bias_is_none_of_the_weight():
    layers, pairs = three_layers(seed=5)
    wanted = masks_of(layers, [layer.weight.array.copy() for layer in layers], 9)
    prune([(layers[0], "bias")], Smallest, amount=1)
    prune(pairs, Smallest, amount=9)
    check_masks(layers, wanted, "9 weights; before, an element of a bias was removed")


def test_scores_may_come_from_elsewhere():
    layers, pairs = three_layers(seed=6)
    scores = [layer.weight.array.copy() for layer in layers]
    scores[1] = drawn(*scores[1].shape, seed=20) * 100
    wanted = masks_of(layers, scores, 15)
    importance = {pairs[1]: tensor(scores[1].T.copy()).T}  # of the shape, not contiguous
    prune(pairs, Smallest, importance_scores=importance, amount=15)
    check_masks(layers, wanted, "scores for the second layer only")
    count = len(importance)
    assert count == 1, f"importance_scores is the caller's: of 1 entry, it now has {count}"


def test_the_method_sees_the_signs():
    layers, pairs = three_layers(seed=7)
    wanted = [(layer.weight.array >= 0) * 1.0 for layer in layers]
    prune(pairs, Negative)
    check_masks(layers, wanted, "a method that removes whatever is below 0")


def test_other_methods_and_names_are_passed_on():
    layers, _ = three_layers()
    pairs = [(layers[0], "bias"), (layers[2], "bias"), (layers[1], "weight")]
    manual_seed(0)
    for amount, wanted in ((7, 7), (9, 16)):
        prune(iter(pairs), RandomUnstructured, amount=amount)
        gone = sum(int((getattr(m, f"{n}_mask").numpy() == 0).sum()) for m, n in pairs)
        assert gone == wanted, (
            f"7 of 16 elements are removed, then the other 9: {wanted}, not {gone}"
        )
    assert "weight_mask" not in layers[0]._buffers, "only the named parameters are pruned"


# %% [markdown]
# Compare: the same share from each layer, or from all layers at once, without training afterwards.


# %%
def with_masks(model, share, method=L1Unstructured, layerwise=False, scores=None):
    """A copy with masks on the weights of its two layers."""
    model = copy.deepcopy(model)
    pairs = [(model[1], "weight"), (model[3], "weight")]
    importance = None if scores is None else dict(zip(pairs, scores))
    for part in [[pair] for pair in pairs] if layerwise else [pairs]:
        global_unstructured(part, method, importance, amount=share)
    return model


for share in (0.5, 0.8, 0.9, 0.95):
    layerwise, at_once = with_masks(mlp, share, layerwise=True), with_masks(mlp, share)
    first, last = (100 * float(at_once[i].weight_mask.mean()) for i in (1, 3))
    print(f"{share:4.0%} zeros: {right(layerwise):5.1f} % right layer by layer, ", end="")
    print(f"{right(at_once):5.1f} % at once ({first:.0f} % of the first layer and ", end="")
    print(f"{last:.0f} % of the last are left)")

# %% [markdown]
# Global pruning is better for most of these shares, because the last layer can keep more of its weights. Now look at
# what is kept of the first layer. And try another score: what counts in the sum is the magnitude of $w_j x_j$, so
# multiply each weight by the root mean square of its input over the training images (as Sun et al., 2024, do to prune
# language models). Pass the scores as `importance_scores`.


# %%
def scores_with_inputs(model):
    """|weight| times the root mean square of its input, for both layers."""
    with no_grad():
        inputs = model[0](images)
        hidden = model[2](model[1](inputs))
        pairs = (model[1].weight, inputs), (model[3].weight, hidden)
        return [w.detach().abs() * (x**2).mean(0).sqrt() for w, x in pairs]


scores = scores_with_inputs(mlp)
for share in (0.5, 0.8, 0.9, 0.95):
    print(f"{share:4.0%} zeros: {right(with_masks(mlp, share)):5.1f} % by magnitude, ", end="")
    print(f"{right(with_masks(mlp, share, scores=scores)):5.1f} % by magnitude times input")
_, axes = plt.subplots(1, 3, figsize=(11, 2.6), layout="constrained", width_ratios=(2, 1, 1))
draw_masks(axes, with_masks(mlp, 0.9)[1], with_masks(mlp, 0.9, scores=scores)[1])
plt.show()

# %% [markdown]
# On the left is the mask of the first layer at 90 %, in the middle how many units still read each of the 8 x 8 pixels.
# By magnitude, the pixels of the margin keep many weights, although they are blank in nearly every image: these weights
# are as large as the others, because the size of Adam's steps hardly depends on the size of the gradient. Magnitude
# ignores the input. In the right-hand plot the score includes the input, and the weights of the margin are pruned
# first.
#
# ### Further training, with a control
#
# Now train the pruned network further, and the *dense* one for just as long: without that row you could not tell how
# much of a gain comes from the training alone. Third column: as many weights removed at random, then trained further.


# %%
def trained_on(model, epochs=8, **options):
    """Train a model further with a lower rate, and return it."""
    manual_seed(1)
    return train(model, epochs, lr=0.003, **options)


dense = trained_on(copy.deepcopy(mlp))
print(f"dense {right(mlp):5.1f} %, trained on for 8 epochs {right(dense):5.1f} % right")
masked = {}
for share in (0.8, 0.9, 0.95):
    model, random = with_masks(mlp, share), with_masks(mlp, share, RandomUnstructured)
    print(f"{share:4.0%} zeros {right(model):5.1f} %, ", end="")
    masked[share] = trained_on(model)
    print(f"trained on {right(masked[share]):5.1f} %; random weights, ", end="")
    print(f"trained on {right(trained_on(random)):5.1f} %")
zeros = np.mean(masked[0.9][1].weight.detach().numpy() == 0)
print(f"after training, {zeros:.1%} of the first layer are zero in the model of 90 %")

# %% [markdown]
# "90 % of the weights for free" is possible for large networks (Han et al., 2015, removed 89 % from AlexNet), but not
# for this one: four fifths cost little, and beyond that each step costs more. The control shows how much of the gain
# comes from the extra training alone: almost none here. And a held-out digit is 0.28 points: with one seed, half a
# point means nothing.
#
# ## 5. Gradual pruning
#
# At 95 % the damage is too large to be repaired afterwards. Prune during training instead: a lot at first, when there
# are many useless weights, then less and less (Zhu and Gupta, 2017). The share of zeros after step $t$ is
#
# $$s(t) = s_f \left(1 - \Big(1 - \frac{t - t_0}{t_1 - t_0}\Big)^3\right), \qquad t_0 \le t \le t_1$$
#
# 0 before $t_0$ = `begin`, and $s_f$ = `final` after $t_1$ = `end`.
#
# Weights are removed at the steps $t_0, t_0 + e, t_0 + 2e, ...$ with $e$ = `every`, and finally at $t_1$. There is a
# trap in the counting: $s(t)$ is a share of *all* weights, while an amount is a share of what is left. So count how
# many should be masked and how many already are (`masked_out`, given), and pass the difference as an integer.
#
# <details><summary>Hint 1</summary>Clip the fraction to 0..1 by <code>min</code> and <code>max</code>, and the three
# cases become one.</details>
# <details><summary>Hint 2</summary><code>step</code> counts first. Two kinds of steps prune: <code>end</code>, and
# those from <code>begin</code> to <code>end</code> whose distance from <code>begin</code> is a multiple of
# <code>every</code>.</details>
# <details><summary>Hint 3</summary><code>masked_out(self.parameters)</code> returns how many are masked and how many
# there are. <code>round</code> the number that should be masked, and call <code>global_unstructured</code> with
# <code>L1Unstructured</code> and the difference, if it is positive.</details>


# %% stub="schedule"
#| export
class PruningSchedule:
    """Prune the smallest weights of some parameters gradually during training.

    s(t) = final (1 - (1 - (t - begin) / (end - begin))³)

    Args:
        parameters: pairs (module, name).
        final: the share of all elements that are zero in the end.
        end: the step at which that is reached.
        begin: the step before which nothing is pruned; less than `end`.
        every: how many steps there are from one pruning to the next.

    `step()` is called after each step of the optimizer; `steps` counts these calls.
    """

    def __init__(self, parameters, final, end, begin=0, every=1):
        check_amount(float(final))
        if not begin < end or every < 1:
            raise ValueError(f"begin={begin} < end={end} and every={every} >= 1 are wanted")
        self.parameters, self.final, self.steps = list(parameters), final, 0
        self.begin, self.end, self.every = begin, end, every

    def share_at(self, step):
        """The share of zeros that is wanted after a step: 0 before begin, final after end."""
        ### BEGIN SOLUTION
        progress = min(max((step - self.begin) / (self.end - self.begin), 0), 1)
        return self.final * (1 - (1 - progress) ** 3)
        ### END SOLUTION

    def step(self):
        """Count a step; at begin, begin + every, ... and at end, prune up to the share.

        The smallest elements of all parameters are removed, until round(share * elements) are
        masked, including those that were masked before. If so many are, no mask is put on.
        """
        ### BEGIN SOLUTION
        self.steps += 1
        regular = (self.steps - self.begin) % self.every == 0
        if self.steps == self.end or (self.begin <= self.steps < self.end and regular):
            gone, total = masked_out(self.parameters)
            missing = round(self.share_at(self.steps) * total) - gone
            if missing > 0:
                global_unstructured(self.parameters, L1Unstructured, amount=missing)
        ### END SOLUTION


# %% test="schedule" points=7
def shares(schedule, steps):
    """Zeros of 100 in 46 weights after each step, while the weights change."""
    found = []
    for _ in range(steps):
        for module, name in schedule.parameters:
            getattr(module, f"{name}_orig", getattr(module, name)).array[...] *= 1.01
        schedule.step()
        found.append(masked_out(schedule.parameters)[0])
    return found


def wanted_shares(final, end, begin, every, steps):
    found, last = [], 0
    for t in range(1, steps + 1):
        if begin <= t <= end and ((t - begin) % every == 0 or t == end):
            left = 1 - (t - begin) / (end - begin)
            last = round(final * (1 - left * left * left) * 46)
        found.append(last)
    return found


def test_the_share_follows_the_cubic_law():
    schedule = PruningSchedule(three_layers()[1], 0.8, end=50, begin=10)
    for step, wanted in [(0, 0), (9, 0), (10, 0), (30, 0.7), (20, 0.4625), (40, 0.7875),
                         (50, 0.8), (51, 0.8), (1000, 0.8)]:  # fmt: skip
        found = schedule.share_at(step)
        message = f"final=0.8, begin=10, end=50: share {wanted} at step {step}, not {found}"
        assert np.isclose(found, wanted), message
    schedule = PruningSchedule(three_layers()[1], 0.5, end=4)
    found, wanted = schedule.share_at(1), 0.5 * (1 - 27 / 64)
    assert np.isclose(found, wanted), f"final=0.5, end=4: {wanted} at step 1, not {found}"


def test_zeros_are_counted_from_all_weights():
    for final, end, begin, every, steps in [
        (0.8, 9, 0, 1, 12), (0.9, 13, 3, 4, 15), (0.7, 10, 2, 3, 14), (0.5, 6, 1, 9, 8),
        (0.6, 20, 10, 4, 22),
    ]:  # fmt: skip
        wanted = wanted_shares(final, end, begin, every, steps)
        schedule = PruningSchedule(three_layers()[1], final, end, begin, every)
        found = shares(schedule, steps)
        about = f"final={final}, end={end}, begin={begin}, every={every}"
        message = f"zeros among 46 weights, round(share * 46) at a pruning step: {about}"
        same(found, wanted, message)
        assert schedule.steps == steps, f"{steps} calls were counted as {schedule.steps}"


def test_masks_that_were_there_count():
    layers, pairs = three_layers(seed=8)
    l1_unstructured(layers[2], "weight", amount=18)
    schedule = PruningSchedule(pairs, 0.5, end=4)
    found = shares(schedule, 5)
    message = f"18 were masked, more than step 1 wants; 23 of 46 in the end; found {found}"
    assert found == [18, 20, 23, 23, 23], message
    layer = Linear(10, 10)
    schedule = PruningSchedule([(layer, "weight")], 0.5, end=2)
    found = shares(schedule, 1)
    l1_unstructured(layer, "weight", amount=20)
    found += shares(schedule, 1)
    message = (
        f"44 of 100 go, then the test masks 20 more; step 2 wants 50, so 64 stay: {found}"
    )
    assert found == [44, 64], message


def test_the_number_of_zeros_is_rounded_not_what_is_missing():
    for size, before, wanted in ((5, 0, 2), (3, 1, 2), (7, 2, 4)):
        layer = Linear(size, 1)
        if before:
            l1_unstructured(layer, "weight", amount=before)
        found = shares(PruningSchedule([(layer, "weight")], 0.5, end=1), 1)
        message = f"half of {size}, {before} masked before: round({size / 2}) are masked"
        assert found == [wanted], f"{message}, {wanted}, not {found[0]}"


def test_a_weight_that_is_zero_without_a_mask_does_not_count():
    layers, pairs = three_layers(seed=8)
    layers[1].weight.array[:3] = 0  # six of 46
    found = shares(PruningSchedule(pairs, 0.5, end=4), 4)
    message = "six of 46 weights are 0, none is masked at first: masked after steps 1 to 4"
    assert found == [13, 20, 23, 23], f"{message} are [13, 20, 23, 23], not {found}"


def test_the_smallest_of_all_layers_go_step_by_step():
    layers, pairs = three_layers(seed=9)
    weights = [layer.weight.array.copy() for layer in layers]
    wanted = masks_of(layers, weights, 37)
    schedule = PruningSchedule(pairs, 0.8, end=5)
    for _ in range(7):
        schedule.step()
    check_masks(layers, wanted, "80 % of 46 in five steps, with weights that stay")


def test_before_the_beginning_and_after_the_end_no_mask_is_put_on():
    layers, pairs = three_layers()
    schedule = PruningSchedule(pairs, 0.5, end=6, begin=4)
    shares(schedule, 4)
    pruned = [str(layer) for layer in layers if is_pruned(layer)]
    assert pruned == [], f"up to begin no mask is put on, yet {pruned} are pruned"
    shares(schedule, 2)
    for module, name in pairs:
        remove(module, name)
    schedule.step()
    pruned = [str(layer) for layer in layers if is_pruned(layer)]
    assert pruned == [], (
        f"masks removed after the end must stay removed, yet {pruned} are pruned"
    )


# %% [markdown]
# The same eight epochs, 184 steps: once with all of the pruning beforehand, and once by the schedule.

# %%
gradual, steps = {}, 184
for share in (0.9, 0.95):
    model = copy.deepcopy(mlp)
    pairs = [(model[1], "weight"), (model[3], "weight")]
    schedule = PruningSchedule(pairs, share, end=120, every=5)
    gradual[share] = trained_on(model, schedule=schedule)
    gone, total = masked_out(pairs)
    print(f"{gone / total:.1%} zeros: at once {right(masked[share]):5.1f} % right, ", end="")
    print(f"by the schedule {right(gradual[share]):5.1f} % (dense {right(dense):.1f} %)")
draw_schedule(plt.subplots(figsize=(6, 2.4), layout="constrained")[1], schedule, steps)
plt.show()

# %% [markdown]
# ### Winning tickets
#
# A network with this few weights, trained from new random numbers, is worse than one that was pruned. Unless it begins
# with the right numbers: Frankle and Carbin (2019) keep the mask of the *trained* network, *rewind* what is left to the
# weights from which the training began, and train again. A mask and its start are a winning ticket if that gets as far
# as the dense network. It is looked for in rounds: train, remove a share of what is left, the same in every round, and
# rewind. Derive that share from the one that is wanted in the end.
#
# <details><summary>Hint 1</summary>After a round a share of 1 - e is left of what there was, after two (1 - e)². After
# all <code>rounds</code>, 1 - <code>share</code> should be left: solve for e.</details>
# <details><summary>Hint 2</summary>A parameter that is pruned is called <code>weight_orig</code> in
# <code>named_parameters()</code>, and <code>weight</code> in the model without masks:
# <code>name.removesuffix("_orig")</code>. Copy the numbers into the array that is there.</details>
# <details><summary>Hint 3</summary>When in a round is it known which weights are small? With which numbers should the
# next round begin? e is the amount for <code>global_unstructured</code>.</details>


# %% stub="ticket"
#| export
def rewind(model, start):
    """Give the parameters of a model the values that they have in `start`, and nothing else.

    Masks, other buffers and the Parameters themselves stay. Pruned parameters have their
    numbers in `*_orig`; the next forward recomputes their product with the mask. `start` has
    the same layers without masks, and is only read.

    >>> start, model = Linear(2, 1), Linear(2, 1)
    >>> _ = custom_from_mask(model, "weight", mask=tensor([[1.0, 0.0]]))
    >>> rewind(model, start)
    >>> model.weight_orig.tolist() == start.weight.tolist(), model.weight_mask.tolist()
    (True, [[1.0, 0.0]])
    """
    ### BEGIN SOLUTION
    values = dict(start.named_parameters())
    for name, parameter in model.named_parameters():
        parameter.array[...] = values[name.removesuffix("_orig")].array
    ### END SOLUTION


#| export
def find_ticket(start, names, train, share, rounds):
    """Prune a model in rounds, each of which ends with the weights of the start.

    A round trains the model, removes the same share of what is left, the smallest of all named
    parameters together, and rewinds.

    Args:
        start: a model before its training; it is only read.
        names: which parameters are pruned, such as "1.weight".
        train: a function that trains a model in place.
        share: the share of zeros after the last round, below 1.
        rounds: how many, at least 1.

    Returns:
        A copy of `start` with masks.

    >>> ticket = find_ticket(Sequential(Linear(4, 2)), ["0.weight"], lambda m: None, 0.75, 2)
    >>> ticket[0].weight_mask.sum()
    tensor(2.)
    """
    model, places = copy.deepcopy(start), (name.rpartition(".") for name in names)
    pairs = [(model.get_submodule(path), name) for path, _, name in places]
    ### BEGIN SOLUTION
    each = 1 - (1 - share) ** (1 / rounds)
    for _ in range(rounds):
        train(model)
        global_unstructured(pairs, L1Unstructured, amount=each)
        rewind(model, start)
    return model
    ### END SOLUTION


# %% test="ticket" points=7
def two_layers(seed=0):
    """Two Linear layers in a row, with numbers of this seed."""
    model = Sequential(Linear(5, 4), ReLU(), Linear(4, 3))
    for number, parameter in enumerate(model.parameters()):
        parameter.array[...] = drawn(*parameter.shape, seed=10 * seed + number)
    return model


def numbers_of(model):
    """The numbers of all parameters, by the names that they have without masks."""
    return {n.removesuffix("_orig"): p.array.copy() for n, p in model.named_parameters()}


def same_numbers(found, wanted, about):
    for name in wanted:
        same(found[name], wanted[name], f"{about}: {name}")


def test_a_rewound_model_has_the_numbers_of_the_start_and_its_own_masks():
    start, model = two_layers(1), two_layers(2)
    for seed, each in enumerate((start, model)):  # the first ends in a letter of "_orig"
        for name in ("factor", "an_original"):
            each.register_parameter(name, Parameter(tensor(drawn(3, seed=seed))))
        each.add_module("norm", BatchNorm1d(3))
        each.norm.running_mean.array[...] = seed
    parameters = [*model.parameters()]
    model[2].weight.requires_grad_(False)  # frozen, and rewound like the others
    masks = np.float32(drawn(4, 5) > 0), np.float32([1, 0, 1])
    custom_from_mask(model[0], "weight", tensor(masks[0]))
    custom_from_mask(model[2], "bias", tensor(masks[1]))
    custom_from_mask(model, "factor", tensor(masks[1]))
    wanted = numbers_of(start)
    rewind(model, start)
    same_numbers(numbers_of(model), wanted, "every parameter, pruned or not, is rewound")
    count = sum(any(p is old for old in parameters) for p in model.parameters())
    message = "parameters stay the same objects, which an optimizer holds"
    assert count == len(parameters), f"{message}: {count} of {len(parameters)}"
    same(model.norm.running_mean.numpy(), 1, "a running mean is no parameter, and stays")
    same(model[0].weight_mask.numpy(), masks[0], "the masks stay")
    same(model[2].bias_mask.numpy(), masks[1], "the masks stay")
    for parameter in model.parameters():
        parameter.array += 1
    same_numbers(
        numbers_of(start), wanted, "what happens to the model later is not the start's"
    )


def mask_at(model, place):
    """The mask of a parameter, such as "0.weight"."""
    path, _, name = place.rpartition(".")
    assert hasattr(model.get_submodule(path), f"{name}_mask"), f"{place} has no mask"
    return getattr(model.get_submodule(path), f"{name}_mask").numpy()


class Training:
    """Stands in for a training: notes what it is given, and puts known numbers there."""

    def __init__(self):
        self.began, self.masks, self.numbers = [], [], []

    def __call__(self, model):
        self.began.append(numbers_of(model))
        self.masks.append([int(b.array.sum()) for _, b in model.named_buffers()])
        for number, parameter in enumerate(model.parameters()):
            parameter.array[...] = drawn(*parameter.shape, seed=100 * len(self.began) + number)
        with no_grad():
            model(tensor(np.zeros((1, 5), np.float32)))  # which makes the masked weights
        self.numbers.append(numbers_of(model))


def expected_masks(trained, names, share, rounds):
    """The masks that remove the smallest of what is left, round by round."""
    left = np.ones(sum(trained[0][name].size for name in names))
    for numbers in trained:
        flat = np.abs(np.concatenate([numbers[name].ravel() for name in names]))
        gone = round((1 - (1 - share) ** (1 / rounds)) * int(left.sum()))
        left[np.argsort(np.where(left == 1, flat, np.inf))[:gone]] = 0
    ends = np.cumsum([trained[0][name].size for name in names])[:-1]
    return [m.reshape(trained[0][n].shape) for m, n in zip(np.split(left, ends), names)]


def test_a_ticket_is_found_in_rounds_each_from_the_start():
    for share, rounds, names in [
        (0.7, 2, ["0.weight", "2.weight"]), (0.6, 3, ["0.bias", "0.weight"]),
        (0.9, 4, ["0.weight", "2.weight"]), (0.5, 1, ["2.weight"]),
        (0.0, 2, ["0.weight"]), (0.2, 2, ["0.weight", "2.weight"]),
    ]:  # fmt: skip
        start, training = two_layers(3), Training()
        before = numbers_of(start)
        found = find_ticket(start, names, training, share, rounds)
        case = f"share={share}, rounds={rounds}, {names}"
        count = len(training.began)
        assert count == rounds, f"{case}: the model is trained once a round, not {count} times"
        for number, began in enumerate(training.began):
            same_numbers(began, before, f"{case}: training {number + 1} begins at the start")
        masks = expected_masks(training.numbers, names, share, rounds)
        has = [mask_at(found, name) for name in names]
        left, of = (int(sum(mask.sum() for mask in each)) for each in (has, masks))
        assert left == of, f"{case}: {of} elements are left after the last round, not {left}"
        for name, mask, one in zip(names, masks, has):
            same(
                one, mask, f"{case}: the mask of {name} keeps the largest after each training"
            )
        same_numbers(numbers_of(found), before, f"{case}: the ticket has the start's numbers")
        same_numbers(numbers_of(start), before, f"{case}: the start is only read")
        assert not is_pruned(start), f"{case}: the start has no masks"


def test_what_is_left_is_trained_with_the_masks_so_far():
    training = Training()
    find_ticket(two_layers(4), ["0.weight", "2.weight"], training, 0.875, 3)
    found = [sum(masks) for masks in training.masks]
    wanted = [0, 16, 8]
    assert found == wanted, (
        "7 of 8 in three rounds of a half: the masks of the second and third training leave "
        f"16 and 8 of 32 weights, {wanted}, not {found}"
    )


# %% [markdown]
# If a ticket is trained to a better network than others of its size, why? Because of its mask, or of the numbers from
# which it begins? Two controls tell these apart: the same mask on *other* starting weights; and the same weights with a
# mask that leaves as many in each layer, but in *other* places. Write both.
#
# <details><summary>Hint 1</summary>The masks are buffers: <code>named_buffers()</code> gives them as
# <code>"1.weight_mask"</code>. <code>custom_from_mask(module, name, mask)</code> puts one on.</details>
# <details><summary>Hint 2</summary>From that name you need <code>"1"</code>, for <code>get_submodule</code>, and
# <code>"weight"</code>: <code>removesuffix</code>, then <code>rpartition(".")</code>.</details>
# <details><summary>Hint 3</summary>All elements of a mask change places: flatten it, index by
# <code>randperm(mask.numel())</code>, and give it its shape again.</details>


# %% stub="control"
#| export
def put_masks(pruned, model, shuffled=False):
    """Return a copy of a model, with the masks of another that has the same layers.

    Args:
        pruned, model: a model with masks, and one without; the copy has its own memory.
        shuffled: whether the elements of each mask change places, drawn by `randperm` for
            each: as many are left in each parameter, but others.
    """
    model = copy.deepcopy(model)
    ### BEGIN SOLUTION
    for place, mask in pruned.named_buffers():
        if place.endswith("_mask"):
            path, _, name = place.removesuffix("_mask").rpartition(".")
            if shuffled:
                mask = mask.view(-1)[randperm(mask.numel())].view(mask.shape)
            custom_from_mask(model.get_submodule(path), name, mask)
    return model
    ### END SOLUTION


# %% test="control" points=5
def with_some_masks(seed=0):
    """Two layers, three of whose parameters have masks, and these masks."""
    model = Sequential(two_layers(seed), BatchNorm1d(3))
    model.register_buffer("masked_rows", tensor(np.float32([1, 0])))  # no mask
    model[0][2].bias.array[...] = 0  # kept or not
    masks = {"0.0.weight": np.zeros((4, 5)), "0.2.bias": np.array([1, 0, 1])}
    masks["0.0.bias"] = np.ones(4)
    masks["0.0.weight"][:2] = 1  # a whole row, and
    masks["0.0.weight"][1, 1:3] = 0  # most of another
    for place, mask in masks.items():
        path, _, name = place.rpartition(".")
        custom_from_mask(model.get_submodule(path), name, tensor(np.float32(mask)))
    return model, masks


def test_the_copy_has_the_masks_of_the_first_model_and_the_numbers_of_the_second():
    pruned, masks = with_some_masks(5)
    model = Sequential(two_layers(6), BatchNorm1d(3))
    wanted, kept = numbers_of(model), numbers_of(pruned)
    found = put_masks(pruned, model)
    assert isinstance(found, Sequential), f"the copy is returned, not {type(found)}"
    for place, mask in masks.items():
        same(mask_at(found, place), mask, f"the mask of {place}")
    count = sum(name.endswith("_mask") for name, _ in found.named_buffers())
    assert count == 3, f"three parameters have masks, not {count}"
    same_numbers(numbers_of(found), wanted, "the numbers are those of the second model")
    masked = wanted["0.0.weight"] * masks["0.0.weight"]
    same(found[0][0].weight.detach().numpy(), masked, "the weight that is used is masked")
    same_numbers(numbers_of(model), wanted, "the second model is only read")
    assert not is_pruned(model), "the second model has no masks; its copy has"
    for place, mask in masks.items():
        same(mask_at(pruned, place), mask, f"the first model's mask of {place} is only read")
        shared = np.shares_memory(mask_at(found, place), mask_at(pruned, place))
        assert not shared, f"the copy's mask of {place} must have its own memory"
    same_numbers(numbers_of(pruned), kept, "the first model is only read")
    layer = Linear(2, 1)  # a model of one layer
    custom_from_mask(layer, "weight", tensor(np.float32([[1, 0]])))
    same(mask_at(put_masks(layer, Linear(2, 1)), "weight"), [[1, 0]], "a Linear by itself")


def test_a_mask_of_any_layer_and_any_parameter_is_copied():
    pruned, model = Sequential(Conv2d(1, 2, 2)), Sequential(Conv2d(1, 2, 2))
    for each in (pruned, model):
        each.add_module("attn_mask", Linear(2, 2))
        each.register_parameter("factor", Parameter(tensor(drawn(3))))
    for place in ("0.weight", "attn_mask.weight", "factor"):
        path, _, name = place.rpartition(".")
        shape = model.get_parameter(place).shape
        mask = np.float32(np.arange(np.prod(shape)).reshape(shape) % 2)
        custom_from_mask(pruned.get_submodule(path), name, tensor(mask))
        found = mask_at(put_masks(pruned, model), place)
        same(found, mask, f"the mask of {place}, whatever the layer and the parameter are")


def shuffled_masks(pruned, model, place, seeds=20):
    """A mask, shuffled after each of several seeds."""
    found = []
    for seed in range(seeds):
        manual_seed(seed)
        found.append(mask_at(put_masks(pruned, model, shuffled=True), place).copy())
    return found


def test_all_elements_of_every_mask_are_shuffled():
    pruned, masks = with_some_masks(7)
    model = Sequential(two_layers(8), BatchNorm1d(3))
    before, found = masks["0.0.weight"], shuffled_masks(pruned, model, "0.0.weight")
    about = f"20 shuffles of a mask {before.shape}"
    left = any((mask.sum(1) != before.sum(1)).any() for mask in found)
    assert left, f"{about}: each row always keeps as many, so no element left its row"
    broken = any(sorted(mask.sum(1)) != sorted(before.sum(1)) for mask in found)
    assert broken, f"{about}: single elements change places, not whole rows"
    left = any((mask.sum(0) != before.sum(0)).any() for mask in found)
    assert left, f"{about}: each column always keeps as many, so no element left its column"
    found = shuffled_masks(pruned, model, "0.2.bias")
    moved = any((mask != masks["0.2.bias"]).any() for mask in found)
    assert moved, "20 shuffles of the mask [1, 0, 1] of a bias: always [1, 0, 1]"


def test_shuffled_masks_leave_as_many_in_other_places():
    pruned, masks = with_some_masks(7)
    model, found = Sequential(two_layers(8), BatchNorm1d(3)), []
    for seed in (1, 1, 2):
        manual_seed(seed)
        control = put_masks(pruned, model, shuffled=True)
        for place, mask in masks.items():
            left = mask_at(control, place).sum()
            message = f"{place}: {mask.sum()} of {mask.size} are left, as before, not {left}"
            assert left == mask.sum(), message
            same(mask_at(pruned, place), mask, f"the first is only read: the mask of {place}")
        found.append(mask_at(control, "0.0.weight").copy())
    same(found[0], found[1], "manual_seed decides, because randperm draws")
    moved, differ = ((found[0] != other).any() for other in (masks["0.0.weight"], found[2]))
    assert moved, "shuffled=True: elements of a mask change places"
    assert differ, "other places with another seed"


def test_masks_of_equal_size_are_shuffled_separately():
    pruned, model = (Sequential(Linear(6, 6), Linear(6, 6)) for _ in range(2))
    mask = np.float32(np.arange(36).reshape(6, 6) < 18)
    for layer in pruned:
        custom_from_mask(layer, "weight", tensor(mask))
    found = put_masks(pruned, model, shuffled=True)
    differ = (mask_at(found, "0.weight") != mask_at(found, "1.weight")).any()
    assert differ, "two equal masks were shuffled into the same places: draw for each"


# %% [markdown]
# 95 % of the weights in five rounds, from three starts. **Predict:** how many points does a ticket lose when its mask
# is put on other starting weights? And when its weights are kept, and the places are drawn at random?

# %%
predicted_other_weights = None  # points, the mean of three starts; a number
predicted_other_places = None


# %%
def against_controls(seed):
    """Right answers: a ticket, its mask on other weights, its weights elsewhere, dense."""

    def trained(model):
        manual_seed(seed)
        return train(model, epochs=10)

    manual_seed(seed)
    start, other = make_mlp(), make_mlp()
    ticket = find_ticket(start, ["1.weight", "3.weight"], trained, share=0.95, rounds=5)
    controls = put_masks(ticket, other), put_masks(ticket, start, shuffled=True)
    return [right(trained(model)) for model in (ticket, *controls, start)]


scores = np.array([against_controls(seed) for seed in range(3)])
for row in scores:
    print("ticket, other weights, other places, dense:", *np.round(row, 1), "% right")
weights, places, _ = (scores[:, :1] - scores[:, 1:]).mean(0)
predictions.compare(predicted_other_weights, weights, "points lost with other weights")
predictions.compare(predicted_other_places, places, "points lost in other places")

# %% [markdown]
# At 95 % the ticket stays behind the dense network, so it does not win; does one at 80 %, in three rounds? From each of
# the three starts, random places are far worse than the ticket: most of what was found is *where* the weights are.
# Other starting weights cost a few points: the mask fits the numbers with which it was found. In large networks one
# rewinds to a slightly later step (Frankle et al., 2020).
#
# ## 6. What zeros save
#
# A network in which nine weights of ten are zero should be smaller and faster. **Predict:** how many bytes does the
# file of such a network have, as a share of the dense network's file, with the masks that hold the zeros? (Predictions
# are never graded.)


# %%
predicted_share = None  # of the dense file's bytes; 0.1 is a tenth


# %%
def model_bytes(model):
    """The bytes that `save` writes, and how many of them remain when zlib compresses them."""
    file = io.BytesIO()
    save(model.state_dict(), file)
    return len(file.getvalue()), len(zlib.compress(file.getvalue()))


def milliseconds(model, x=unseen, repeats=25):
    """The shortest of several forward passes: the one that other programs disturbed least."""
    with no_grad():
        return measure_latency(lambda: model(x), repeats=repeats).minimum * 1e3


for name, model in (("dense", mlp), ("90 % zeros, with masks", gradual[0.9])):
    whole, packed = model_bytes(model)
    print(f"{name:26} {whole:7,} bytes, packed {packed:7,}; {milliseconds(model):.3f} ms")
dense_bytes, masked_bytes = model_bytes(mlp)[0], whole
for model in gradual.values():
    for layer in (model[1], model[3]):
        remove(layer, "weight")  # multiplies the mask into the weight
whole, packed = model_bytes(gradual[0.9])
print(f"{'90 % zeros, masks removed':26} {whole:7,} bytes, packed {packed:7,}; ", end="")
print(f"{milliseconds(gradual[0.9]):.3f} ms")
predictions.compare(predicted_share, masked_bytes / dense_bytes, "of the dense file")

# %% [markdown]
# Nothing. A zero takes four bytes in a file like any other number, and a matrix product multiplies by it. With the mask
# stored too, the file is even twice as large, and the forward pass has one more product. Only a program that compresses
# files makes use of the zeros.
#
# To gain from zeros you have to store only the other numbers, with their positions: *compressed sparse rows* (CSR) keep
# a value and a column index for each, 8 bytes in place of 4, and one number per row. So more than half of the weights
# must be zero before a byte is saved. SciPy has this format, with a product in C:

# %%
rng, size = np.random.default_rng(0), 1024
w = rng.standard_normal((size, size), dtype=np.float32)
for batch in (1, 64):
    x = rng.standard_normal((size, batch), dtype=np.float32)
    base = measure_latency(lambda w=w, x=x: w @ x, repeats=15).minimum
    print(f"1,024 x 1,024 by {batch} columns, dense {base * 1e3:.2f} ms, {w.nbytes:,} bytes")
    for share in (0.5, 0.8, 0.9, 0.95):
        sparse = scipy.sparse.csr_array(w * magnitude_mask(w, round(share * w.size)))
        held = sparse.data.nbytes + sparse.indices.nbytes + sparse.indptr.nbytes
        time = measure_latency(lambda a=sparse, x=x: a @ x, repeats=15).minimum
        print(f"  {share:4.0%} zeros: {held / w.nbytes:.2f} of the bytes, ", end="")
        print(f"{time / base:.2f} of the time")

# %% [markdown]
# The CSR file is smaller than the dense one once more than half of the weights are zero. To be faster takes far more
# zeros, here between four fifths and 95 %, since scattered numbers are slow to fetch. And this is for a matrix 128
# times as large as the first layer of your network. So if you want a faster network, remove what a dense product
# notices: whole rows and columns.
#
# ## 7. Whole units
#
# A unit is a row of the weight of a Linear, or a filter of a convolution: a *slice along dimension 0*. Its strength is
# a norm over all of the other dimensions:
#
# $$\|W_i\|_n = \Big(\sum_{j, k, \dots} |W_{ijk\dots}|^n\Big)^{1/n}$$
#
# PyTorch masks whole slices along any dimension (`ln_structured`, given). But a row of zeros is multiplied like any
# other. To gain anything, cut it out, along with everything that belongs to it:
#
# ```
#                 fc1.weight (128, 64)   fc1.bias (128)          fc2.weight (10, 128)
#   unit 5:       row 5                  element 5               column 5
#   kept units:   weight[kept]           bias[kept]              weight[:, kept]
# ```
#
# The layer *behind* reads the units, so it loses columns. A trap: a mask on the weight alone leaves the unit's bias,
# and `relu(bias)` is a constant that the next layer still reads. When the unit is cut out, the constant is gone as
# well. So the smaller model equals the model in which both weight *and* bias of the removed units are zero.
#
# Between a convolution and a Linear there is a Flatten, and each channel has `each` = height · width adjacent columns:
#
# ```
#   columns of fc1 after a convolution of 3 channels of 2 x 2:     0 0 0 0  1 1 1 1  2 2 2 2
#   kept channels 0 and 2:                                         0 0 0 0           2 2 2 2
# ```
#
# `layer_like(layer, weight, bias)` (given) makes a layer of the same kind, Linear or Conv2d, and of other sizes, with
# copies of these arrays. `kept` is sorted, so the order of the units does not change.
#
# <details><summary>Hint 1</summary>With the dimensions behind the first flattened, a sum of magnitudes fits both kinds
# of layer. The largest are at the end of <code>argsort</code>.</details>
# <details><summary>Hint 2</summary><code>select_outputs</code> indexes the first dimension of the weight, and the bias
# if there is one. <code>select_inputs</code> indexes the second dimension, and keeps the whole bias.</details>
# <details><summary>Hint 3</summary>Reshape the second dimension to (<code>of</code>, the inputs of a unit), index there
# by <code>kept</code>, and reshape back. For a convolution a unit has one input.</details>


# %% stub="smaller-layers"
#| export
def strongest_units(layer, count):
    """Return the indices of the `count` units whose weights' L1 norms are largest, in order.

    Args:
        layer: a Linear or a Conv2d; its units are the slices of its weight along dimension 0.
        count: how many, 0 to all.

    Returns:
        An array of `count` integers, ascending.
    """
    weight = layer.weight.detach().numpy()
    ### BEGIN SOLUTION
    strength = np.abs(weight).reshape(len(weight), -1).sum(1)
    return np.sort(np.argsort(strength)[len(weight) - count :])
    ### END SOLUTION


def select_outputs(layer, kept):
    """Copy a Linear or a Conv2d with only the units `kept`, an array of indices.

    >>> layer = select_outputs(Linear(3, 5), np.array([0, 4]))
    >>> layer
    Linear(in_features=3, out_features=2, bias=True)
    """
    check_kept(layer, kept, layer.weight.shape[0])
    weight = layer.weight.detach().numpy()
    bias = None if layer.bias is None else layer.bias.detach().numpy()
    ### BEGIN SOLUTION
    return layer_like(layer, weight[kept], None if bias is None else bias[kept])
    ### END SOLUTION


def select_inputs(layer, kept, of):
    """Copy a layer so that it reads only the units `kept` of the previous layer's `of` units.

    Each unit has the same number of adjacent inputs of the layer: one, or after a Flatten, the
    pixels of its channel.

    >>> select_inputs(Linear(12, 5), np.array([0, 2]), of=3)
    Linear(in_features=8, out_features=5, bias=True)
    """
    check_kept(layer, kept, of)
    weight = layer.weight.detach().numpy()
    bias = None if layer.bias is None else layer.bias.detach().numpy()
    ### BEGIN SOLUTION
    outputs, inputs, *window = weight.shape
    each = inputs // of
    columns = weight.reshape(outputs, of, each, *window)[:, kept]
    return layer_like(layer, columns.reshape(outputs, len(kept) * each, *window), bias)
    ### END SOLUTION


# %% test="smaller-layers" points=9
def filled(layer, seed):
    """The layer with random weights and a bias far from zero."""
    layer.weight.array[...] = drawn(*layer.weight.shape, seed=seed)
    if layer.bias is not None:
        layer.bias.array[...] = 2 + drawn(*layer.bias.shape, seed=seed + 1)
    return layer


def without_units(layer, kept):
    """A copy whose other units have weight and bias zero."""
    layer = copy.deepcopy(layer)
    gone = np.setdiff1d(np.arange(layer.weight.shape[0]), kept)
    layer.weight.array[gone] = 0
    if layer.bias is not None:
        layer.bias.array[gone] = 0
    return layer


def check_smaller(small, layer, shape, about):
    """A smaller layer has this weight, says its sizes, is trainable, and shares no memory."""
    assert small is not layer, (
        f"{about}: a new layer is wanted, not the one that was passed in"
    )
    kinds = type(layer).__name__, type(small).__name__
    assert kinds[0] == kinds[1], f"{about}: a {kinds[0]} stays a {kinds[0]}, not a {kinds[1]}"
    found, before = tuple(small.weight.shape), tuple(layer.weight.shape)
    assert found == shape, f"{about}: a weight {before} becomes {shape}, not {found}"
    had, has = ("no" if each.bias is None else "a" for each in (layer, small))
    assert had == has, f"{about}: the layer has {had} bias, the new one has {has} bias"
    kind = "features" if isinstance(layer, Linear) else "channels"
    names = f"out_{kind}", f"in_{kind}"
    said = tuple(getattr(small, name) for name in names)
    assert said == shape[:2], f"{about}: {' and '.join(names)} are {shape[:2]}, not {said}"
    for name, each in small.named_parameters():
        old = getattr(layer, name)
        assert each.requires_grad, f"{about}: the new {name} must be trainable"
        shared = np.shares_memory(each.array, old.array)
        assert not shared, f"{about}: the new {name} must have its own memory"


def test_the_strongest_units_in_their_order():
    for layer, count in [
        (Linear(3, 8), 3),
        (Linear(8, 3), 2),
        (Conv2d(2, 6, 3), 4),
        (Linear(4, 5), 5),
        (Linear(4, 5), 0),
    ]:
        weight = filled(layer, seed=count).weight.array
        before = weight.copy()
        sums = [np.abs(unit).sum() for unit in weight.astype(float)]
        wanted = sorted(sorted(range(len(sums)), key=lambda i: -sums[i])[:count])
        found = strongest_units(layer, count)
        message = f"sums of magnitudes {np.round(sums, 2).tolist()}, the {count} largest"
        whole = isinstance(found, np.ndarray) and (found.dtype.kind == "i" or not count)
        assert whole, f"an array of integers is wanted, not {type(found).__name__} {found}"
        assert found.tolist() == wanted, f"{message} are {wanted}, not {found.tolist()}"
        same(weight, before, f"{layer}: its weight belongs to the caller")


def test_strength_is_a_sum_of_magnitudes():
    layer = Linear(2, 3)
    layer.bias.array[...] = [0, 9, 0]  # should not matter
    for rows, wanted in [
        ([[5, -5], [1, 1], [-2, -2]], [0, 2]),
        ([[3, 3], [0, 5], [-4, 4]], [0, 2]),
    ]:
        layer.weight.array[...] = rows
        found = np.asarray(strongest_units(layer, 2)).tolist()
        message = f"rows {rows}: the sums of magnitudes are largest in {wanted}, not {found}"
        assert found == wanted, message
    layer.weight.array[...] = 1
    assert len(strongest_units(layer, 2)) == 2, "of three equal units 2 are wanted"
    for layer in (Conv2d(1, 2, 2), Conv2d(4, 2, 1)):
        layer.weight.array.reshape(2, 4)[...] = [[5, 0, 0, 0], [2, 2, 2, 2]]
        found = np.asarray(strongest_units(layer, 1)).tolist()
        assert found == [1], f"{layer.weight.tolist()}: sums 5 and 8, so [1], not {found}"


def unshifted(layer):
    """A layer whose bias is there, and zero."""
    zeros_(layer.bias)
    return layer


def test_a_smaller_layer_computes_the_units_that_are_kept():
    for layer, shape, kept in [
        (Linear(4, 6), (3, 4), [0, 2, 5]),
        (Linear(4, 6, bias=False), (3, 4), [1]),
        (Linear(4, 3), (3, 4), [0, 1, 2]),
        (Conv2d(2, 5, 3, stride=2, padding=1), (2, 2, 7, 6), [1, 3]),
        (Conv2d(2, 5, (2, 3), dilation=2, bias=False), (2, 2, 7, 6), [0, 4]),
    ]:
        filled(layer, seed=len(kept))
        x, before = tensor(drawn(*shape, seed=3)), layer.weight.array.copy()
        wanted = layer(x).detach().numpy()[:, kept]
        small, about = select_outputs(layer, np.array(kept)), f"{layer}, units {kept}"
        check_smaller(small, layer, (len(kept), *layer.weight.shape[1:]), about)
        np.testing.assert_allclose(
            small(x).detach().numpy(), wanted, rtol=1e-4, atol=1e-5, err_msg=about
        )
        same(layer.weight.array, before, f"{about}: the layer that was passed in stays")
    layer = unshifted(Linear(4, 5))
    check_smaller(select_outputs(layer, np.array([0, 4])), layer, (2, 4), "a bias of zeros")


def test_two_layers_together_compute_what_the_zeros_compute():
    for first, between, second, shape, kept in [
        (Linear(5, 7), [ReLU()], Linear(7, 3), (4, 5), [0, 3, 6]),
        (Linear(5, 3), [ReLU()], Linear(3, 4, bias=False), (4, 5), [0, 1, 2]),
        (Conv2d(2, 4, 3, padding=1), [ReLU()], Conv2d(4, 3, 2), (2, 2, 4, 5), [1, 2]),
        (Conv2d(2, 4, 3, padding=1), [ReLU(), Flatten()], Linear(24, 3), (3, 2, 2, 3), [0, 2]),
    ]:
        x = tensor(drawn(*shape, seed=5))
        filled(first, 1), filled(second, 2)
        wanted = Sequential(without_units(first, kept), *between, second)(x).detach().numpy()
        of, before = first.weight.shape[0], second.weight.array.copy()
        about = f"{first}, then {second}, units {kept} of {of}"
        outputs, inputs, *window = second.weight.shape
        reader = select_inputs(second, np.array(kept), of)
        shape = (outputs, inputs // of * len(kept), *window)
        check_smaller(reader, second, shape, f"{second} behind units {kept} of {of}")
        same(second.weight.array, before, f"{about}: the second layer stays")
        small = Sequential(select_outputs(first, np.array(kept)), *between, reader)
        found = small(x).detach().numpy()
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4, err_msg=about)


# %% [markdown]
# `shrink(model, cuts)` is given: it makes a copy, and for each cut (a layer, the layer that reads it, how many units
# stay) inserts your two layers. The 128 hidden units of the network become fewer. Again there are controls: random
# units in place of the strongest; the dense network trained further; and the most instructive one, a network that was
# *that small from the beginning*, trained for as long as both trainings together.

# %%
#| export
from tinytorch.given.compression.shrinking import *


# %%
def cut_to(count, choose=strongest_units):
    return shrink(mlp, [("1", "3", count)], choose)


def at_random(seed):
    rng = np.random.default_rng(seed)
    return lambda layer, count: np.sort(rng.permutation(layer.weight.shape[0])[:count])


shrunk, scratch = {}, {}
print(f"dense, 128 units: {right(mlp):.1f} %, trained on {right(dense):.1f} %")
for count in (64, 32, 16):
    random = np.mean([right(cut_to(count, at_random(seed))) for seed in range(10)])
    shrunk[count] = trained_on(cut_to(count))
    manual_seed(0)
    scratch[count] = train(make_mlp(count), epochs=28)
    print(f"{count} units, {count_parameters(shrunk[count]):,} parameters: ", end="")
    print(f"cut {right(cut_to(count)):.1f} % right (random units {random:.1f} %), ", end="")
    print(
        f"trained on {right(shrunk[count]):.1f} %, small at once {right(scratch[count]):.1f} %"
    )

# %% [markdown]
# The shapes really are smaller, and so are the files. The strongest units are only a little better than random ones
# here: cut to a quarter, neither choice is of much use until it is trained further. And a network that was small from
# the beginning does as well, or better: the large network's weights were not needed. (Liu et al., 2019, found the same
# in large networks.) The reason to prune is then that the large network exists already, and eight epochs are cheaper
# than twenty-eight.
#
# What is the gain in time? It depends on what the time is spent on. **Predict:** with 16 units in place of 128, how
# many times faster is one image?


# %%
predicted_faster = None  # times; a number

# %%
for batch, x in ((1, unseen[:1]), (360, unseen)):
    times = [milliseconds(m, x, 60) for m in (mlp, shrunk[64], shrunk[32], shrunk[16])]
    shown = " / ".join(f"{t:.3f}" for t in times)
    print(f"batch {batch:3}, 128 / 64 / 32 / 16 units: {shown} ms")
    if batch == 1:
        faster = times[0] / times[-1]
predictions.compare(predicted_faster, faster, "times")

# %% [markdown]
# One image takes as long as before, however few units there are: the time goes into five Python calls, not into the
# products. With 360 images the products begin to matter, but a quarter of the units is still not four times faster.
#
# Where does width matter in a LeNet? Cut the fully connected layers, or the convolutions:

# %%
manual_seed(0)
lenet = train(LeNet(image_size=8), epochs=8)
lenet_dense = trained_on(copy.deepcopy(lenet), epochs=3)
print(f"LeNet: {right(lenet):.1f} % right, trained on for 3 epochs {right(lenet_dense):.1f} %")
for name, cuts in {
    "as it is": [],
    "fc1 to 30, fc2 to 21": [("fc1", "fc2", 30), ("fc2", "fc3", 21)],
    "conv1 to 3, conv2 to 8": [("conv1", "conv2", 3), ("conv2", "fc1", 8)],
}.items():
    small = shrink(lenet, cuts)
    with no_grad():
        flops = count_flops(lambda m=small: m(unseen[:1]))
    print(f"{name:22} {count_parameters(small):6,} parameters, {flops:7,} FLOPs, ", end="")
    print(f"{milliseconds(small):4.1f} ms, {right(small):.1f} % right", end="")
    print(f", trained on {right(trained_on(small, epochs=3)):.1f} %" if cuts else "")

# %% [markdown]
# The second row leaves a quarter of the parameters, the third three quarters, and after further training they lose
# about as much: most parameters are in the fully connected layers, and each of them matters little, while the six
# filters of the first convolution are all that the network sees of the image. But the arithmetic is in the
# convolutions, and only the last row saves much of it. Fewer parameters and less time are different goals.
#
# ## 8. Two thin matrices
#
# A matrix (O, I) has O·I numbers. Written as a product (O, r) · (r, I) it has r·(O + I), and needs as many
# multiplications per sample. The best such product is known: take the singular value decomposition
# $W = U\,\mathrm{diag}(s)\,V^T$ and keep the $r$ largest singular values (Eckart and Young, 1936). The squared error is
# the sum of the squares of those left out:
#
# $$\|W - W_r\|_F^2 = \sum_{i > r} s_i^2$$
#
# As layers: a Linear from I to r without bias, then one from r to O with the old bias. How $s$ is divided between the
# two does not matter for the product; giving the square root to each side keeps both at the same scale, which is better
# for further training.
#
# <details><summary>Hint 1</summary><code>np.linalg.svd(weight, full_matrices=False)</code> gives U (O, k), s (k), Vᵀ
# (k, I), largest first.</details>
# <details><summary>Hint 2</summary>The layer that is applied first holds (r, I), which comes from Vᵀ. One factor gets
# the roots on its columns, the other on its rows: for one of them the roots need a second dimension.</details>
# <details><summary>Hint 3</summary>Make the two layers; then replace their weights, each by a <code>Parameter</code> of
# a tensor, and the bias, if there is one, by a copy.</details>


# %% stub="factorize"
#| export
def factorize(layer, rank):
    """Write a Linear as two, by the best approximation of a given rank.

    W ≈ (U √s) (√s Vᵀ), with the `rank` largest singular values.

    Args:
        layer: a Linear of I inputs and O outputs; it is not changed.
        rank: 1 to min(I, O).

    Returns:
        Sequential(Linear(I, rank, bias=False), Linear(rank, O)), trainable even if the layer
        is not: U √s is the second weight, √s Vᵀ the first; a bias is copied to the second.

    >>> factorize(Linear(8, 6), rank=2)
    Sequential(
      (0): Linear(in_features=8, out_features=2, bias=False)
      (1): Linear(in_features=2, out_features=6, bias=True)
    )
    """
    outputs, inputs = layer.weight.shape
    if not 1 <= rank <= min(outputs, inputs):
        raise ValueError(f"a matrix {(outputs, inputs)} has no part of rank {rank}")
    ### BEGIN SOLUTION
    U, s, Vt = np.linalg.svd(layer.weight.detach().numpy(), full_matrices=False)
    roots = np.sqrt(s[:rank])
    first = Linear(inputs, rank, bias=False)
    second = Linear(rank, outputs, bias=layer.bias is not None)
    first.weight = Parameter(tensor(roots[:, None] * Vt[:rank]))
    second.weight = Parameter(tensor(U[:, :rank] * roots))
    if layer.bias is not None:
        second.bias = Parameter(layer.bias.detach().clone())
    return Sequential(first, second)
    ### END SOLUTION


# %% test="factorize" points=6
def thin_layers(outputs, inputs, rank, bias=True):
    """A layer, what `factorize` makes of it, and the product of its two weights."""
    layer = filled(Linear(inputs, outputs, bias=bias), seed=outputs)
    kept, wanted = layer.weight.array.copy(), [(rank, inputs), (outputs, rank)]
    thin = factorize(layer, rank)
    same(layer.weight.array, kept, "the layer stays as it is")
    shapes = [tuple(each.weight.shape) for each in thin]
    assert shapes == wanted, (
        f"a weight {(outputs, inputs)} at rank {rank}: {wanted}, not {shapes}"
    )
    said = [(each.out_features, each.in_features) for each in thin]
    assert said == wanted, f"out_features and in_features are {wanted}, not {said}"
    return layer, thin, thin[1].weight.array.astype(float) @ thin[0].weight.array


def test_the_product_is_the_best_of_its_rank():
    for outputs, inputs, rank in [(6, 9, 2), (9, 6, 3), (5, 5, 1), (8, 20, 6)]:
        layer, _, product = thin_layers(outputs, inputs, rank)
        weight = layer.weight.array.astype(float)
        squares = np.linalg.eigvalsh(weight @ weight.T)  # of the singular values, ascending
        least = float(np.sqrt(np.maximum(squares[: outputs - rank], 0).sum()))
        error = float(np.linalg.norm(weight - product))
        message = (
            f"{(outputs, inputs)}, rank {rank}: error {least:.4f} is possible, not {error:.4f}"
        )
        assert error < least * 1.001 + 1e-4, message


def test_each_side_has_the_roots_of_the_singular_values():
    for outputs, inputs, rank in [(6, 9, 2), (9, 6, 3), (5, 5, 5)]:
        layer, thin, _ = thin_layers(outputs, inputs, rank)
        weight = layer.weight.array.astype(float)
        squares = np.linalg.eigvalsh(weight @ weight.T)[::-1][:rank]
        rows = np.linalg.norm(thin[0].weight.array, axis=1)
        columns = np.linalg.norm(thin[1].weight.array, axis=0)
        for found, lines in ((rows, "rows of the first"), (columns, "columns of the second")):
            about = (
                f"{(outputs, inputs)}, rank {rank}: norms of the {lines} weight, against √s"
            )
            np.testing.assert_allclose(found, squares**0.25, rtol=1e-3, err_msg=about)


def test_at_full_rank_nothing_changes():
    for outputs, inputs, bias in [(4, 7, True), (7, 4, False), (5, 5, True)]:
        layer, thin, _ = thin_layers(outputs, inputs, min(outputs, inputs), bias)
        assert (thin[1].bias is not None) == bias, "the second has a bias if the layer has one"
        x = tensor(drawn(3, inputs, seed=2))
        found, wanted = thin(x).detach().numpy(), layer(x).detach().numpy()
        message = f"Linear({inputs}, {outputs}, bias={bias}) at full rank"
        np.testing.assert_allclose(found, wanted, rtol=1e-3, atol=1e-4, err_msg=message)


def test_only_the_second_layer_has_a_bias():
    layer, thin, _ = thin_layers(4, 6, 2)
    assert thin[0].bias is None, "the first layer has no bias"
    same(thin[1].bias.detach().numpy(), layer.bias.detach().numpy())
    shared = np.shares_memory(thin[1].bias.array, layer.bias.array)
    assert not shared, "the bias is a copy: the layer may be trained on"
    found = factorize(unshifted(Linear(4, 6)), 2)[1].bias
    assert found is not None, "a bias of zeros is a bias, not None"
    other = int(np.count_nonzero(found.array))
    assert other == 0, f"a bias of zeros is copied, too, yet {other} of 6 numbers are not zero"
    _, thin, _ = thin_layers(4, 6, 2, bias=False)
    assert thin[1].bias is None, "a layer without bias becomes two without bias"


def test_weights_are_parameters_of_float32():
    _, thin, _ = thin_layers(5, 7, 3)
    for each in thin:
        assert isinstance(each.weight, Parameter), "both weights are Parameters"
        assert each.weight.array.dtype == np.float32, f"float32, not {each.weight.array.dtype}"
    thin(tensor(drawn(2, 7))).sum().backward()
    fixed = [name for name, each in thin.named_parameters() if each.grad is None]
    assert fixed == [], f"weights and bias can be trained, yet {fixed} have no gradient"
    kinds = [str(p.dtype) for p in factorize(Linear(4, 3).double(), 2).parameters()]
    message = f"of a float64 layer: weights and bias have one type, not {kinds}"
    assert len({*kinds}) == 1, message
    thin = factorize(Linear(4, 3).requires_grad_(False), 2)
    fixed = [name for name, each in thin.named_parameters() if not each.requires_grad]
    assert fixed == [], f"of a frozen layer, too, both are trainable, yet {fixed} are not"


# %% [markdown]
# The first layer is (128, 64). Two factors have fewer numbers below the rank $O I / (O + I)$, which is 42.7. Look at
# its singular values, and at the accuracy at each rank:


# %%
def at_rank(rank):
    return Sequential(mlp[0], factorize(mlp[1], rank), mlp[2], mlp[3])


values = np.linalg.svd(mlp[1].weight.detach().numpy(), compute_uv=False)
print("singular values:", " ".join(f"{value:.1f}" for value in values[::8]))
thin = {}
for rank in (32, 16, 8, 4):
    model = at_rank(rank)
    before = right(model)
    thin[rank] = trained_on(copy.deepcopy(model))
    print(f"rank {rank:2}: {count_parameters(model):6,} parameters, ", end="")
    print(f"{before:5.1f} % right, ", end="")
    print(f"trained on {right(thin[rank]):5.1f} % (dense {right(dense):.1f} %)")

# %% [markdown]
# ## 9. A correction of low rank
#
# Two thin matrices can also be put *beside* a weight. You have a model of a hundred million weights, and you want it to
# do one thing differently. Training all of them takes a gradient and two moments for each, 16 bytes per weight
# including the weight itself, and you keep a whole model for each thing that you teach it. So leave the weights
# unchanged, and train only a correction (LoRA, low-rank adaptation; E. Hu et al., 2021):
#
# $$y = W x + b + \frac{\alpha}{r}\, B A x, \qquad A: (r, I), \quad B: (O, r)$$
#
# - $A$ is initialised at random and $B$ with zeros, so that at first the model computes the same as before. If both
#   were zero, neither would ever get a gradient: that of $B$ contains $A x$, that of $A$ contains $B^T g$.
# - $\alpha / r$ keeps the size of the correction similar when you try another rank.
# - $W$ and $b$ are frozen. They need no gradient, only the *input* does, $W^T g$, for the adapters in the layers
#   before. So $W$ may be packed in 4 bits (Dettmers et al., 2023): the layers of module 15 pass such a gradient back.
# - What is learned is $A$ and $B$, a small separate file. And for a float layer the correction can be merged:
#   $W + \frac{\alpha}{r} B A$ is one matrix, with no extra cost.
#
# ```
#            ┌────────  base, frozen  ────────┐
#    x  ─────┤                                ⊕───  y
#            └──  A: I to r  ──  B: r to O  ──┘  · alpha / r
# ```
#
# <details><summary>Hint 1</summary><code>lora_A</code> is <code>Linear(I, rank, bias=False)</code>, <code>lora_B</code>
# a second one; every layer has <code>in_features</code> and <code>out_features</code>, a packed one too.
# <code>zeros_</code> fills a weight with zeros.</details>
# <details><summary>Hint 2</summary><code>module.requires_grad_(False)</code> freezes all parameters of a module.
# <code>forward</code> calls the base as a layer and never reads its weight, however that is stored; only the correction
# is multiplied by α / r.</details>
# <details><summary>Hint 3</summary><code>merged</code>: the product <code>B @ A</code> of the two weights has the shape
# of W; it has the same factor. <code>layer_like(layer, weight, bias)</code>, from section 7, takes arrays, copies them
# and leaves the layer unchanged.</details>


# %% stub="lora"
#| export
class LoRALinear(Module):
    """A frozen linear layer, and a low-rank correction that is trained beside it.

    y = base(x) + (alpha / rank) B A x

    Args:
        base: a Linear, or a packed layer such as Int4Linear; its parameters are frozen.
        rank: 1 to the smaller of the layer's I inputs and O outputs.
        alpha: the size of the correction.

    `lora_A` and `lora_B` are Linear layers without a bias, I to rank and rank to O. A is
    initialised like every Linear, B with zeros.
    """

    def __init__(self, base, rank=8, alpha=16.0):
        super().__init__()
        check_adapter(base, rank)
        self.base, self.rank, self.alpha = base, rank, alpha
        ### BEGIN SOLUTION
        base.requires_grad_(False)
        self.lora_A = Linear(base.in_features, rank, bias=False)
        self.lora_B = Linear(rank, base.out_features, bias=False)
        zeros_(self.lora_B.weight)
        ### END SOLUTION

    def forward(self, input):
        """Apply the layer and its correction to (..., I)."""
        ### BEGIN SOLUTION
        correction = self.lora_B(self.lora_A(input))
        return self.base(input) + self.alpha / self.rank * correction
        ### END SOLUTION

    def merged(self):
        """Return a new, trainable Linear that computes the same; this layer stays as it is."""
        check_mergeable(self.base)
        ### BEGIN SOLUTION
        change = self.lora_B.weight.array @ self.lora_A.weight.array
        weight = self.base.weight.array + self.alpha / self.rank * change
        return layer_like(self.base, weight, getattr(self.base.bias, "array", None))
        ### END SOLUTION


# %% test="lora" points=8
def some_adapter(outputs, inputs, rank, alpha=16.0, bias=True, packed=False):
    """An adapter whose A and B are not zero, and the base's weight and bias, float64."""
    base = filled(Linear(inputs, outputs, bias=bias), seed=inputs)
    base = Int4Linear(base) if packed else base
    weight = base.weights() if packed else base.weight.array
    shift = base.bias.array if bias else np.zeros(outputs)
    adapter = LoRALinear(base, rank, alpha)
    adapter.lora_A.weight.array[...] = drawn(rank, inputs, seed=rank)
    adapter.lora_B.weight.array[...] = drawn(outputs, rank, seed=rank + 1)
    return adapter, weight.astype(float), shift.astype(float)


ADAPTERS = [
    (5, 7, 2, {}), (7, 5, 3, {"alpha": 1.0}), (4, 6, 1, {"bias": False}),
    (3, 4, 1, {"alpha": 0.0}), (6, 40, 4, {"packed": True}),
    (33, 3, 2, {"packed": True, "bias": False, "alpha": 3}),
]  # fmt: skip


def close_to(found, wanted, about):
    found = found.detach().numpy()
    np.testing.assert_allclose(found, wanted, rtol=2e-3, atol=1e-3, err_msg=about)


def test_an_adapter_begins_as_the_layer_alone():
    for base in (Linear(6, 4), Linear(4, 6, bias=False), Int4Linear(Linear(40, 8))):
        x = tensor(drawn(2, 3, base.in_features))
        wanted = base(x).detach().numpy()
        adapter = LoRALinear(base, rank=3)
        assert adapter.base is base, f"{base}: the base must be the layer that was passed in"
        factors = adapter.alpha, LoRALinear(base, 3, alpha=0.0).alpha
        assert factors == (16, 0), f"alpha is 16 by default, and 0 if that is given: {factors}"
        kinds = [type(each).__name__ for each in (adapter.lora_A, adapter.lora_B)]
        assert kinds == ["Linear", "Linear"], f"A and B are Linear layers, not {kinds}"
        held = [part for part in "AB" if getattr(adapter, f"lora_{part}").bias is not None]
        assert held == [], f"A and B have no bias, yet {held} have one"
        same(adapter(x).detach().numpy(), wanted, f"{base}: B is zero at first")


def test_a_begins_at_random():
    first, second = (LoRALinear(Linear(64, 32), 4).lora_A.weight.array for _ in range(2))
    shape = first.shape
    assert shape == (4, 64), f"rank 4 of Linear(64, 32): A is (4, 64), not {shape}"
    assert (first != second).mean() > 0.99, "two adapters must begin with different A"
    largest = float(np.abs(first).max())
    assert 0.1 < largest <= 0.125, f"A is drawn from -1/8 to 1/8, not up to {largest:.3f}"
    assert 0.05 < first.std() < 0.1, f"A's deviation is near 1/(8√3), not {first.std():.3f}"


def test_only_the_correction_is_trained():
    for outputs, inputs, rank, options in ADAPTERS:
        adapter, _, _ = some_adapter(outputs, inputs, rank, **options)
        found = sorted(name for name, p in adapter.named_parameters() if p.requires_grad)
        wanted = ["lora_A.weight", "lora_B.weight"]
        assert found == wanted, f"{wanted} require gradients, not {found}"


def test_an_adapter_adds_its_correction():
    for outputs, inputs, rank, options in ADAPTERS:
        right = options.get("alpha", 16) / rank
        adapter, weight, shift = some_adapter(outputs, inputs, rank, **options)
        x = drawn(2, 3, inputs, seed=5)
        A, B = adapter.lora_A.weight.array, adapter.lora_B.weight.array
        plain, bare = x @ weight.T + shift, x @ A.T @ B.T
        wanted, about = plain + right * bare, f"{adapter.base}, {rank=}, alpha={adapter.alpha}"
        y = adapter(tensor(x)).detach().numpy()
        assert y.shape == wanted.shape, f"{about}: the shape is {wanted.shape}, not {y.shape}"
        factor = float(((y - plain) * bare).sum() / (bare**2).sum())
        if np.allclose(y - plain, factor * bare, rtol=1e-2, atol=1e-2):
            message = (
                f"{about}: B A x times alpha / rank = {right:.3f}, not times {factor:.3f}"
            )
            assert np.isclose(factor, right, rtol=1e-2, atol=1e-2), message
        close_to(adapter(tensor(x)), wanted, about)
        close_to(adapter.eval()(tensor(x)), wanted, f"{about}, in evaluation mode")


def test_gradients_pass_the_base_and_reach_the_correction():
    for outputs, inputs, rank, options in ADAPTERS:
        adapter, weight, _ = some_adapter(outputs, inputs, rank, **options)
        x, g = tensor(drawn(3, inputs, seed=5), requires_grad=True), drawn(3, outputs, seed=6)
        adapter(x).backward(tensor(g))
        A, B = adapter.lora_A.weight.array, adapter.lora_B.weight.array
        factor = adapter.alpha / rank
        about = f"{inputs} to {outputs}, rank {rank}, {options}: gradient of"
        close_to(x.grad, g @ weight + factor * (g @ B @ A), f"{about} the input")
        close_to(adapter.lora_A.weight.grad, factor * (g @ B).T @ x.array, f"{about} A")
        close_to(adapter.lora_B.weight.grad, factor * g.T @ (x.array @ A.T), f"{about} B")
        held = [name for name, p in adapter.base.named_parameters() if p.grad is not None]
        assert held == [], f"the base is frozen, yet {held} have gradients"


def test_merged_it_is_one_linear_layer():
    for outputs, inputs, rank, options in ADAPTERS[:3]:
        adapter, weight, shift = some_adapter(outputs, inputs, rank, **options)
        A, B, x = adapter.lora_A.weight.array, adapter.lora_B.weight.array, drawn(4, inputs)
        changed = weight + adapter.alpha / rank * (B.astype(float) @ A)
        kept = {name: each.array.copy() for name, each in adapter.named_parameters()}
        layer, about = adapter.merged(), f"{inputs} to {outputs}, rank {rank}, {options}"
        assert type(layer) is Linear, f"{about}: a Linear, not {type(layer).__name__}"
        assert layer.weight.array.dtype == np.float32, f"{about}: float32 stays float32"
        close_to(layer(tensor(x)), x @ changed.T + shift, about)
        assert (layer.bias is None) == (adapter.base.bias is None), f"{about}: the bias"
        for name, each in adapter.named_parameters():
            same(each.array, kept[name], f"{about}: `merged` must not change {name}")
        free = [name for name, p in adapter.base.named_parameters() if p.requires_grad]
        assert free == [], f"{about}: the base stays frozen, yet {free} require gradients"
        for name, each in layer.named_parameters():
            assert each.requires_grad, f"{about}: the merged {name} must be trainable"
            each.array[...] = 0
            old = adapter.base.get_parameter(name).array
            same(old, kept[f"base.{name}"], f"{about}: the merged {name} must be a copy")


# %% [markdown]
# Now a whole model. Freeze everything in it, norms and token tables included, and only then add the adapters: if you
# freeze afterwards, you freeze them too. `linear_layers(model, names)`, given, finds the layers, as pairs of a dotted
# name and a layer; a layer that appears in two places is found twice, and gets *one* adapter, or the two places would
# diverge.
#
# What you save is the adapters' state: A and B by their names in the model, and nothing else.
#
# <details><summary>Hint 1</summary>Keep a dict from layers to adapters, so that each layer gets only one: a module can
# be a key.</details>
# <details><summary>Hint 2</summary><code>model.set_submodule(name, module)</code> replaces a module. Freezing reaches
# only what is in the model at that time.</details>
# <details><summary>Hint 3</summary>The names of A and B in <code>model.state_dict()</code> end in
# <code>lora_A.weight</code> and <code>lora_B.weight</code>.</details>


# %% stub="add-adapters"
#| export
def add_adapters(model, names, rank=8, alpha=16.0):
    """Freeze a model, and put a `LoRALinear` around some of its linear layers, in place.

    Args:
        model: a Module; all its parameters are frozen.
        names: the layers' names: "c_proj" or "mlp.c_proj" means each layer whose dotted name
            is equal to it, or ends in a dot and the name.
        rank, alpha: as for `LoRALinear`.

    Returns:
        The model itself.

    Raises:
        ValueError: if a name matches no linear layer.

    >>> model = add_adapters(Sequential(Linear(8, 8), Linear(8, 2)), ["0"], rank=2)
    >>> [name for name, each in model.named_parameters() if each.requires_grad]
    ['0.lora_A.weight', '0.lora_B.weight']
    """
    layers = linear_layers(model, names)
    ### BEGIN SOLUTION
    model.requires_grad_(False)
    adapters = {layer: LoRALinear(layer, rank, alpha) for _, layer in layers}
    for name, layer in layers:
        model.set_submodule(name, adapters[layer])
    return model
    ### END SOLUTION


def adapter_state(model):
    """A and B under all their names in the state_dict of a model, or of an adapter alone."""
    ### BEGIN SOLUTION
    kept = "lora_A.weight", "lora_B.weight"
    return {name: value for name, value in model.state_dict().items() if name.endswith(kept)}
    ### END SOLUTION


# %% test="add-adapters" points=5
def a_tree():
    """A model whose first layer appears in two places, with a norm that has parameters."""
    shared = Linear(6, 6)
    parts = [shared, BatchNorm1d(6), Sequential(shared, Linear(6, 5)), Linear(5, 3)]
    return Sequential(*parts).eval()


def trained_parts(model):
    return sorted(name for name, each in model.named_parameters() if each.requires_grad)


def test_all_is_frozen_but_the_adapters():
    for names, adapted in [(["0"], ["0"]), (["2.1", "3"], ["2.1", "3"]), (["1"], ["2.1"])]:
        model = a_tree()
        found = add_adapters(model, names, rank=2)
        assert found is model, "the model itself must be returned"
        wanted = [f"{name}.lora_{part}.weight" for name in adapted for part in "AB"]
        found = trained_parts(model)
        assert found == wanted, f"names={names}: {wanted} are trained, not {found}"
    model = a_tree().train()
    model.add_module("exploration", Linear(3, 2))  # a name with "lora" in it
    model.register_parameter("scale", Parameter(tensor(drawn(6))))  # of no layer
    add_adapters(add_adapters(model, ["3"], rank=2), ["2.1"], rank=2)
    wanted, found = ["2.1.lora_A.weight", "2.1.lora_B.weight"], trained_parts(model)
    assert found == wanted, f"all that was there is frozen, adapters too; {found} are trained"
    assert model.training, "a model in training mode stays in it"


def test_a_model_begins_as_it_was_and_rank_and_alpha_are_handed_on():
    for names, rank, alpha in [(["3"], 1, 4.0), (["2.0", "2.1"], 3, 0.5), (["3"], 2, 0.0)]:
        model, x = a_tree(), tensor(drawn(4, 6))
        wanted, kept = model(x).detach().numpy(), [name for name, _ in model.named_children()]
        changed = add_adapters(copy.deepcopy(model), names, rank, alpha)
        found = [name for name, _ in changed.named_children()]
        assert found == kept, f"{names}: an adapter takes a layer's place: {kept}, not {found}"
        same(add_adapters(model, names, rank, alpha)(x).detach().numpy(), wanted, "B is zero")
        for name in names:
            one = model.get_submodule(name)
            found = one.lora_A.weight.shape[0], one.alpha
            assert found == (rank, alpha), f"{name}: rank and alpha {rank, alpha}, not {found}"


def test_a_layer_in_two_places_has_one_adapter_in_both():
    model = a_tree()
    bare = model[0]
    add_adapters(model, ["0"], rank=2)  # which "2.0" ends in, too
    kinds = [type(model.get_submodule(name)).__name__ for name in ("0", "2.0")]
    assert kinds == ["LoRALinear"] * 2, f"both places have an adapter, not {kinds}"
    first, second = model[0], model[2][0]
    assert first is second, "it is the same adapter in both places"
    assert first.base is bare, "the adapter must contain the original layer itself"
    a, b = Linear(4, 4), Linear(4, 4)
    model = add_adapters(Sequential(a, b, a), ["0", "1", "2"], rank=2)
    assert model[0] is model[2], "of layers a, b, a both places of a have one adapter"


def test_each_layer_has_an_adapter_of_its_own():
    model = Sequential(Sequential(Linear(4, 4)), Sequential(Linear(4, 4)))
    layers, x = [model[0][0], model[1][0]], tensor(drawn(3, 4))
    wanted = model(x).detach().numpy()
    add_adapters(model, ["0"], rank=1)
    kept = [model[n][0].base is layer for n, layer in enumerate(layers)]
    assert kept == [True, True], (
        f"two layers of one size at 0.0 and 1.0: is each the base of its own adapter? {kept}"
    )
    same(
        model(x).detach().numpy(), wanted, "two layers of one size: the model begins as it was"
    )


def test_the_state_of_an_adapter_by_itself():
    adapter = LoRALinear(Linear(4, 3), 2)
    state, wanted = adapter_state(adapter), ["lora_A.weight", "lora_B.weight"]
    found = sorted(state)
    assert found == wanted, f"of a LoRALinear as it begins: {wanted}, not {found}"
    same(state["lora_B.weight"].detach().numpy(), 0, "B begins with zeros, and is saved")


def test_the_state_is_that_of_the_adapters_and_of_all_of_them():
    model = a_tree()
    for name in ("exploration", "lora_head", "lora_A2", "proj_A"):  # no adapters
        model.add_module(name, Linear(3, 2))
    add_adapters(model, ["0", "3"], rank=2)
    model.requires_grad_(False)
    model[1].requires_grad_(True)
    parts = {f"{n}.lora_{p}.weight": getattr(model.get_submodule(n), f"lora_{p}").weight
             for n in ("0", "2.0", "3") for p in "AB"}  # fmt: skip
    for number, each in enumerate(parts.values()):
        each.array[...] = drawn(*each.shape, seed=number)
    state = adapter_state(model)
    message = "one adapter is at 0 and at 2.0, another at 3: all names of their A and B"
    assert sorted(state) == sorted(parts), message
    for name, wanted in parts.items():
        same(state[name].detach().numpy(), wanted.array, name)


# %% [markdown]
# `save_adapters(model, path)` and `load_adapters(model, path)` are given, and keep them in a separate file. Try it: the
# 4-bit network reads digits, and should learn to read mirrored digits. How many weights does it take to learn that?


# %%
#| export
from tinytorch.given.compression.adapters import *


# %%
mirrored, unseen_mirrored = images.flip(-1), unseen.flip(-1)
packed = quantize_int4(mlp)
print(f"4 bits: {right(packed):.1f} % right, mirrored {right(packed, unseen_mirrored):.1f} %")
candidates = {"all weights": copy.deepcopy(mlp), "last layer": copy.deepcopy(mlp)}
candidates["last layer"][1].requires_grad_(False)
for rank in (1, 2, 4, 8):
    manual_seed(rank)
    candidates[f"rank {rank}"] = add_adapters(copy.deepcopy(packed), ["1", "3"], rank)
for name, model in candidates.items():
    weights = [each for each in model.parameters() if each.requires_grad]
    manual_seed(1)
    train(model, epochs=8, x=mirrored)
    count, score = sum(each.numel() for each in weights), right(model, unseen_mirrored)
    print(f"{name:12} {count:6,} numbers trained, {score:5.1f} % of the mirrored digits right")
tuned, file = candidates["rank 4"], io.BytesIO()
save_adapters(tuned, file)
print(f"file of rank 4: {len(file.getvalue()):,} bytes, the base {file_bytes(packed):,}")
file.seek(0)
again = load_adapters(copy.deepcopy(packed), file)
print(f"base, and the file loaded: {right(again, unseen_mirrored):.1f} % of the mirrored")
print(f"the base without its adapters: {right(packed):.1f} % of the digits as they were")

# %% [markdown]
# The 4-bit network reads fewer than half of the mirrored digits. Six hundred and sixty numbers, the corrections of rank
# 2, bring it to within a few digits of training all 9,610, and rank 8 is level with it. Training the last layer alone
# is not enough, though it is larger than the adapters of rank 2: mirroring changes what the first layer sees. And the
# base reads digits as before, because nothing in it has changed; it can serve any number of such files. (How low a rank
# suffices depends on how far the new task is from the old one.)
#
# With this, `make milestone tune` teaches a language model of 135 million weights another style, in your code, while
# its weights stay in 4 bits.

# %% [markdown]
# ## 10. Shared values
#
# Keep every weight, but allow only a few *values*, 16 for a whole layer: each weight is then a 4-bit number, and a
# table says what the numbers mean (Han et al., 2016). Unlike the integers of module 15, the values need not be equally
# spaced; they go where the weights are. They are found by *k-means* in one dimension:
#
# 1. spread `count` centers evenly from the smallest weight to the largest;
# 2. give each weight the code of its nearest center;
# 3. move each center to the mean of its weights, and repeat from 2.
#
# Evenly spaced centers at the start leave some for the rare large weights, which matter; centers at random weights
# would nearly all begin near zero. A center with no weights has no mean: it stays where it is.
#
# <details><summary>Hint 1</summary>In one dimension the centers stay sorted, and the borders half-way between
# neighbours give the nearest one: <code>np.searchsorted(borders, values)</code>. Or take distances, a (size, count)
# array, and their <code>argmin(1)</code>.</details>
# <details><summary>Hint 2</summary><code>np.bincount(codes, minlength=count)</code> counts the weights of each center,
# and with <code>weights=values</code> adds them up. Divide only where the count is not 0.</details>
# <details><summary>Hint 3</summary>The codes returned belong to the centers returned: after the last move, assign once
# more. Write the assignment as a small function inside, and use it twice.</details>


# %% stub="kmeans"
#| export
def kmeans(values, count, iterations=20):
    """Find centers for numbers, and the nearest center of each.

    Args:
        values: a vector of floating point numbers; it is not changed.
        count: how many centers, 1 to 256.
        iterations: how often the centers are moved to the means; it may stop earlier, when
            nothing moves any more.

    Returns:
        The centers, float32 and ascending; at first evenly spaced from minimum to maximum. And
        for each number the code, uint8, of a nearest center, before or after the rounding.

    >>> centers, codes = kmeans(np.float32([0, 1, 9, 11]), 2)
    >>> centers, codes
    (array([ 0.5, 10. ], dtype=float32), array([0, 0, 1, 1], dtype=uint8))
    """
    ### BEGIN SOLUTION
    centers = np.linspace(values.min(), values.max(), count)

    def nearest():
        return np.searchsorted((centers[1:] + centers[:-1]) / 2, values)

    for _ in range(iterations):
        codes = nearest()
        sizes = np.bincount(codes, minlength=count)
        sums = np.bincount(codes, weights=values, minlength=count)
        centers = np.where(sizes > 0, sums / np.maximum(sizes, 1), centers)
    return centers.astype(np.float32), nearest().astype(np.uint8)
    ### END SOLUTION


# %% test="kmeans" points=7
def by_loops(values, count, iterations):
    """k-means, exactly as in the three steps."""
    low, high = float(values.min()), float(values.max())
    centers = [low + (high - low) * i / max(count - 1, 1) for i in range(count)]
    for turn in range(iterations + 1):
        codes = [min(range(count), key=lambda c: abs(float(v) - centers[c])) for v in values]
        if turn < iterations:
            for c in range(count):
                members = [float(v) for v, code in zip(values, codes) if code == c]
                centers[c] = sum(members) / len(members) if members else centers[c]
    return np.array(centers), np.array(codes)


def check_clusters(values, count, iterations=20):
    centers, codes = by_loops(values, count, iterations)
    kept = values.copy()
    found, size = kmeans(values, count, iterations), float(np.abs(values).max())
    few = values if len(values) < 9 else f"from {values.min():.3g} to {values.max():.3g}"
    about = f"{len(values)} numbers {few}, {count} centers, {iterations} iterations"
    same(values, kept, "`values` belong to the caller")
    two = isinstance(found, tuple | list) and len(found) == 2
    array = isinstance(found, np.ndarray)
    one = f"an array of shape {found.shape}" if array else type(found).__name__
    assert two, f"{about}: a pair (centers, codes) is wanted, not {one}"
    np.testing.assert_allclose(
        found[0], centers, rtol=1e-4, atol=1e-5 * size, err_msg=f"centers, {about}"
    )
    same(found[1], codes, f"codes of the nearest of {np.float32(centers)}, {about}")
    assert found[0].dtype == np.float32, f"centers are float32, not {found[0].dtype}"
    assert found[1].dtype == np.uint8, f"codes are uint8, not {found[1].dtype}"


def test_unmoved_centers_are_evenly_spaced_and_codes_are_those_of_the_nearest():
    check_clusters(np.float32([5, -3, -2.5, 5.5, 0.25, 6]), 3, iterations=0)


def test_centers_go_where_the_numbers_are():
    check_clusters(np.float32([0, 1, 9, 11]), 2)
    check_clusters(np.float32([5, -3, -2.5, 5.5, 0.25, 6]), 3)
    for sign in (1, -1):  # far from 0
        check_clusters(np.float32([26, 20, 17, 11.5, 12, 6]) * sign, 3)
    for count in (1, 2, 4, 16):
        check_clusters(drawn(200, seed=count) / 50, count)


def test_each_number_of_iterations():
    for iterations in (0, 1, 2, 5):
        for count in (5, 1):
            check_clusters(drawn(80, seed=7), count, iterations)


def test_small_numbers_are_clustered_like_large_ones():
    for power in (-12, -20, -30):
        check_clusters(drawn(80, seed=7) * np.float32(2.0**power), 5)


def test_numbers_whose_squares_vanish_are_clustered_too():
    check_clusters(drawn(80, seed=7) * np.float32(2.0**-85), 5)


def test_float64_has_centers_of_float32_too():
    check_clusters(np.float64([0, 1, 9, 11]), 2)


def test_a_center_without_numbers_stays():
    check_clusters(np.float32([0.2, 0, 0.1, 10]), 4)
    check_clusters(np.float32([-7, 7, 6.9]), 6)
    check_clusters(drawn(60, seed=1) ** 3, 8)


def test_numbers_whose_sum_is_0_have_a_mean():
    check_clusters(np.float32([-1, 1, 5, 6]), 2)
    check_clusters(np.float32([-4, 0, 0, 0, 6]), 3)


def test_equal_numbers_need_no_room():
    centers, codes = kmeans(np.full(5, 0.25, np.float32), 4)
    same(centers[codes], 0.25, "five times 0.25, 4 centers")
    same(centers, 0.25, "all 4 centers begin at 0.25, and those without numbers stay there")


def test_256_codes_fit_into_a_byte():
    values = np.linspace(-1, 1, 256, dtype=np.float32)
    centers, codes = kmeans(values, 256)
    np.testing.assert_allclose(centers[codes], values, atol=1e-5, err_msg="a center for each")


# %% [markdown]
# `cluster_weights(model, entries)` is given: each Linear becomes a `ClusteredLinear`, with the table as its Parameter
# and the codes as a buffer, two to a byte (by `pack_int4` of module 15). The weight is looked up in each forward pass,
# `table[codes]`. Since indexing has a gradient, the table can be trained: an entry's gradient is the sum over all
# weights that share it.

# %%
#| export
from tinytorch.given.compression.clustering import *

# %%
clustered = {}
print(f"dense: {right(mlp):.1f} %, trained on {right(dense):.1f} %; {file_bytes(mlp):,} bytes")
for entries in (16, 8, 4, 2):
    model = cluster_weights(mlp, entries)
    clustered[entries] = trained_on(copy.deepcopy(model), epochs=3)
    print(
        f"{entries:2} values a layer: {right(model):5.1f} % right, tables trained on ", end=""
    )
    print(f"{right(clustered[entries]):5.1f} %; {file_bytes(model):,} bytes")

# %% [markdown]
# Sixteen values are enough, and so are eight; the file is six times smaller. With four values a code would need only
# two bits, but here it always takes four. The forward pass takes longer, because it looks up all weights first.
#
# ## 11. A teacher
#
# The last method does not look at the weights at all. A label says "7". A trained network says: 7 with probability
# 0.93, and otherwise 9 rather than 1 or 2. The probabilities of the *wrong* answers are information too, and a small
# network can be trained on them (Hinton et al., 2015). To give them more weight, both networks' logits are divided by a
# temperature $T$, which flattens the probabilities $q = \mathrm{softmax}(z / T)$:
#
# $$L = a \cdot \mathrm{CE}(z, \text{label}) + (1 - a)\, T^2 \cdot \mathrm{KL}\big(q^{teacher} \,\|\, q^{student}\big)$$
#
# averaged over the samples. Why $T^2$? The gradient of the second part with respect to the student's logits is
# $T^2 \cdot \frac{1}{T} (q^{student} - q^{teacher})$, and the difference of the two shrinks like $1/T$: with $T^2$ the
# gradient keeps its size, and $a$ keeps its meaning when $T$ changes.
#
# The teacher's logits are constants: no gradient flows into them.
#
# <details><summary>Hint 1</summary>Module 04 has everything you need: <code>cross_entropy</code> takes logits and
# labels, <code>kl_div(input, target)</code> takes the <em>logarithms</em> of the student's probabilities first, and the
# teacher second.</details>
# <details><summary>Hint 2</summary><code>reduction="batchmean"</code> divides by the number of samples;
# <code>"mean"</code>, the default, would divide by the ten classes as well. <code>log_target=True</code> lets you pass
# logarithms for the teacher, too, which is safe for probabilities of 0.</details>
# <details><summary>Hint 3</summary>For the second part both logits are divided by T before <code>log_softmax</code>,
# and the teacher's are a constant by <code>detach()</code>. The first part takes the student's logits
# unchanged.</details>


# %% stub="distillation-loss"
#| export
def distillation_loss(student, teacher, labels, temperature=4.0, alpha=0.1):
    """The loss of a student that learns from labels and from a teacher's probabilities.

    alpha CE(student, labels) + (1 - alpha) T² KL(softmax(teacher / T) ‖ softmax(student / T))

    Args:
        student: logits (N, classes), a Tensor.
        teacher: logits (N, classes), a Tensor; it gets no gradient.
        labels: class indices (N), int64.
        temperature: T.
        alpha: the share of the labels, 0 to 1.

    Returns:
        A Tensor without dimensions, the mean over the samples.

    >>> logits = tensor([[2.0, 0.0], [0.0, 1.0]])
    >>> distillation_loss(logits, logits, tensor([0, 1]), alpha=0.0).item()
    0.0
    """
    ### BEGIN SOLUTION
    cold = log_softmax(student / temperature, 1)
    wanted = log_softmax(teacher.detach() / temperature, 1)
    soft = kl_div(cold, wanted, reduction="batchmean", log_target=True)
    hard = cross_entropy(student, labels)
    return alpha * hard + (1 - alpha) * temperature**2 * soft
    ### END SOLUTION


# %% test="distillation-loss" points=6
def softmax64(z):
    exps = np.exp(z.astype(float) - z.max(1, keepdims=True))
    return exps / exps.sum(1, keepdims=True)


def check_distillation(N, classes, temperature, alpha, size=2.0):
    z, v = (
        drawn(N, classes, seed=N) * np.float32(size),
        drawn(N, classes, seed=N + 1) * np.float32(size),
    )
    labels = np.random.default_rng(N).integers(0, classes, N)
    p, q, target = softmax64(z), softmax64(z / temperature), softmax64(v / temperature)
    hard = -np.log(p[np.arange(N), labels]).mean()
    soft = (target * (np.log(target) - np.log(q))).sum(1).mean()
    wanted = float(alpha * hard + (1 - alpha) * temperature**2 * soft)
    gradient = alpha * (p - np.eye(classes)[labels]) + (1 - alpha) * temperature * (q - target)
    student, teacher = tensor(z, requires_grad=True), tensor(v, requires_grad=True)
    found = distillation_loss(student, teacher, tensor(labels), temperature, alpha)
    about = f"{N} samples, {classes} classes, T={temperature}, alpha={alpha}"
    is_tensor = isinstance(found, Tensor)
    assert is_tensor, f"{about}: a Tensor is wanted, not a {type(found).__name__}"
    assert found.shape == (), f"{about}: a Tensor without dimensions, not {found.shape}"
    message = f"{about}: the loss is {wanted:.5f}, not {found.item():.5f}"
    assert np.isclose(found.item(), wanted, rtol=1e-4, atol=1e-4), message
    found.backward()
    np.testing.assert_allclose(
        student.grad.numpy(), gradient / N, rtol=1e-3, atol=1e-4, err_msg=f"gradient, {about}"
    )
    same(teacher.detach().numpy(), v, "the teacher's logits belong to the caller")
    assert teacher.requires_grad, "the teacher's requires_grad belongs to the caller"
    untaught = teacher.grad is None or not teacher.grad.numpy().any()
    assert untaught, "the teacher's logits are constants and get no gradient"


def test_both_parts_and_their_weights():
    check_distillation(6, 4, 3.0, 0.0)
    check_distillation(6, 4, 3.0, 1.0)
    check_distillation(4, 3, 1.0, 0.5)
    check_distillation(5, 10, 4.0, 0.1)
    check_distillation(3, 2, 2.5, 0.9)
    check_distillation(4, 3, 0.5, 0.0)


def test_defaults_are_four_and_a_tenth():
    z, v, y = drawn(3, 5), drawn(3, 5, seed=1), [0, 4, 2]
    by_default, given = (
        distillation_loss(tensor(z), tensor(v), tensor(y), *arguments).item()
        for arguments in ((), (4.0, 0.1))
    )
    message = f"temperature=4.0 and alpha=0.1 give {given}, the defaults {by_default}"
    assert abs(by_default - given) < 1e-6, message


def test_logits_of_900_do_no_harm():
    even, sure = np.zeros((2, 3), np.float32), np.float32([[900, 0, 0], [0, -900, 0]])
    for who, z, v, wanted in [
        ("teacher with logits 0 and -900", even, sure[[1, 1]], np.log(3 / 2)),
        ("teacher with logits of 900", even, sure, (np.log(3) + np.log(3 / 2)) / 2),
        ("student with logits of 900", sure, even, (600 + 300 + np.log(2)) / 2 - np.log(3)),
    ]:
        found = distillation_loss(tensor(z), tensor(v), tensor([0, 1]), 1.0, 0.0).item()
        message = f"a {who}: {wanted:.4f}, not {found}"
        assert np.isclose(found, float(wanted), rtol=1e-4), message


# %% [markdown]
# When does a teacher help? Two settings, and for each several seeds: the student alone, and the same student from the
# same start, with the same images in the same order, trained with the loss above. What counts is the difference within
# a pair, and its 95 % interval (mean ± $t \cdot sd / \sqrt n$). **Predict:** how many points does the teacher add if
# the student has only 100 labelled images, and how many if it has all 1,437?


# %%
predicted_few, predicted_all = None, None  # points of 100; two numbers


# %%
def student_right(seed, hidden, amount, steps, teacher=None, alpha=0.1, batch=32):
    """Train a student on some of the images, alone or taught; the model, and its % right."""
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(len(images))[:amount]
    order = [rng.permutation(chosen) for _ in range(steps * batch // amount + 1)]
    order = np.concatenate(order)[: steps * batch]
    manual_seed(seed)
    model = make_mlp(hidden)
    optimizer = AdamW(model.parameters(), lr=0.01, weight_decay=0.05)
    rate = OneCycleLR(optimizer, 0.01, total_steps=steps)
    with no_grad():
        answers = None if teacher is None else teacher(images)
    for rows in order.reshape(steps, batch):
        x, y = images[tensor(rows)], labels[tensor(rows)]
        optimizer.zero_grad()
        if teacher is None:
            loss = cross_entropy(model(x), y)
        else:
            loss = distillation_loss(model(x), answers[tensor(rows)], y, alpha=alpha)
        loss.backward()
        optimizer.step()
        rate.step()
    return model.eval(), right(model)


# %%
def taught_and_alone(title, seeds, **setting):
    """Pairs of a student alone and taught: the mean of the differences, with an interval."""
    alone = np.array([student_right(seed, **setting)[1] for seed in range(seeds)])
    taught = [student_right(seed, teacher=mlp, **setting)[1] for seed in range(seeds)]
    gain = np.array(taught) - alone
    half = scipy.stats.t.ppf(0.975, seeds - 1) * gain.std(ddof=1) / seeds**0.5
    print(f"{title}: {alone.mean():.1f} % alone, {np.mean(taught):.1f} % taught, ", end="")
    print(f"{gain.mean():+.1f} ± {half:.1f} points, {seeds} seeds (worst {gain.min():+.1f})")
    return gain.mean()


few = taught_and_alone("100 labelled images", 6, hidden=32, amount=100, steps=250)
every = taught_and_alone("all 1,437 images   ", 4, hidden=32, amount=1437, steps=200)
predictions.compare(predicted_few, few, "points")
predictions.compare(predicted_all, every, "points")

# %% [markdown]
# With a hundred labelled images the teacher is worth several points, at every seed. Be clear about what helps: the
# teacher has seen all 1,437 labels, and its answers to a hundred images pass on what it learned from the others. When
# the student has all labels, there is nothing left to pass on, and it is no better for it, or a little worse. Whether
# "distillation helps" depends on the setting.
#
# ## 12. What is worth having
#
# You now have some twenty models, each with a size, a time and an accuracy. Which of them are worth having? Not one
# that is *beaten*: another is at least as good in everything, and better in something. Those that remain are called the
# Pareto front.
#
# <details><summary>Hint 1</summary>Row i is beaten by row j if all of j's costs are at most i's, and one of them is
# less. Two equal rows do not beat each other.</details>
# <details><summary>Hint 2</summary>All pairs at once: with a dimension of length 1 before or behind the rows, the costs
# compare to the shape (N, N, M), i first and j second.</details>
# <details><summary>Hint 3</summary>One such comparison with &lt;=, one with &lt;: over the costs, <code>all</code> of
# the first and <code>any</code> of the second say which row beats which. A row stays if no other beats it.</details>


# %% stub="pareto-front"
#| export
def pareto_front(costs):
    """Find the candidates that no other beats.

    Args:
        costs: an array (N, M) of M costs of each of N candidates; less is better.

    Returns:
        An array of N booleans: True where no other candidate has costs that are all at most as
        high, and one of them lower.

    >>> pareto_front(np.array([[1, 9], [5, 5], [6, 5], [9, 1]])).tolist()
    [True, True, False, True]
    """
    ### BEGIN SOLUTION
    as_good = (costs[None, :, :] <= costs[:, None, :]).all(2)
    better = (costs[None, :, :] < costs[:, None, :]).any(2)
    return ~(as_good & better).any(1)
    ### END SOLUTION


# %% test="pareto-front" points=4
def check_front(costs):
    wanted = [
        not any(
            all(b <= a for a, b in zip(i, j)) and any(b < a for a, b in zip(i, j))
            for j in costs
        )
        for i in costs
    ]
    array = np.array(costs)
    kept = array.copy()
    found = pareto_front(array)
    same(array, kept, "`costs` belong to the caller")
    assert isinstance(found, np.ndarray), f"an array, and not a {type(found).__name__}"
    about = f"costs {np.array(costs).tolist()}"
    message = f"{about}: booleans are wanted, one for each row, not {found.dtype} {found}"
    assert found.dtype.kind == "b", message
    assert found.shape == (len(costs),), message
    assert found.tolist() == wanted, f"{about}: {wanted}, not {found.tolist()}"


def test_what_is_beaten_is_not_in_front():
    check_front([[2, 2], [1, 1], [4, 4], [5, 5], [3, 3]])
    check_front([[1, 9], [5, 6], [6, 6], [9, 1]])
    check_front([[1, 2], [1, 1], [2, 0]])
    check_front([[1, 2], [3, 2]])
    check_front([[-0.2, 0.004], [-0.1, 0.004], [-0.2, 0.001]])
    check_front([[1, 2, 3], [3, 2, 1], [2, 2, 2], [3, 3, 3], [1, 2, 4]])
    check_front([[0.1, 2.0], [0.1005, 2.0]])
    check_front([[0.1, 2.0], [0.1 + 1e-9, 2.0]])
    check_front([[0.1, 2.0], [0.1 + 1e-9, 1.0]])
    check_front([[2**24, 2], [2**24 + 1, 2]])  # bytes that float32 cannot tell apart
    check_front([[1e9, 1e-8], [1e9, 2e-8]])  # bytes and seconds, with equal sums
    check_front([[np.inf, 1], [np.inf, 2]])
    check_front(np.array([[1, 9], [5, 5], [6, 5]], np.uint8))  # which have no differences


def test_equal_candidates_do_not_beat_each_other():
    check_front([[1, 2], [1, 2], [2, 1]])
    check_front([[4.0, 4.0]])
    check_front([[3], [1], [2], [1]])


def test_many_candidates():
    for M in (2, 3, 4):
        check_front(np.random.default_rng(M).integers(0, 6, (40, M)).tolist())


# %% [markdown]
# Measure all of them in the same way: bytes of the file that `save` writes, milliseconds for 360 images, share of wrong
# answers. int8 of module 15 is there, too.

# %%
families = {"fewer units": shrunk, "small at once": scratch, "low rank": thin}
families |= {"clusters": clustered, "zeros": gradual}
models = {kind: {str(n): m for n, m in each.items()} for kind, each in families.items()}
models["dense"] = {"": mlp, "trained on": dense}
models["taught"] = {"16": student_right(0, 16, 1437, 300, teacher=mlp)[0]}
models["int8"] = {"": quantize_dynamic(dense), "32": quantize_dynamic(shrunk[32])}
rows = [
    (family, name, file_bytes(model), milliseconds(model), right(model))
    for family, members in models.items()
    for name, model in members.items()
]
in_front = pareto_front(np.array([(size, time, -score) for _, _, size, time, score in rows]))
listed = sorted(zip(rows, in_front), key=lambda pair: pair[0][2])
for (family, name, size, time, score), front in listed:
    title = f"{family} {name}".strip()
    print(f"{title:17} {size:7,} bytes {time:6.3f} ms {score:5.1f} %{'  *' if front else ''}")
draw_front(plt.subplots(1, 2, figsize=(11, 4), layout="constrained")[1], rows, in_front)
plt.show()

# %% [markdown]
# A star marks a model that no other beats: none is at least as good in all three, and better in one. Models with zeros
# should get no star, because they cost as much as the dense network. What makes the file small (fewer units, integers,
# tables) is not the same as what makes the model fast (fewer units, and to some degree a low rank); and the network
# that was small from the beginning is among the best. With 360 digits and one seed, neighbours may change places:
# another seed changes an accuracy by half a point, the next measurement a time by a microsecond or two.
#
# ## Systems: where the bytes and the calls are
#
# Why is the time for one image always the same? Count instead of timing: how many multiplications, and how many
# operations of the framework, each of which costs some microseconds before any arithmetic.

# %%
kinds, names = ("dense", "fewer units", "low rank", "clusters"), ("", "16", "8", "16")
for kind, name in zip(kinds, names):
    model = models[kind][name]
    with no_grad():
        flops = count_flops(lambda m=model: m(unseen[:1]))
        times = [milliseconds(model, x, 100) for x in (unseen[:1], unseen)]
    print(f"{kind:11} {name:2} {flops:6,} FLOPs an image; ms for 1, 360:", *np.round(times, 3))


# %% [markdown]
# Divide the time of 360 images by 360: an image among many takes a fraction of a microsecond, and a single one some
# dozens. All but that fraction is spent in Python, so nothing that you do to the weights can shorten it, and low rank,
# with one more layer, even makes it longer. Compression saves time where the products are large: with 360 images at
# once, and in larger networks.
#
# ## Break it
#
# **A copy of a pruned model.** A pruned `weight` is the result of a product and has a graph behind it, and such a
# Tensor cannot be copied, here as in PyTorch: `copy.deepcopy` raises a RuntimeError. Copy before you prune, or run a
# forward pass under `no_grad`, which recomputes `weight` without a graph. And the file of a pruned model can only be
# loaded into a model with masks on the same parameters, whatever the masks are: put `identity` on these first.
#
# **Cutting where it is not allowed.** Units that are added together, as in a residual network $x + f(x)$, have to be
# the same ones in both terms. Cut only one term, and the shapes no longer match, or worse, they match and the wrong
# units are added. `shrink` cuts what you name: you have to know which layers belong together.
#
# ## In PyTorch
#
# ```python
# from torch.nn.utils import prune
#
# prune.l1_unstructured(layer, "weight", amount=0.5)
# prune.ln_structured(conv, "weight", amount=2, n=1, dim=0)
# prune.global_unstructured([(a, "weight"), (b, "weight")], prune.L1Unstructured, amount=0.8)
# prune.is_pruned(layer); layer.weight_mask; layer.weight_orig
# prune.remove(layer, "weight")
# ```
#
# All of it runs here too, with `import tinytorch as torch`, and gives the same masks. A mask of `torch.nn.utils.prune`
# never changes a shape. Another package, `torch.ao.pruning`, has a cubic schedule (`CubicSL`) and, marked as
# experimental, pruners that cut units out. `torch.nn.utils.parametrize` is a newer way to do what `weight_orig` and the
# hook do.
#
# ## A program to fix
#
# This program prunes in the middle of training. It knows that the optimizer would bring the weights back, so it
# multiplies each gradient by the mask before the step. Without a gradient, a weight that is 0 should stay 0. Run it,
# and find out what moves the weights all the same; then let the zeros stay.
#
#
# %%
def pruned_in_the_middle(share=0.9, steps=46):
    """Train a copy of the network further, and remove weights half-way."""
    manual_seed(1)
    model, masks = copy.deepcopy(mlp).train(), {}
    optimizer = AdamW(model.parameters(), lr=0.003, weight_decay=0.0)
    for step, rows in enumerate(randperm(len(images)).repeat(2).split(64)[:steps]):
        if step == steps // 2:
            for layer in (model[1], model[3]):
                w = layer.weight.array
                masks[layer] = magnitude_mask(w, round(share * w.size))
                w *= masks[layer]
        optimizer.zero_grad()
        cross_entropy(model(images[rows]), labels[rows]).backward()
        for layer, mask in masks.items():
            layer.weight.grad.array *= mask
        optimizer.step()
    return model.eval()


found = pruned_in_the_middle()
print(f"{np.mean(found[1].weight.array == 0):.0%} of the first layer are 0")

# %% [markdown]
# <details><summary>Answer</summary>The optimizer's memory. Adam moves a weight by its running mean of gradients, which
# is not 0 for weights that were trained before: look at <code>optimizer.state[layer.weight]["exp_avg"]</code> after the
# step that prunes. It fades only slowly, so each pruned weight is pushed on for dozens of steps. Do not repair the
# optimizer: mask what is <em>used</em>. With <code>l1_unstructured(layer, "weight", amount=share)</code> half-way,
# <code>weight_orig</code> may move as it likes, and <code>weight</code> is 0 wherever the mask is. (Multiplying the
# weights by the mask after each step helps, too, until someone forgets it.)</details>
#
# ## Questions to think about
#
# 1. Which of the sizes above would change if the file were compressed by zlib? Which would not, and why?
#
# <details><summary>Answer</summary>Only the files with repeated bytes become much smaller. <code>model_bytes</code>
# measured it: with 90 % zeros, masks removed, 38,944 bytes become 8,084, because zeros are long runs of the same byte.
# The dense network only goes to about 35,900: the digits of trained weights are as good as random, and only their
# exponents repeat. Fewer units and thin matrices hold the same kind of numbers, so they lose as little. Integers and
# codes have fewer bits to begin with, which are nearly used up already.</details>
#
# 2. A weight that is 0 has a gradient. Could it show that the weight should come back? What would your mask have to do
#    for that?
#
# <details><summary>Answer</summary>
#
# Yes: $\partial L / \partial w$ at $w = 0$ says how fast the loss falls if the weight leaves 0, and is large where it
# is missed. But your mask multiplies it by 0 on its way to <code>weight_orig</code>. To use it, read the gradient of
# the product (<code>weight.retain_grad()</code> before <code>backward</code>). From time to time, remove the smallest
# of the living weights, and set the mask to 1 for as many removed ones with the largest gradients, starting from 0.
# (Evci et al., "Rigging the Lottery", 2020, train sparse networks in this way.)
#
# </details>
#
# 3. Between two layers stands a batch normalisation. Which part of it belongs to a unit, and in which of the two
#    functions would you cut it?
#
# <details><summary>Answer</summary>
#
# To each unit belong one entry of its weight, bias, running mean and running variance. It normalises what the first
# layer puts out, so it is cut like the outputs: with <code>select_outputs</code>, by the same <code>kept</code>, all
# four vectors. <code>select_inputs</code> of the second layer stays as it is. If only the row of the weight were set to
# 0, the unit would still give a constant, now $\beta - \gamma \mu / \sqrt{\sigma^2 + \varepsilon}$: as in the trap of
# section 7.
#
# </details>
#
# 4. Global pruning by magnitude takes nearly everything from a layer whose weights are all small. When is a layer with
#    small weights important?
#
# <details><summary>Answer</summary>Whenever something else makes up for the scale: large inputs, a large weight behind
# it, or a normalisation, which cancels it entirely. Multiply the first layer of the MLP by 0.01 and the last layer's
# weight by 100: for ReLU the function stays the same. Global pruning of 80 %, which left 82.5 % of the digits right,
# then leaves 51.1 %, because it takes 93 % of the first layer's weights and none of the last's; of 90 %, the whole
# first layer. <code>scores_with_inputs</code> help only in part, 81.9 %, because the first layer's scores shrink as its
# weights do; <code>with_masks(..., layerwise=True)</code> keeps exactly the masks that it had.</details>
#
# 5. At which rank does a Linear of 1,024 x 1,024 have half of its parameters? And one of 4,096 x 64?
#
# <details><summary>Answer</summary>r (O + I) = O I / 2. For the square r = 1,024² / (2 · 2,048) = 256, a quarter of the
# full rank. For 4,096 x 64, r = 262,144 / (2 · 4,160) = 31.5, so 31: nearly half of the full rank, 64, since the long
# side is hardly shortened by going through r numbers. In general half of the parameters is r = 1 / (2 (1/O + 1/I)): for
# very unequal sides half of the shorter one, for equal sides a quarter.
# <code>count_parameters(factorize(layer, r))</code> counts.</details>
#
# 6. In a student's loss, what does a very high temperature make of the Kullback-Leibler divergence? (Expand the
#    exponential: it is a squared error of logits.)
#
# <details><summary>Answer</summary>
#
# For large T, softmax(z / T) is nearly $\frac{1}{C} (1 + (z - \bar z) / T)$, with C classes. The divergence of two
# distributions that both lie near $1 / C$ is nearly $\frac{C}{2} \sum (p - q)^2$, so T² times it is $\frac{1}{2C} \sum
# (d - \bar d)^2$ with the difference of logits $d$: half of the mean squared error, up to a constant added to all
# logits. For random logits <code>distillation_loss(s, t, labels, T, alpha=0.0)</code> gave 2.65, 3.72, 3.74 and 3.73
# for T = 1, 4, 20, 100; the formula gives 3.73.
#
# </details>
#
# ## To read
#
# - Song Han and others, *Learning both Weights and Connections for Efficient Neural Networks* (2015), section 3:
#   pruning and training in turns.
# - Jonathan Frankle and Michael Carbin, *The Lottery Ticket Hypothesis: Finding Sparse, Trainable Neural Networks*
#   (2019), sections 1 and 2: section 5, in networks of several sizes.
# - Zhuang Liu and others, *Rethinking the Value of Network Pruning* (2019): controls that many papers left out.
# - Edward Hu and others, *LoRA: Low-Rank Adaptation of Large Language Models* (2021), sections 4 and 7.
# - Geoffrey Hinton, Oriol Vinyals and Jeff Dean, *Distilling the Knowledge in a Neural Network* (2015), section 2:
#   question 6 is solved there.
#
# ## An open problem
#
# What does a ticket need of its start? Perhaps only the *signs* of the weights that are left (Zhou et al.,
# "Deconstructing Lottery Tickets", 2019). Give each its sign, times one size for the whole layer, and train. The cell
# has one control, other weights. Is `keep_signs` as good as the ticket, for several starts? Which size is right? Are
# signs at random, with the same sizes, worse?
#
#
# %%
manual_seed(0)
start = make_mlp()
ticket = find_ticket(start, ["1.weight", "3.weight"], lambda m: train(m, 10), 0.95, 5)


def keep_signs(start):
    """A copy of `start` whose two weights keep their signs, and one size in each layer."""
    return copy.deepcopy(start)  # yours


accuracies, signs = [], keep_signs(start)
for chosen in (start, signs, make_mlp()):
    manual_seed(2)
    accuracies.append(right(train(put_masks(ticket, chosen), epochs=10)))
print(
    "the start {:.1f} %, yours {:.1f} %, other weights {:.1f} %: ".format(*accuracies), end=""
)
print("not yet" if len(np.unique(np.abs(signs[1].weight.array))) > 1 else "signs alone")

# %% [markdown]
# ## What comes next
#
# You have made networks smaller, and found that smaller is not yet faster. Module 17 makes the same networks faster, by
# looking at the memory that they move and the processor's caches, and by compiling loops.
