# %% [markdown]
# # 08 Training
#
# The loop around the step: clipping, schedules, files, and a trainer that can be stopped and resumed.

# %%
#| export
import contextlib
import itertools
import json
import math
import os
import shutil
import tempfile
import types
import warnings
from bisect import bisect_right
from collections import Counter, OrderedDict

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors import numpy as safetensors

from tinytorch.autograd import no_grad
from tinytorch.layers import Parameter
from tinytorch.optimizers import Optimizer
from tinytorch.tensor import Size, Tensor, cat, changed, default_generator, device, tensor, wrap
from tinytorch.tensor import dtype as Dtype


# %% stub="total-norm"
#| export
def norm_of(arrays, norm_type):
    """The norm of all the elements of several arrays, as if they were one vector."""
    ### BEGIN SOLUTION
    norms = [float(np.linalg.norm(array.reshape(-1), norm_type)) for array in arrays]
    return float(np.linalg.norm(norms, norm_type))
    ### END SOLUTION


# %% stub="clip"
#| export
def scale_gradients(arrays, max_norm, norm):
    """Scale arrays of norm `norm` in place so that their norm is at most `max_norm`."""
    ### BEGIN SOLUTION
    factor = max_norm / (norm + 1e-6)
    for array in arrays if not factor >= 1 else ():
        array *= factor
    ### END SOLUTION


# %%
#| export
def gradients_of(parameters):
    """The gradients of one tensor or of several, those that have one."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in parameters if parameter.grad is not None]


def get_total_norm(tensors, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """The norm of several tensors taken as one vector: a 0-d tensor."""
    tensors, norm_type = [tensors] if isinstance(tensors, Tensor) else list(tensors), float(norm_type)
    if not tensors:
        return tensor(0.0)
    norm = norm_of([t.array for t in tensors], norm_type)
    if error_if_nonfinite and not math.isfinite(norm):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, so it cannot be clipped. "
            "To disable this error and scale the gradients by the non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return wrap(np.array(norm, np.result_type(*[t.array.dtype for t in tensors])))


def clip_grads_with_norm_(parameters, max_norm, total_norm, foreach=None):
    """Scale gradients whose norm is `total_norm`, so that it is at most `max_norm`."""
    arrays = [grad.array for grad in gradients_of(parameters)]
    scale_gradients(arrays, float(max_norm), float(total_norm))
    for array in arrays:
        changed(array)


def clip_grad_norm_(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None):
    """Scale the gradients of all parameters together, in place, so that their norm is at most `max_norm`.

    Returns:
        The norm that they had before: a 0-d tensor.

    Raises:
        RuntimeError: if the norm is not finite and `error_if_nonfinite` asks for an error; nothing has been changed.
    """
    is_generator = isinstance(parameters, types.GeneratorType)
    parameters = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    if is_generator and not parameters:
        warnings.warn("`parameters` is an empty generator, no gradient clipping will occur.", stacklevel=2)
    total_norm = get_total_norm(gradients_of(parameters), norm_type, error_if_nonfinite)
    clip_grads_with_norm_(parameters, max_norm, total_norm)
    return total_norm


def clip_grad_value_(parameters, clip_value, foreach=None):
    """Bring every element of every gradient into [-clip_value, clip_value], in place."""
    for grad in gradients_of(parameters):
        np.clip(grad.array, -float(clip_value), float(clip_value), out=grad.array)
        changed(grad.array)


# %% [markdown]
# ## Schedules


# %%
#| export
def values_of(optimizer, key):
    """An option of every group; one that is a tensor is copied, since it will be changed in place."""
    return [g[key].clone() if isinstance(g[key], Tensor) else g[key] for g in optimizer.param_groups]


def set_value(group, key, value):
    """Change an option of a group; one that is a tensor keeps its memory."""
    if isinstance(group[key], Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


def one_for_each_group(name, optimizer, value):
    """A list of one value for each group: the one given, or the same for all."""
    groups = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * groups
    if len(value) != groups:
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. {name} has {len(value)} values, "
            f"param_groups has {groups}."
        )
    return list(value)


def note_step(optimizer, args, kwargs):
    """A hook by which a scheduler knows that its optimizer has stepped."""
    optimizer._opt_called = True


def check_optimizer(optimizer):
    """Refuse what is no optimizer."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


# %% stub="advance"
#| export
def advance(scheduler, epoch=None):
    """Move a scheduler one epoch on, or to `epoch`, and give every group its learning rate."""
    ### BEGIN SOLUTION
    closed_form = epoch is not None and hasattr(scheduler, "_get_closed_form_lr")
    scheduler.last_epoch = scheduler.last_epoch + 1 if epoch is None else epoch
    rates = scheduler._get_closed_form_lr() if closed_form else scheduler.get_lr()
    for group, rate in zip(scheduler.optimizer.param_groups, rates, strict=True):
        set_value(group, "lr", rate)
    scheduler._last_lr = values_of(scheduler.optimizer, "lr")
    ### END SOLUTION


# %%
#| export
class LRScheduler:
    """The base of all schedules of learning rates: `get_lr`, which every subclass writes, gives those of `last_epoch`.

    Args:
        optimizer: whose groups it changes, once when it is made and then at every `step()`.
        last_epoch: the epoch at which to take up; -1 to begin. "Epoch" is whatever lies between two calls of `step()`.
    """

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for number, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault(
                    "initial_lr", group["lr"].clone() if isinstance(group["lr"], Tensor) else group["lr"]
                )
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{number}] when resuming scheduler with "
                    "last_epoch >= 0: load the optimizer's state first"
                )
        self.base_lrs = values_of(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        if not hasattr(optimizer, "_opt_called"):
            optimizer._opt_called = False
            optimizer.register_step_post_hook(note_step)
        self._initial_step()

    def _initial_step(self):
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False

    def get_lr(self):
        """The learning rate of each group at `last_epoch`."""
        raise NotImplementedError

    def get_last_lr(self):
        """The learning rate of each group as the last step set it."""
        return self._last_lr

    def step(self, epoch=None):
        """Go on to the next epoch: call it after the optimizer's step, or after an epoch of them."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the opposite "
                "order: `optimizer.step()` before `lr_scheduler.step()`. Failure to do this will result in skipping the "
                "first value of the learning rate schedule.",
                stacklevel=2,
            )
        if epoch is not None:
            warnings.warn(
                "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
                "Please use `scheduler.step()` to step the scheduler.",
                stacklevel=2,
            )
        self._step_count += 1
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        advance(self, epoch)

    def _scaled(self, factor):
        """The present rate of each group, times a factor."""
        return [group["lr"] * factor for group in self.optimizer.param_groups]

    def _unchanged(self):
        return values_of(self.optimizer, "lr")

    def state_dict(self):
        """All that the scheduler remembers, without the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take over what another scheduler of the same kind remembered."""
        self.__dict__.update(state_dict)


class StepLR(LRScheduler):
    """The rate times `gamma` every `step_size` epochs."""

    def __init__(self, optimizer, step_size, gamma=0.1, last_epoch=-1):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch != 0 and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma) if due else self._unchanged()

    def _get_closed_form_lr(self):
        return [base * self.gamma ** (self.last_epoch // self.step_size) for base in self.base_lrs]


class LambdaLR(LRScheduler):
    """The initial rate times a function of the epoch: one for all groups, or one for each."""

    def __init__(self, optimizer, lr_lambda, last_epoch=-1):
        self.optimizer = optimizer
        groups = len(optimizer.param_groups)
        if not isinstance(lr_lambda, (list, tuple)):
            self.lr_lambdas = [lr_lambda] * groups
        elif len(lr_lambda) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
        else:
            self.lr_lambdas = list(lr_lambda)
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return [base * function(self.last_epoch) for function, base in zip(self.lr_lambdas, self.base_lrs)]

    def state_dict(self):
        """All but the functions; of those that are objects, their attributes."""
        plain = [isinstance(f, types.FunctionType) for f in self.lr_lambdas]
        kept = [None if p else vars(f).copy() for f, p in zip(self.lr_lambdas, plain)]
        return {**super().state_dict(), "lr_lambdas": kept}

    def load_state_dict(self, state_dict):
        self.__dict__.update({**state_dict, "lr_lambdas": self.lr_lambdas})
        for function, kept in zip(self.lr_lambdas, state_dict["lr_lambdas"]):
            if kept is not None:
                vars(function).update(kept)


# %% stub="warmup-cosine"
#| export
def warmup_cosine(step, warmup, total, floor=0.0):
    """The factor of a learning rate that rises in a line and falls along half a cosine."""
    ### BEGIN SOLUTION
    if step < warmup:
        return (step + 1) / warmup
    progress = min(1.0, (step - warmup) / (total - warmup))
    return floor + (1 - floor) * (1 + math.cos(math.pi * progress)) / 2
    ### END SOLUTION


# %% stub="plateau"
#| export
def observe(scheduler, metric):
    """Count the epochs in which a metric did not get better, and reduce the rates when there were too many."""
    ### BEGIN SOLUTION
    if scheduler._is_better(metric, scheduler.best):
        scheduler.best, scheduler.num_bad_epochs = metric, 0
    else:
        scheduler.num_bad_epochs += 1
    if scheduler.cooldown_counter > 0:
        scheduler.cooldown_counter -= 1
        scheduler.num_bad_epochs = 0
    if scheduler.num_bad_epochs > scheduler.patience:
        scheduler._reduce_lr()
        scheduler.cooldown_counter, scheduler.num_bad_epochs = scheduler.cooldown, 0
    ### END SOLUTION


# %%
#| export
class ReduceLROnPlateau(LRScheduler):
    """The rate times `factor` when a metric has not got better for more than `patience` epochs."""

    def __init__(
        self, optimizer, mode="min", factor=0.1, patience=10, threshold=1e-4, threshold_mode="rel", cooldown=0, min_lr=0,
        eps=1e-8,
    ):  # fmt: skip
        if factor >= 1:
            raise ValueError("Factor should be < 1.0.")
        check_optimizer(optimizer)
        if isinstance(min_lr, (list, tuple)) and len(min_lr) != len(optimizer.param_groups):
            raise ValueError(f"expected {len(optimizer.param_groups)} min_lrs, got {len(min_lr)}")
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        self.factor, self.optimizer = factor, optimizer
        self.default_min_lr = None if isinstance(min_lr, (list, tuple)) else min_lr
        self.min_lrs = one_for_each_group("min_lr", optimizer, min_lr)
        self.patience, self.cooldown, self.eps, self.last_epoch = patience, cooldown, eps, 0
        self._last_lr = values_of(optimizer, "lr")
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.mode, self.threshold, self.threshold_mode = mode, threshold, threshold_mode
        self._reset()

    def _reset(self):
        self.best, self.cooldown_counter, self.num_bad_epochs = self.mode_worse, 0, 0

    in_cooldown = property(lambda self: self.cooldown_counter > 0)

    def step(self, metrics, epoch=None):
        """Look at the metric of one more epoch."""
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        observe(self, float(metrics))
        self._last_lr = values_of(self.optimizer, "lr")

    def _is_better(self, a, best):
        margin = self.threshold if self.mode == "max" else -self.threshold
        bound = best * (1 + margin) if self.threshold_mode == "rel" else best + margin
        return a > bound if self.mode == "max" else a < bound

    def _reduce_lr(self, epoch=None):
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"The number of param groups in the `optimizer` ({len(groups)}) differs from when `ReduceLROnPlateau` "
                    f"was initialized ({len(self.min_lrs)}); change its `min_lrs` to match"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, least in zip(groups, self.min_lrs):
            old = float(group["lr"])
            new = max(old * self.factor, least)
            if old - new > self.eps:
                set_value(group, "lr", new)


# %% [markdown]
# ## Files


# %% stub="write-beside"
#| export
def write_beside(path, write):
    """Write a file under another name and rename it, so that `path` holds the old one or the new one, whole."""
    path = os.path.realpath(path)
    temporary = f"{path}.{os.getpid()}.part"
    ### BEGIN SOLUTION
    try:
        write(temporary)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.remove(temporary)
        raise
    ### END SOLUTION


# %%
#| export
SEQUENCES = {"tuple": tuple, "set": set, "Size": Size}
MAPPINGS = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
NAMES = {kind: name for name, kind in (SEQUENCES | MAPPINGS).items()}


class Packer:
    """Take a value apart: into what JSON can hold, and the arrays of its tensors under names made of their paths."""

    def __init__(self):
        self.arrays, self.names = {}, {}

    def pack(self, value, path=()):
        kind = type(value)
        if value is None or kind in (bool, int, float, str):
            return value
        if isinstance(value, Tensor):
            return self.pack_tensor(value, path)
        if kind is list or NAMES.get(kind) in SEQUENCES:
            items = [self.pack(item, (*path, number)) for number, item in enumerate(value)]
            return items if kind is list else {NAMES[kind]: items}
        if kind in NAMES:
            return {
                NAMES[kind]: [
                    [self.pack(key, path), self.pack(item, (*path, key))] for key, item in value.items()
                ]
            }
        if kind is Dtype:
            return {"dtype": value.name}
        if kind is device:
            return {"device": str(value)}
        place = f" at {'.'.join(map(str, path))}" if path else ""
        raise TypeError(
            f"save cannot hold an object of type {kind.__module__}.{kind.__qualname__}{place}. It holds tensors, numbers, "
            "strings, None, and lists, tuples, sets and dicts of them; of a module or an optimizer, save its state_dict()"
        )

    def pack_tensor(self, value, path):
        key = value.data_ptr(), value.shape, value.stride(), value.dtype
        if key not in self.names:  # else it shares the memory of a tensor that is here already
            name = ".".join(map(str, path)) or "tensor"
            while name in self.arrays:
                name += "'"
            self.names[key] = name
            self.arrays[name] = np.asarray(value.detach().cpu().array, order="C")
        marks = {"requires_grad": value.requires_grad, "parameter": isinstance(value, Parameter)}
        place = {} if value.device.type == "cpu" else {"device": str(value.device)}
        return {"tensor": self.names[key], **{name: True for name, mark in marks.items() if mark}, **place}


def unpack(value, tensor_of):
    """Put together what `Packer` took apart, with its tensors from the function `tensor_of`."""
    if isinstance(value, list):
        return [unpack(item, tensor_of) for item in value]
    if not isinstance(value, dict):
        return value
    if "tensor" in value:
        return tensor_of(**value)
    ((name, content),) = value.items()
    if name in SEQUENCES:
        return SEQUENCES[name](unpack(content, tensor_of))
    if name in MAPPINGS:
        return MAPPINGS[name]({unpack(key, tensor_of): unpack(item, tensor_of) for key, item in content})
    return wrap(np.empty(0, content)).dtype if name == "dtype" else device(content)


def save(obj, f):
    """Write tensors, and lists, tuples, sets and dicts of tensors, numbers and strings, to a file.

    The file is in the safetensors format, the structure as JSON in its metadata: reading it runs no code, as unpickling
    may. It is written beside and renamed, so that whoever kills the program finds the old file or the new one. Tensors that
    share their memory share it again when they are loaded.

    Args:
        obj: what to save; of a module or an optimizer, its `state_dict()`.
        f: a path, or a file that is open for writing bytes.

    Raises:
        TypeError: for an object of another kind, with its place; nothing has been written.
    """
    packer = Packer()
    metadata = {"tinytorch": json.dumps(packer.pack(obj))}
    if hasattr(f, "write"):
        f.write(safetensors.save(packer.arrays, metadata))
    else:
        write_beside(f, lambda path: safetensors.save_file(packer.arrays, path, metadata))


def load(f, map_location=None, *, weights_only=True):
    """Read what `save` has written.

    Args:
        f: a path, or a file that is open for reading bytes.
        map_location: the device for the tensors; None for the one they were on.
        weights_only: taken for PyTorch's sake: there is nothing but data in these files.

    Raises:
        RuntimeError: if the file was cut short, or was not written by `save`.
    """
    if hasattr(f, "read"):
        with tempfile.NamedTemporaryFile() as copy:
            shutil.copyfileobj(f, copy)
            copy.flush()
            return load(copy.name, map_location)
    if map_location is not None and not isinstance(map_location, (str, device)):
        raise TypeError(f"map_location is a device or its name, not a {type(map_location).__name__}")
    with open(f, "rb"):  # the system's own words for a file that is missing, or a folder
        pass
    try:
        with safe_open(f, framework="np") as file:
            structure = (file.metadata() or {}).get("tinytorch")
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise RuntimeError(f"{os.fspath(f)} was cut short, or was not written by save: {error}") from None
    if structure is None:
        raise RuntimeError(
            f"{os.fspath(f)} was not written by save: read it with safetensors.numpy.load_file"
        )
    made = {}

    def tensor_of(tensor, requires_grad=False, parameter=False, device="cpu"):
        key = tensor, requires_grad, parameter
        if key not in made:
            found = wrap(arrays[tensor]).to(map_location or device)
            made[key] = Parameter(found, requires_grad) if parameter else found.requires_grad_(requires_grad)
        return made[key]

    return unpack(json.loads(structure), tensor_of)


# %% [markdown]
# ## The loop


# %%
#| export
def accuracy(outputs, targets):
    """The share of right answers: the class along dimension 1 with the largest score, or for one score its sign."""
    guesses = outputs.argmax(1) if outputs.ndim > targets.ndim else outputs > 0
    return (guesses == targets).array.mean()


class Meter:
    """The means of a loss and of metrics over everything that has been added, each sample counted once."""

    def __init__(self, metrics=None):
        self.metrics, self.totals, self.count = metrics or {}, {}, 0

    def add(self, outputs, targets, loss):
        """Add a batch: what the model said, what it should have said, and the mean loss."""
        outputs, size = outputs.detach(), len(targets)
        found = {"loss": loss, **{name: metric(outputs, targets) for name, metric in self.metrics.items()}}
        self.count += size
        for name, value in found.items():
            self.totals[name] = self.totals.get(name, 0.0) + float(value) * size

    def means(self):
        """The means by name, "loss" first."""
        return {name: total / self.count for name, total in self.totals.items()}


# %% stub="accumulate"
#| export
def accumulate_gradients(model, loss_fn, batches, meter):
    """Add up the gradients of several small batches, so that they equal those of one large batch."""
    ### BEGIN SOLUTION
    total = sum(len(targets) for *_, targets in batches)
    for *inputs, targets in batches:
        outputs = model(*inputs)
        loss = loss_fn(outputs, targets)
        weight = 1 if getattr(loss_fn, "reduction", "mean") == "sum" else len(targets) / total
        (loss * weight).backward()
        meter.add(outputs, targets, loss)
    ### END SOLUTION


# %% stub="training-step"
#| export
def training_step(trainer, batches):
    """One step of the optimizer on the gradient of some batches."""
    ### BEGIN SOLUTION
    trainer.optimizer.zero_grad()
    accumulate_gradients(trainer.model, trainer.loss_fn, batches, trainer.meter)
    if trainer.clip_norm is not None:
        clip_grad_norm_(trainer.model.parameters(), trainer.clip_norm)
    trainer.optimizer.step()
    if trainer.scheduler is not None and trainer.scheduler_every == "step":
        trainer.scheduler.step()
    ### END SOLUTION


# %% stub="evaluate"
#| export
def evaluate(model, loss_fn, batches, metrics):
    """The mean loss and metrics of a model over batches, changing nothing."""
    ### BEGIN SOLUTION
    meter, training = Meter(metrics), model.training
    model.eval()
    try:
        with no_grad():
            for *inputs, targets in batches:
                outputs = model(*inputs)
                meter.add(outputs, targets, loss_fn(outputs, targets))
    finally:
        model.train(training)
    return meter.means()
    ### END SOLUTION


# %% stub="resume"
#| export
def remaining_batches(loader, generators, begin, now, done):
    """The batches that are left of an epoch that was interrupted after `done` of them."""
    ### BEGIN SOLUTION
    for generator, state in zip(generators, begin):
        generator.set_state(state)
    batches = iter(loader)
    for _ in range(done):
        next(batches)
    if done:
        for generator, state in zip(generators, now):
            generator.set_state(state)
    return batches
    ### END SOLUTION


# %%
#| export
class Callback:
    """What is to happen at certain moments of the training; each method is called with the trainer.

    `trainer.logs` has the means of the epoch so far, at the end of an epoch those of the validation data too;
    `trainer.stop = True` ends the training after the epoch.
    """

    def on_fit_begin(self, trainer):
        """Before the first epoch."""

    def on_epoch_begin(self, trainer):
        """Before the first batch of an epoch."""

    def on_step_end(self, trainer):
        """After each step of the optimizer."""

    def on_epoch_end(self, trainer):
        """After an epoch and its validation."""

    def on_fit_end(self, trainer):
        """When training ends, also by an error."""

    def state_dict(self):
        """What has to be remembered for the training to be resumed."""
        return {}

    def load_state_dict(self, state_dict):
        """Take over what was remembered."""
        vars(self).update(state_dict)


def better(value, best, mode, margin=0.0):
    """Whether a metric is smaller ("min") or larger ("max") than the best so far; anything is better than None."""
    if mode not in ("min", "max"):
        raise ValueError(f'mode must be "min" or "max", not {mode!r}')
    return best is None or (value < best - margin if mode == "min" else value > best + margin)


def watched(trainer, name):
    """The metric that a callback watches."""
    if name not in trainer.logs:
        raise KeyError(f"no metric is called {name!r}: there are {', '.join(trainer.logs)}")
    return trainer.logs[name]


# %% stub="early-stopping"
#| export
class EarlyStopping(Callback):
    """End the training when a metric has not got better for `patience` epochs."""

    def __init__(self, monitor="val_loss", mode="min", patience=3, min_delta=0.0):
        self.monitor, self.mode, self.patience, self.min_delta = monitor, mode, patience, min_delta
        self.best, self.waited = None, 0

    def on_epoch_end(self, trainer):
        """Compare the metric with the best so far, and set `trainer.stop` when patience is at its end."""
        value = watched(trainer, self.monitor)
        ### BEGIN SOLUTION
        if better(value, self.best, self.mode, self.min_delta):
            self.best, self.waited = value, 0
        else:
            self.waited += 1
        if self.waited >= self.patience:
            trainer.stop = True
        ### END SOLUTION

    def state_dict(self):
        return {"best": self.best, "waited": self.waited}


# %%
#| export
class History(Callback):
    """Keep the means of every epoch, in `rows`."""

    def __init__(self):
        self.rows = []

    def on_epoch_end(self, trainer):
        self.rows.append({"epoch": trainer.epoch, **trainer.logs})

    def state_dict(self):
        return {"rows": self.rows}

    def plot(self):
        """Draw each metric over the epochs, training and validation together, in a matplotlib Figure."""
        from matplotlib.figure import Figure

        names = [name for name in self.rows[0] if name != "epoch" and not name.startswith("val_")]
        figure = Figure(figsize=(4 * len(names), 3), layout="constrained")
        for axes, name in zip(figure.subplots(1, len(names), squeeze=False)[0], names):
            for key, label in ((name, "training"), (f"val_{name}", "validation")):
                if key in self.rows[0]:
                    axes.plot(
                        [row["epoch"] for row in self.rows],
                        [row[key] for row in self.rows],
                        ".-",
                        label=label,
                    )
            axes.set(xlabel="epoch", ylabel=name)
            axes.legend()
        return figure


class ProgressBar(Callback):
    """Show how far the epoch is, and its means so far."""

    def on_epoch_begin(self, trainer):
        from tqdm.auto import tqdm

        total = len(trainer.loader) if hasattr(trainer.loader, "__len__") else None
        self.bar = tqdm(total=total, initial=trainer.batch, desc=f"epoch {trainer.epoch + 1}")

    def on_step_end(self, trainer):
        self.show(trainer)
        self.bar.update(trainer.batch - self.bar.n)

    def on_epoch_end(self, trainer):
        self.show(trainer)
        self.bar.close()

    def on_fit_end(self, trainer):
        if hasattr(self, "bar"):
            self.bar.close()

    def show(self, trainer):
        self.bar.set_postfix({name: f"{value:.4g}" for name, value in trainer.logs.items()}, refresh=False)


class Checkpoint(Callback):
    """Save the whole state of the training, from which it can be resumed.

    Args:
        path: the file; always the last one saved, whole.
        monitor: a metric; then only epochs that are better than all before are saved. None saves every epoch.
        mode: whether the metric is better when smaller ("min") or larger ("max").
        every: save after every so many steps, too.
    """

    def __init__(self, path, monitor=None, mode="min", every=None):
        self.path, self.monitor, self.mode, self.every, self.best = path, monitor, mode, every, None

    def on_step_end(self, trainer):
        if self.every and trainer.step % self.every == 0:
            save(trainer.state_dict(), self.path)

    def on_epoch_end(self, trainer):
        if self.monitor is not None:
            value = watched(trainer, self.monitor)
            if not better(value, self.best, self.mode):
                return
            self.best = value
        save(trainer.state_dict(), self.path)

    def state_dict(self):
        return {"best": self.best}


# %%
#| export
class Trainer:
    """Train a model, and evaluate it; stop, save and go on as if there had been no stop.

    Batches are tuples: what the model takes, and last what it should answer.

    Args:
        model, optimizer: a Module and the optimizer of its parameters.
        loss_fn: called with the model's outputs and the targets; gives the mean over a batch.
        scheduler: a schedule of the optimizer's learning rate; ReduceLROnPlateau is given the validation loss.
        scheduler_every: "epoch" or "step": when the scheduler takes its step.
        clip_norm: the largest norm that the gradient may have, or None.
        accumulate: how many batches make one step.
        metrics: functions of outputs and targets, by name, whose means are logged beside the loss.
        callbacks: see `Callback`.
    """

    def __init__(
        self, model, optimizer, loss_fn, scheduler=None, clip_norm=None, accumulate=1, metrics=None, callbacks=(),
        scheduler_every="epoch",
    ):  # fmt: skip
        if scheduler_every not in ("epoch", "step"):
            raise ValueError(f'scheduler_every must be "epoch" or "step", not {scheduler_every!r}')
        if not isinstance(accumulate, int) or accumulate < 1:
            raise ValueError(f"accumulate must be a positive integer, not {accumulate!r}")
        self.model, self.optimizer, self.loss_fn, self.scheduler = model, optimizer, loss_fn, scheduler
        self.clip_norm, self.accumulate, self.scheduler_every = clip_norm, accumulate, scheduler_every
        self.metrics, self.history, self.loader = metrics or {}, History(), ()
        # Checkpoints come last, so that they save what the others have come to.
        self.callbacks = sorted(
            [self.history, *callbacks], key=lambda callback: isinstance(callback, Checkpoint)
        )
        self.epoch = self.batch = self.step = 0  # epochs done, batches done of the present one, steps in all
        self.stop, self.logs, self.meter, self.begin, self.now = False, {}, Meter(self.metrics), None, None

    def fit(self, loader, validation=None, epochs=1):
        """Train until `epochs` epochs have been done in all, those before a resumption included.

        Args:
            loader: what gives the batches of an epoch each time it is iterated over.
            validation: another one, on which the model is evaluated after each epoch.

        Returns:
            The History of all epochs.
        """
        self.loader = loader
        self._call("on_fit_begin")
        try:
            while self.epoch < epochs and not self.stop:
                self._fit_epoch(validation)
        finally:
            self._call("on_fit_end")
        return self.history

    def _fit_epoch(self, validation):
        self.model.train()
        generators = self._generators()
        if self.begin is None:
            self.begin = [generator.get_state() for generator in generators]
        batches = remaining_batches(self.loader, generators, self.begin, self.now, self.batch)
        self.now = None
        self._call("on_epoch_begin")
        while some := [self._place(batch) for batch in itertools.islice(batches, self.accumulate)]:
            training_step(self, some)
            self.batch, self.step, self.logs = self.batch + len(some), self.step + 1, self.meter.means()
            self._call("on_step_end")
        if not self.batch:
            raise ValueError("the loader gave no batch")
        if validation is not None:
            self.logs |= {f"val_{name}": value for name, value in self.evaluate(validation).items()}
        if isinstance(self.scheduler, ReduceLROnPlateau):
            self.scheduler.step(self.logs.get("val_loss", self.logs["loss"]))
        elif self.scheduler is not None and self.scheduler_every == "epoch":
            self.scheduler.step()
        self.epoch, self.batch, self.begin, self.meter = self.epoch + 1, 0, None, Meter(self.metrics)
        self._call("on_epoch_end")

    def evaluate(self, loader):
        """The mean loss and metrics over the batches of a loader, by name."""
        return evaluate(self.model, self.loss_fn, map(self._place, loader), self.metrics)

    def predict(self, loader):
        """The model's outputs for all batches of a loader, one after another; targets, if there are, are left out."""
        training = self.model.training
        self.model.eval()
        with no_grad():
            outputs = [self.model(*(batch[:-1] or batch)) for batch in map(self._place, loader)]
        self.model.train(training)
        return cat(outputs)

    def state_dict(self):
        """Everything from which `load_state_dict` goes on exactly: between steps of an epoch, too."""
        now = [generator.get_state() for generator in self._generators()]
        return {
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "scheduler": None if self.scheduler is None else self.scheduler.state_dict(),
            "epoch": self.epoch, "batch": self.batch, "step": self.step, "stop": self.stop,
            "totals": self.meter.totals, "count": self.meter.count,
            "begin": self.begin or now, "now": now,
            "callbacks": [[type(callback).__name__, callback.state_dict()] for callback in self.callbacks],
        }  # fmt: skip

    def load_state_dict(self, state):
        """Take over a state; `fit` with the same loader then goes on from there."""
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        if self.scheduler is not None:
            self.scheduler.load_state_dict(state["scheduler"])
        self.epoch, self.batch, self.step, self.stop = (
            state[name] for name in ("epoch", "batch", "step", "stop")
        )
        self.meter.totals, self.meter.count = dict(state["totals"]), state["count"]
        self.begin, self.now = state["begin"], state["now"]
        left = list(state["callbacks"])
        for callback in self.callbacks:
            number = next((i for i, (name, _) in enumerate(left) if name == type(callback).__name__), None)
            if number is not None:
                callback.load_state_dict(left.pop(number)[1])

    def _generators(self):
        """The generators on which the order of the data and the numbers drawn in training depend."""
        own = getattr(self.loader, "generator", None)
        return [default_generator] if own is None else [default_generator, own]

    def _place(self, batch):
        """A batch as a tuple, its tensors where the model's parameters are."""
        place = next((parameter.device for parameter in self.model.parameters()), device("cpu"))
        batch = (batch,) if isinstance(batch, Tensor) else tuple(batch)
        return tuple(x.to(place) if isinstance(x, Tensor) else x for x in batch)

    def _call(self, moment):
        for callback in self.callbacks:
            getattr(callback, moment)(self)


# %% [markdown]
# ## The rest of the family


# %%
#| export
class MultiplicativeLR(LambdaLR):
    """The present rate times a function of the epoch."""

    def get_lr(self):
        if self._is_initial:
            return self._unchanged()
        groups = self.optimizer.param_groups
        return [group["lr"] * function(self.last_epoch) for function, group in zip(self.lr_lambdas, groups)]


class MultiStepLR(LRScheduler):
    """The rate times `gamma` at each of the milestones."""

    def __init__(self, optimizer, milestones, gamma=0.1, last_epoch=-1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        due = self.last_epoch in self.milestones
        return self._scaled(self.gamma ** self.milestones[self.last_epoch]) if due else self._unchanged()

    def _get_closed_form_lr(self):
        passed = bisect_right(sorted(self.milestones.elements()), self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]


class ExponentialLR(LRScheduler):
    """The rate times `gamma` every epoch."""

    def __init__(self, optimizer, gamma, last_epoch=-1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        return self._unchanged() if self._is_initial else self._scaled(self.gamma)

    def _get_closed_form_lr(self):
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class ConstantLR(LRScheduler):
    """The rate times `factor` for the first `total_iters` epochs."""

    def __init__(self, optimizer, factor=1.0 / 3, total_iters=5, last_epoch=-1):
        if not 0 <= factor <= 1:
            raise ValueError("Constant multiplicative factor expected to be between 0 and 1.")
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        return self._scaled(1 / self.factor) if self.last_epoch == self.total_iters else self._unchanged()

    def _get_closed_form_lr(self):
        factor = self.factor if self.last_epoch < self.total_iters else 1
        return [base * factor for base in self.base_lrs]


class LinearLR(LRScheduler):
    """The rate times a factor that goes in a line from `start_factor` to `end_factor` in `total_iters` epochs."""

    def __init__(self, optimizer, start_factor=1.0 / 3, end_factor=1.0, total_iters=5, last_epoch=-1):
        if not 0 < start_factor <= 1:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less or equal to 1."
            )
        if not 0 <= end_factor <= 1:
            raise ValueError("Ending multiplicative factor expected to be between 0 and 1.")
        self.start_factor, self.end_factor, self.total_iters = start_factor, end_factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        rise = self.end_factor - self.start_factor
        return self._scaled(1 + rise / (self.total_iters * self.start_factor + (self.last_epoch - 1) * rise))

    def _get_closed_form_lr(self):
        done = min(self.total_iters, self.last_epoch) / self.total_iters
        return [
            base * (self.start_factor + (self.end_factor - self.start_factor) * done)
            for base in self.base_lrs
        ]


class PolynomialLR(LRScheduler):
    """The rate times (1 - epoch / total_iters) ** power."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch=-1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._unchanged()
        left = (self.total_iters - self.last_epoch) / (self.total_iters - self.last_epoch + 1)
        return self._scaled(left**self.power)

    def _get_closed_form_lr(self):
        left = 1 - min(self.total_iters, self.last_epoch) / self.total_iters
        return [base * left**self.power for base in self.base_lrs]


class CosineAnnealingLR(LRScheduler):
    """The rate along a cosine, down to `eta_min` in `T_max` epochs and up again (Loshchilov and Hutter, 2017)."""

    def __init__(self, optimizer, T_max, eta_min=0.0, last_epoch=-1):
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        """From the present rate to the next, so that other changes to the rate are kept."""
        if self._is_initial:
            return self._unchanged()
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        groups, last, period, least = self.optimizer.param_groups, self.last_epoch, self.T_max, self.eta_min
        if (last - 1 - period) % (2 * period) == 0:  # the step before was at the bottom: there is no quotient
            rise = (1 - math.cos(math.pi / period)) / 2
            return [group["lr"] + (base - least) * rise for base, group in zip(self.base_lrs, groups)]
        ratio = (1 + math.cos(math.pi * last / period)) / (1 + math.cos(math.pi * (last - 1) / period))
        return [ratio * (group["lr"] - least) + least for group in groups]

    def _get_closed_form_lr(self):
        height = (1 + math.cos(math.pi * self.last_epoch / self.T_max)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """The rate along half a cosine, again and again, each time `T_mult` times as long."""

    def __init__(self, optimizer, T_0, T_mult=1, eta_min=0.0, last_epoch=-1):
        if T_0 <= 0 or not isinstance(T_0, int):
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if T_mult < 1 or not isinstance(T_mult, int):
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min} of type {type(eta_min)}")
        self.T_0, self.T_i, self.T_mult, self.eta_min, self.T_cur = T_0, T_0, T_mult, eta_min, last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self):
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch=None):
        """Go on to the next epoch, or to any, which may be a fraction: `scheduler.step(epoch + batch / batches)`."""
        if epoch is None and self.last_epoch >= 0:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur % self.T_i, self.T_i * self.T_mult
        else:
            epoch = epoch or 0
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self.T_i, self.T_cur = self.T_0, epoch
            while self.T_cur >= self.T_i:
                self.T_cur, self.T_i = self.T_cur - self.T_i, self.T_i * self.T_mult
        self.last_epoch = math.floor(epoch)
        for group, rate in zip(self.optimizer.param_groups, self.get_lr()):
            set_value(group, "lr", rate)
        self._last_lr = values_of(self.optimizer, "lr")


# %%
#| export
class OneCycleLR(LRScheduler):
    """The rate up to `max_lr` and far down again in `total_steps`, the momentum the other way (Smith and Topin, 2018).

    It starts at max_lr / div_factor and ends at that over final_div_factor; `pct_start` of the steps go up.
    """

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None, pct_start=0.3, anneal_strategy="cos",
        cycle_momentum=True, base_momentum=0.85, max_momentum=0.95, div_factor=25.0, final_div_factor=1e4,
        three_phase=False, last_epoch=-1,
    ):  # fmt: skip
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if total_steps is None and None in (epochs, steps_per_epoch):
            raise ValueError("You must define either total_steps OR (epochs AND steps_per_epoch)")
        numbers = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
        for name, number in (numbers if total_steps is None else {"total_steps": total_steps}).items():
            if not isinstance(number, int) or number <= 0:
                raise ValueError(f"Expected positive integer {name}, but got {number}")
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self.total_steps = epochs * steps_per_epoch if total_steps is None else total_steps
        up, end = float(pct_start * self.total_steps) - 1, self.total_steps - 1
        rise = phase(up, "initial_lr", "max_lr", "max_momentum", "base_momentum")
        if three_phase:
            fall = phase(2 * up, "max_lr", "initial_lr", "base_momentum", "max_momentum")
            self._schedule_phases = [
                rise,
                fall,
                phase(end, "initial_lr", "min_lr", "max_momentum", "max_momentum"),
            ]
        else:
            self._schedule_phases = [rise, phase(end, "max_lr", "min_lr", "base_momentum", "max_momentum")]
        self._anneal_func_type, self.cycle_momentum = anneal_strategy, cycle_momentum
        groups = optimizer.param_groups
        if last_epoch == -1:
            for group, top in zip(groups, one_for_each_group("max_lr", optimizer, max_lr)):
                group["initial_lr"], group["max_lr"] = top / div_factor, top
                group["min_lr"] = group["initial_lr"] / final_div_factor
        if cycle_momentum:
            if "momentum" not in optimizer.defaults and "betas" not in optimizer.defaults:
                raise ValueError(
                    "optimizer must support momentum or beta1 with `cycle_momentum` option enabled"
                )
            self.use_beta1 = "betas" in optimizer.defaults
            highest = one_for_each_group("max_momentum", optimizer, max_momentum)
            lowest = one_for_each_group("base_momentum", optimizer, base_momentum)
            if last_epoch == -1:
                for group, high, low in zip(groups, highest, lowest):
                    self._set_momentum(group, high)
                    group["max_momentum"], group["base_momentum"] = high, low
        super().__init__(optimizer, last_epoch)

    def _set_momentum(self, group, value):
        if self.use_beta1:
            group["betas"] = (value, *group["betas"][1:])
        else:
            group["momentum"] = value

    def _anneal(self, start, end, share):
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2 * (math.cos(math.pi * share) + 1)
        return (end - start) * share + start

    def get_lr(self):
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. The specified number of total steps is {self.total_steps}"
            )
        start, current = 0.0, self._schedule_phases[0]
        for following in self._schedule_phases[1:]:
            if step > current["end_step"]:
                start, current = current["end_step"], following
        share = (step - start) / (current["end_step"] - start)
        groups = self.optimizer.param_groups
        if self.cycle_momentum:
            for group in groups:
                ends = group[current["start_momentum"]], group[current["end_momentum"]]
                self._set_momentum(group, self._anneal(*ends, share))
        return [self._anneal(group[current["start_lr"]], group[current["end_lr"]], share) for group in groups]


def phase(end_step, start_lr, end_lr, start_momentum, end_momentum):
    """A phase of a cycle: when it ends, and under which names a group has what it goes from and to."""
    return {"end_step": end_step, "start_lr": start_lr, "end_lr": end_lr, "start_momentum": start_momentum,
            "end_momentum": end_momentum}  # fmt: skip


class Schedulers(LRScheduler):
    """What SequentialLR and ChainedScheduler share: several schedulers of one optimizer."""

    def _take(self, optimizer, schedulers):
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"{name} expects at least one scheduler, but got no scheduler.")
        for number, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(f"{name} at index {number} should have `optimizer` as its attribute.")
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} does not support `ReduceLROnPlateau`, whose step takes a metric: index {number}"
                )
            if scheduler.optimizer is not (optimizer or schedulers[0].optimizer):
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer: index {number} does not"
                )
        self._schedulers, self.optimizer = schedulers, optimizer or schedulers[0].optimizer

    def state_dict(self):
        return {
            **super().state_dict(),
            "_schedulers": [scheduler.state_dict() for scheduler in self._schedulers],
        }

    def load_state_dict(self, state_dict):
        self.__dict__.update({**state_dict, "_schedulers": self._schedulers})
        for scheduler, state in zip(self._schedulers, state_dict["_schedulers"]):
            scheduler.load_state_dict(state)


class SequentialLR(Schedulers):
    """One scheduler after another: the next one begins, at its epoch 0, at each of the milestones."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch=-1):
        self._take(optimizer, schedulers)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one more than the number of milestone "
                f"points, but got number of schedulers {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}"
            )
        self._milestones, self.last_epoch = milestones, last_epoch + 1
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        take_back(schedulers)
        first = schedulers[bisect_right(milestones, 0)]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self):
        """Go on to the next epoch of the scheduler whose turn it is."""
        self.last_epoch += 1
        number = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[number]
        if number > 0 and self._milestones[number - 1] == self.last_epoch:
            scheduler._update_lr(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


def take_back(schedulers):
    """Undo the first step, which each scheduler took when it was made."""
    for scheduler in schedulers:
        if hasattr(scheduler, "_schedulers"):
            take_back(scheduler._schedulers)
        else:
            scheduler.last_epoch -= 1


class ChainedScheduler(Schedulers):
    """Several schedulers at once, each of which changes what the one before has left."""

    def __init__(self, schedulers, optimizer=None):
        self._take(optimizer, schedulers)
        self._last_lr = values_of(self.optimizer, "lr")

    def step(self):
        """Let each scheduler take its step."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = values_of(self.optimizer, "lr")
