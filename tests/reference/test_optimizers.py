"""The optimizers beyond what the golden cases compare: memory, layouts, copies, hooks and refusals."""

import copy
import io
import pickle
import tracemalloc

import numpy as np
import pytest

import tinytorch as torch

OPTIMIZERS = {
    "SGD": {},
    "SGD with momentum": {"momentum": 0.9, "nesterov": True},
    "Adam": {"amsgrad": True},
    "AdamW": {},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {"lr_decay": 0.1},
    "Adadelta": {},
    "Adamax": {},
    "NAdam": {"decoupled_weight_decay": True},
    "RAdam": {"betas": (0.9, 0.99)},
    "ASGD": {"lambd": 0.1, "t0": 1},
    "Adafactor": {},
    "Rprop": {},
}
each = pytest.mark.parametrize("name", OPTIMIZERS)


def make(name, parameters, **options):
    if name == "Rprop":  # knows no decay
        options.pop("weight_decay", None)
    return getattr(torch.optim, name.split()[0])(parameters, lr=0.01, **OPTIMIZERS[name] | options)


def parameters_with_gradients(*shapes, seed=0):
    rng = np.random.default_rng(seed)
    parameters = [torch.nn.Parameter(torch.tensor(rng.standard_normal(s).astype("float32"))) for s in shapes]
    for parameter, shape in zip(parameters, shapes):
        parameter.grad = torch.tensor(rng.standard_normal(shape).astype("float32"))
    return parameters


@pytest.mark.parametrize("name", sorted(OPTIMIZERS.keys() - {"Rprop"}))  # which asks of each sign what it is
@pytest.mark.parametrize("options", [{}, {"weight_decay": 0.1, "maximize": True}])
def test_memory_is_flat_over_steps_and_no_step_makes_an_array(name, options):
    optimizer = make(name, parameters_with_gradients((300, 200), (200,), (50, 200)), **options)
    for _ in range(3):
        optimizer.step()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    for _ in range(20):
        optimizer.step()
    after, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 2_000
    assert peak - before < 10_000  # the largest parameter has 240,000 bytes, the smallest 800


@each
def test_steps_change_parameters_in_place_and_leave_gradients_alone(name):
    parameters = parameters_with_gradients((4, 3), (), (0, 2), (5,))
    arrays, grads = [p.array for p in parameters], [p.grad.array.copy() for p in parameters]
    optimizer = make(name, parameters, weight_decay=0.1, maximize=True)
    for _ in range(3):
        optimizer.step()
    assert all(p.array is array and p.array.dtype == np.float32 for p, array in zip(parameters, arrays))
    assert all(np.array_equal(p.grad.array, grad) for p, grad in zip(parameters, grads))


@each
def test_the_layout_of_parameters_and_gradients_does_not_matter(name):
    (plain,) = parameters_with_gradients((4, 3))
    for layout in (np.asfortranarray, lambda a: np.repeat(a, 2, axis=1)[:, ::2]):
        other = torch.nn.Parameter(torch.from_numpy(layout(plain.array.copy())))
        other.grad = torch.from_numpy(layout(plain.grad.array))
        first = copy.deepcopy(plain)
        first.grad = plain.grad
        steps = [make(name, [p], weight_decay=0.1) for p in (first, other)]
        for _ in range(3):
            for optimizer in steps:
                optimizer.step()
        np.testing.assert_array_equal(first.array, other.array)


@each
def test_parameters_of_two_types_are_stepped_in_their_own(name):
    single, double = parameters_with_gradients((3,), (50,))
    double.data, double.grad = double.data.double(), None
    double.grad = torch.ones(50, dtype=torch.float64)
    optimizer = make(name, [single, double])
    optimizer.step()
    assert (single.dtype, double.dtype) == (torch.float32, torch.float64)
    kept = [v.dtype for key, v in optimizer.state[double].items() if v.ndim]
    assert all(kind == torch.float64 for kind in kept)


@each
def test_copied_and_pickled_optimizers_go_on_alike(name):
    first = make(name, parameters_with_gradients((4, 3), (3,)))
    first.step()
    others = [copy.deepcopy(first), pickle.loads(pickle.dumps(first))]
    for optimizer in (first, *others):
        for p, grad in zip(
            optimizer.param_groups[0]["params"], parameters_with_gradients((4, 3), (3,), seed=1)
        ):
            p.grad = grad.grad
        optimizer.step()
    for other in others:
        for a, b in zip(first.param_groups[0]["params"], other.param_groups[0]["params"]):
            assert a is not b
            np.testing.assert_array_equal(a.array, b.array)


def through_a_file(value):
    file = io.BytesIO()
    torch.save(value, file)
    file.seek(0)
    return torch.load(file)


WITH_OPTIONS = {
    **{name: options | {"lr": 0.01, "weight_decay": 0.1} for name, options in OPTIMIZERS.items()},
    "Rprop": {"lr": 0.01},
    "Muon": {"lr": 0.02, "adjust_lr_fn": "match_rms_adamw"},
    "LBFGS": {"lr": 0.1, "max_iter": 3, "history_size": 4},
    "LBFGS with search": {"max_iter": 3, "line_search_fn": "strong_wolfe"},
}


@pytest.mark.parametrize("name", WITH_OPTIONS)
def test_what_was_stopped_goes_on_to_the_bit(name):
    def trained(parameters, steps, state=None):
        optimizer = getattr(torch.optim, name.split()[0])(parameters, **WITH_OPTIONS[name])
        if state is not None:
            optimizer.load_state_dict(state)

        def closure():
            optimizer.zero_grad()
            loss = ((parameters[0] @ parameters[1] - 1) ** 4).sum()
            loss.backward()
            return loss

        for _ in range(steps):
            optimizer.step(closure)
        return optimizer

    whole, first = parameters_with_gradients((4, 3), (3, 2)), parameters_with_gradients((4, 3), (3, 2))
    trained(whole, 6)
    state = through_a_file(trained(first, 3).state_dict())
    second = [torch.nn.Parameter(p.detach().clone()) for p in first]
    trained(second, 3, state)
    for a, b in zip(whole, second):
        np.testing.assert_array_equal(a.array, b.array)


STATES = {  # the keys that PyTorch keeps for a parameter, and those of a group, in its order
    "AdamW": (
        "step exp_avg exp_avg_sq",
        "lr betas eps weight_decay amsgrad maximize foreach capturable differentiable fused "
        "decoupled_weight_decay",
    ),
    "Adamax": (
        "step exp_avg exp_inf",
        "lr betas eps weight_decay foreach maximize differentiable capturable",
    ),
    "NAdam": (
        "step mu_product exp_avg exp_avg_sq",
        "lr betas eps weight_decay momentum_decay decoupled_weight_decay maximize foreach capturable "
        "differentiable",
    ),
    "RAdam": (
        "step exp_avg exp_avg_sq",
        "lr betas eps weight_decay maximize foreach capturable decoupled_weight_decay differentiable",
    ),
    "ASGD": (
        "step eta mu ax",
        "lr lambd alpha t0 weight_decay foreach maximize differentiable capturable",
    ),
    "Rprop": (
        "step prev step_size",
        "lr etas step_sizes foreach maximize differentiable capturable",
    ),
    "Adafactor": (
        "step row_var col_var",
        "lr beta2_decay eps d weight_decay foreach maximize",
    ),
    "Muon": (
        "momentum_buffer",
        "lr weight_decay momentum nesterov ns_coefficients eps ns_steps adjust_lr_fn",
    ),
    "LBFGS": (
        "func_evals n_iter al d t old_dirs old_stps ro H_diag prev_flat_grad prev_loss",
        "lr max_iter max_eval tolerance_grad tolerance_change history_size line_search_fn",
    ),
}


@pytest.mark.parametrize("name", STATES)
def test_state_dict_has_pytorchs_keys_in_its_order(name):
    (p,) = parameters_with_gradients((2, 2))
    optimizer = getattr(torch.optim, name)([p])

    def closure():
        optimizer.zero_grad()
        loss = (p**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    packed, (state, group) = optimizer.state_dict(), STATES[name]
    assert list(packed) == ["state", "param_groups"]
    assert list(packed["state"][0]) == state.split()
    assert list(packed["param_groups"][0]) == [*group.split(), "params"]


def test_muon_rounds_to_bfloat16_and_brings_singular_values_near_one():
    (p,) = parameters_with_gradients((6, 4))
    before = p.array.copy()
    torch.optim.Muon([p], lr=1.0, weight_decay=0).step()
    step = (before - p.array) / np.sqrt(6 / 4)
    assert (np.abs(np.linalg.svd(step)[1] - 1) < 0.35).all()


def test_lbfgs_leaves_parameters_and_counts_alone_when_a_limit_is_reached():
    (p,) = parameters_with_gradients((3,))
    optimizer, calls = torch.optim.LBFGS([p], max_iter=50, max_eval=7, line_search_fn="strong_wolfe"), []

    def closure():
        optimizer.zero_grad()
        loss = ((p - 3) ** 4).sum() + (p**2).sum()
        loss.backward()
        calls.append(p.array.copy())
        return loss

    assert torch.is_grad_enabled()
    optimizer.step(closure)
    assert torch.is_grad_enabled()
    assert len(calls) == optimizer.state[p]["func_evals"]
    assert 7 <= len(calls) <= 7 + 25
    with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
        torch.optim.LBFGS([p], line_search_fn="wolfe").step(closure)
    with pytest.raises(TypeError):
        optimizer.step()


def test_loaded_tensors_are_taken_as_they_are_and_in_the_parameters_type():
    (p,) = parameters_with_gradients((2,))
    first = torch.optim.Adam([p])
    first.step()
    single, double = (
        torch.nn.Parameter(torch.zeros(2)),
        torch.nn.Parameter(torch.zeros(2, dtype=torch.float64)),
    )
    for parameter in (single, double):
        optimizer = torch.optim.Adam([parameter])
        optimizer.load_state_dict(first.state_dict())
        state = optimizer.state[parameter]
        assert state["exp_avg"].dtype == parameter.dtype
        assert state["step"].dtype == torch.float32
        assert (state["exp_avg"].array is first.state[p]["exp_avg"].array) == (parameter is single)


def test_adamw_stays_decoupled_when_it_is_given_a_state_of_adam():
    (p,) = parameters_with_gradients((2,))
    optimizer = torch.optim.AdamW([p])
    optimizer.load_state_dict(torch.optim.Adam([p]).state_dict())
    assert optimizer.param_groups[0]["decoupled_weight_decay"] is True


def test_names_are_kept_with_their_parameters():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    optimizer = torch.optim.SGD(model.named_parameters(), 0.1)
    names = [name for name, _ in model.named_parameters()]
    assert optimizer.param_groups[0]["param_names"] == names
    assert "param_names: ['0.weight'" in repr(optimizer)
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == names
    with pytest.raises(ValueError, match="without names"):
        optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(1))]})
    with pytest.raises(ValueError, match="Some param names are missing"):
        torch.optim.SGD([("a", torch.nn.Parameter(torch.zeros(1))), torch.nn.Parameter(torch.zeros(1))], 0.1)


def test_duplicates_in_a_group_are_warned_of():
    (p,) = parameters_with_gradients((2,))
    with pytest.warns(UserWarning, match="duplicate parameters") as caught:
        torch.optim.SGD([p, p], 0.1)
    assert caught[0].filename == __file__


def test_hooks_run_around_the_step_of_a_derived_optimizer_too():
    class Own(torch.optim.Optimizer):
        @torch.no_grad()
        def step(self, closure=None):
            seen.append("step")
            return closure

    (p,), seen = parameters_with_gradients((2,)), []
    optimizer = Own([p], {})
    optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, "replaced"), {}))
    handle = optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(args[1:]))
    assert optimizer.step() == "replaced"
    handle.remove()
    optimizer.step()
    assert seen == ["step", ("replaced",), "step"]
    optimizer.register_step_pre_hook(lambda *_: 3)
    with pytest.raises(RuntimeError, match="must return None or a tuple"):
        optimizer.step()


def test_what_we_do_not_have_is_refused_and_choices_of_kernels_are_not():
    (p,) = parameters_with_gradients((2,))
    for name in ("Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop"):
        with pytest.raises(NotImplementedError, match="capturable"):
            getattr(torch.optim, name)([p], capturable=True)
    for name in ("SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam"):
        with pytest.raises(NotImplementedError, match="differentiable"):
            getattr(torch.optim, name)([p], lr=0.1, differentiable=True)
        getattr(torch.optim, name)([p], lr=0.1, foreach=True).step()
    torch.optim.AdamW([p], fused=True).step()
    with pytest.raises(RuntimeError, match="cannot be `True` together"):
        torch.optim.SGD([p], 0.1, foreach=True, fused=True)
    with pytest.raises(ValueError, match="lr as a Tensor"):
        torch.optim.Adam([p], torch.tensor(0.1), foreach=True)
    with pytest.raises(ValueError, match="both floats"):
        torch.optim.Adam([p], betas=(0, 0.9))
    with pytest.raises(NotImplementedError, match="neither `update` nor `step`"):
        torch.optim.Optimizer([p], {}).step()


def test_a_step_between_forward_and_backward_is_noticed():
    (w,) = parameters_with_gradients((2,))
    loss = (w * w).sum()
    torch.optim.SGD([w], 0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()
