"""Scaling gradients, as torch.amp.GradScaler does, so that those of float16 do not vanish."""

import warnings


class GradScaler:
    """Multiply the loss, divide the gradients, and leave out the steps in which one of them is not finite.

    The factor is halved after such a step, and doubled after `growth_interval` steps without one. For the
    device "cuda", the default, there is nothing to scale without a GPU: `scale` returns what it is given,
    `step` steps.

    >>> GradScaler("cpu").get_scale(), GradScaler("cpu", enabled=False).get_scale()
    (65536.0, 1.0)
    """

    def __init__(
        self,
        device="cuda",
        init_scale=65536.0,
        growth_factor=2.0,
        backoff_factor=0.5,
        growth_interval=2000,
        enabled=True,
    ):
        self._device, self._enabled = device, enabled and device != "cuda"
        if enabled and not self._enabled:
            sentence = "torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling."
            warnings.warn(sentence, stacklevel=2)
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._scale, self._init_growth_tracker = init_scale, None, 0
        self._growth_factor, self._backoff_factor = growth_factor, backoff_factor
        self._growth_interval, self._growth_tracker = growth_interval, None
        self._found, self._stepped = (
            {},
            set(),
        )  # by optimizer: which gradients are not finite; who has stepped

    def scale(self, outputs):
        """Multiply a tensor, or each of several, by the factor."""
        from tinytorch.tensor import Tensor, float32, tensor

        if not self._enabled:
            return outputs
        if isinstance(outputs, Tensor):
            if self._scale is None:
                self._scale, self._growth_tracker = float(self._init_scale), self._init_growth_tracker
            return outputs * tensor(self._scale, dtype=float32)
        if isinstance(outputs, list | tuple):
            return type(outputs)(map(self.scale, outputs))
        if not hasattr(outputs, "__iter__"):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        return map(self.scale, outputs)

    def unscale_(self, optimizer):
        """Divide an optimizer's gradients by the factor, once a step, and see whether they are finite."""
        if not self._enabled:
            return
        self._begun("unscale_")
        if id(optimizer) in self._stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if id(optimizer) in self._found:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        found = []
        for parameter in (
            p for group in optimizer.param_groups for p in group["params"] if p.grad is not None
        ):
            if parameter.grad.dtype.itemsize == 2:
                raise ValueError("Attempting to unscale FP16 gradients.")
            found.append(not parameter.grad.isfinite().all().item())
            parameter.grad.detach().mul_(1 / self._scale)
        self._found[id(optimizer)] = found

    def step(self, optimizer, *args, **kwargs):
        """Let an optimizer step, unless one of its gradients is not finite."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._begun("step")
        if id(optimizer) in self._stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if id(optimizer) not in self._found:
            self.unscale_(optimizer)
        if not self._found[id(optimizer)]:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        self._stepped.add(id(optimizer))
        return None if any(self._found[id(optimizer)]) else optimizer.step(*args, **kwargs)

    def update(self, new_scale=None):
        """Find the next factor, at the end of an iteration, or take `new_scale`."""
        if not self._enabled:
            return
        self._begun("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        elif not any(self._found.values()):
            raise AssertionError("No inf checks were recorded prior to update.")
        elif any(map(any, self._found.values())):
            self._scale, self._growth_tracker = self._scale * self._backoff_factor, 0
        else:
            self._growth_tracker += 1
            if self._growth_tracker == self._growth_interval:
                self._scale, self._growth_tracker = self._scale * self._growth_factor, 0
        self._found, self._stepped = {}, set()

    def _begun(self, what):
        if self._scale is None:
            raise AssertionError(
                f"Attempted {what} but _scale is None.  This may indicate your script did not use "
                "scaler.scale(loss or outputs) earlier in the iteration."
            )

    def is_enabled(self):
        """Whether there is anything to scale."""
        return self._enabled

    def get_scale(self):
        """The factor; 1 if there is nothing to scale."""
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale

    def get_growth_factor(self):
        return self._growth_factor

    def set_growth_factor(self, new_factor):
        self._growth_factor = new_factor

    def get_backoff_factor(self):
        return self._backoff_factor

    def set_backoff_factor(self, new_factor):
        self._backoff_factor = new_factor

    def get_growth_interval(self):
        return self._growth_interval

    def set_growth_interval(self, new_interval):
        self._growth_interval = new_interval

    def state_dict(self):
        """What is to be stored with a checkpoint, after `update`; empty if there is nothing to scale."""
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(),
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker or self._init_growth_tracker,
        }

    def load_state_dict(self, state_dict):
        """Take what `state_dict` gave."""
        if not self._enabled:
            return
        if len(state_dict) == 0:
            raise RuntimeError(
                "The source state dict is empty, possibly because it was saved from a disabled instance of "
                "GradScaler."
            )
        self._init_scale, self._init_growth_tracker = state_dict["scale"], state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        if self._scale is not None:
            self._scale, self._growth_tracker = float(self._init_scale), self._init_growth_tracker
