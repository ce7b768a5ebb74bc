"""What programs ask beyond numbers: places without a GPU, old types, formats of memory, switches, versions."""

import importlib
from collections import OrderedDict

from golden import Area, integers, literal, real

area = Area()

# A machine without a GPU ----------------------------------------------------------------------------------
area.each(
    "",
    [],
    """
    torch.cuda.is_available(); torch.cuda.device_count(); torch.cuda.is_initialized(); torch.cuda.manual_seed(1)
    torch.cuda.manual_seed_all(seed=1); torch.cuda.seed(); torch.cuda.seed_all(); torch.cuda.empty_cache()
    torch.cuda.get_arch_list(); torch.cuda.get_gencode_flags(); torch.cuda.memory_allocated()
    torch.cuda.max_memory_allocated(0); torch.cuda.memory_reserved(device=None); torch.cuda.max_memory_reserved()
    torch.cuda.memory_stats(); torch.cuda.get_rng_state_all(); torch.cuda.set_rng_state_all([])
    torch.cuda.set_rng_state(torch.get_rng_state()); torch.cuda.is_bf16_supported(); torch.cuda.set_device(-1)
    torch.cuda.default_generators; torch.cuda.has_half; torch.cuda.stream(None).__enter__()
    torch.cuda.device(-1).__enter__(); issubclass(torch.cuda.OutOfMemoryError, RuntimeError)
    torch.cuda.OutOfMemoryError is torch.OutOfMemoryError;
    torch.accelerator.is_available(); torch.accelerator.device_count(); torch.accelerator.current_accelerator()
    torch.xpu.is_available(); torch.xpu.device_count(); torch.xpu.manual_seed(1); torch.xpu.empty_cache()
    torch.mps.is_available(); torch.mps.device_count(); torch.mps.manual_seed(1)
    torch.cpu.is_available(); torch.cpu.device_count(); torch.cpu.current_device(); torch.cpu.synchronize()
    torch.backends.cudnn.is_available(); torch.backends.cudnn.version(); torch.backends.cudnn.enabled
    torch.backends.cudnn.benchmark; torch.backends.cudnn.deterministic; torch.backends.cudnn.allow_tf32
    torch.backends.cuda.is_built(); torch.backends.cuda.matmul.allow_tf32; torch.backends.cuda.flash_sdp_enabled()
    torch.backends.mps.is_available(); torch.backends.mps.is_built()
    torch.distributed.is_initialized(); torch.distributed.is_nccl_available()
    isinstance(torch.cuda.Stream, type); isinstance(torch.cuda.Event, type); isinstance(torch.cuda.CUDAGraph, type)
    torch.utils._pytree._dict_flatten({"a": 1, "b": 2}); torch.utils._pytree._dict_unflatten([1, 2], ["a", "b"])
    torch.utils._pytree._dict_flatten_with_keys({"a": 1})[0][0][0].key
    torch.nn.modules.module._IncompatibleKeys([], ["a"])
    torch.version.cuda; torch.version.hip
    torch.__version__ >= "2.9"; torch.__version__ > (2, 13); torch.__version__ >= (2, 13, 0)
    torch.__version__ == "2.13.0"; torch.__version__ < "2.13.1"; torch.__version__ < (2, 14)
    torch.__version__ <= "2.13"; torch.__version__.split("+")[0]; [int(n) for n in torch.__version__.split(".")[:2]]
    """,
)
area.refused(
    "",
    [],
    """
    torch.cuda.current_device(); torch.cuda.synchronize(); torch.cuda.get_device_name(0)
    torch.cuda.get_device_properties("cuda"); torch.cuda.get_device_capability(); torch.cuda.mem_get_info()
    torch.cuda.initial_seed(); torch.cuda.current_stream(); torch.cuda.get_rng_state(); torch.cuda.init()
    torch.cuda.set_device(0); torch.cuda.set_device("cuda"); torch.cuda.set_device("cpu"); torch.cuda.set_device(None)
    torch.cuda.set_device(torch.device("cuda:0")); torch.cuda.device("cpu"); torch.cuda.device(0).__enter__()
    torch.distributed.get_process_group_ranks(None); torch.ops.nothing.at_all
    torch.cuda.Event(enable_timing=True); torch.cuda.Stream(); torch.cuda.manual_seed("a"); torch.cuda.manual_seed()
    torch.cuda.FloatTensor(2); torch.cuda.reset_peak_memory_stats(); torch.cuda.set_rng_state(1)
    torch.accelerator.current_device_index(); torch.accelerator.synchronize(); torch.accelerator.empty_cache()
    torch.accelerator.set_device_index(0); torch.accelerator.memory_allocated()
    torch.xpu.current_device(); torch.xpu.synchronize(); torch.mps.empty_cache(); torch.mps.seed()
    torch.distributed.get_rank(); torch.distributed.get_world_size(); torch.distributed.barrier()
    torch.zeros(2).cuda(); torch.zeros(2).cuda("cuda:1"); torch.zeros(2).cuda(0); torch.zeros(2).to("cuda")
    torch.zeros(2).to(torch.device("cuda", 0)); torch.zeros(2).to(0); torch.zeros(2, device="cuda")
    torch.ones(2).to("cuda", torch.float64); torch.zeros(2).to("mps"); torch.zeros(2).to("xpu")
    torch.tensor([1], device="cuda"); torch.zeros(2).to("gpu"); torch.zeros(2).pin_memory()
    nn.Linear(2, 2).cuda(); nn.Linear(2, 2).to("cuda"); nn.Linear(2, 2, device="cuda"); nn.Linear(2, 2).xpu()
    torch.device("gpu"); torch.device("cuda:x"); torch.device("cuda:-1"); torch.device("cuda:0", 1)
    torch.device("cuda", -1); torch.device(None); torch.device(0); torch.device("")
    torch.device("cuda", "a"); torch.LazyTensor; torch.cuda.nothing; torch.nn.modules.nothing
    """,
)
area.each(
    "",
    [],
    """
    torch.device("cuda"); torch.device("cuda", 1); torch.device("cuda:1"); torch.device(type="cpu", index=0)
    torch.device("mps"); torch.device("meta").type; torch.device(torch.device("cuda:1"))
    torch.device("cpu") == torch.device("cpu"); torch.device("cpu:0") == torch.device("cpu")
    torch.zeros(1).to("cpu:0").device; torch.zeros(1, device=torch.device("cpu")).device
    torch.get_default_device(); torch.set_default_device("cpu"); torch.set_default_device(None)
    """,
)


@area.case()
def switches_can_be_set(torch):
    cudnn, matmul = torch.backends.cudnn, torch.backends.cuda.matmul
    cudnn.benchmark, cudnn.deterministic, matmul.allow_tf32 = True, True, True
    torch.backends.cuda.enable_flash_sdp(False)
    torch.set_float32_matmul_precision("high")
    torch.use_deterministic_algorithms(True, warn_only=True)
    torch.set_num_threads(1)
    found = [
        cudnn.benchmark, cudnn.deterministic, torch.backends.cuda.flash_sdp_enabled(),
        torch.get_float32_matmul_precision(), torch.are_deterministic_algorithms_enabled(), torch.get_num_threads(),
        torch.is_deterministic_algorithms_warn_only_enabled(),
    ]  # fmt: skip
    with cudnn.flags(enabled=False, benchmark=False):
        found += [cudnn.enabled, cudnn.benchmark]
    found += [cudnn.enabled, cudnn.benchmark]
    cudnn.benchmark, cudnn.deterministic, matmul.allow_tf32 = False, False, False
    torch.backends.cuda.enable_flash_sdp(True)
    torch.set_float32_matmul_precision("highest")
    torch.use_deterministic_algorithms(False)
    return found, torch.get_float32_matmul_precision(), torch.are_deterministic_algorithms_enabled()


area.refused("", [], "torch.set_num_threads(0); torch.set_num_threads(-1)")


@area.case(real(3))
def the_generator_gets_its_state_back(torch, x):
    with torch.random.fork_rng():
        torch.manual_seed(3)
        inside = torch.rand(2)
    torch.random.manual_seed(5)
    return inside, torch.rand(2), torch.random.initial_seed(), x


@area.case(real(3))
def a_device_is_a_context(torch, x):
    with torch.device("cpu"):
        return torch.zeros(2), x


@area.case()
def globals_are_declared_safe(torch):
    serialization = torch.serialization
    serialization.clear_safe_globals()
    serialization.add_safe_globals([OrderedDict])
    with serialization.safe_globals([int]):
        inside = len(serialization.get_safe_globals())
    left = len(serialization.get_safe_globals())
    serialization.clear_safe_globals()
    return inside, left, len(serialization.get_safe_globals())


# Compiling ------------------------------------------------------------------------------------------------
@area.case(real(2, 4))
def what_is_compiled_computes_the_same(torch, x):
    net = torch.nn.Linear(4, 3)
    expected = net(x)
    with torch.no_grad():
        same = bool((torch.compile(net, backend="eager")(x) == expected).all())
    net.compile(backend="eager")

    @torch.compile(backend="eager")
    def double(x):
        return 2 * x

    @torch.compile(fullgraph=True, dynamic=False, backend="eager")
    def triple(x):
        return 3 * x

    @torch.compiler.disable
    def square(x):
        return x * x

    @torch.compiler.disable(recursive=False)
    def cube(x):
        return x * x * x

    return same, double(x), triple(x), square(x), cube(x), net(x), torch.compiler.is_compiling()


area.refused(
    "",
    [],
    """
    torch.compile(3); torch.compile(abs, mode="nothing"); torch.compile(mode="nothing")(abs)
    torch.compile(abs, mode="default", options={"trace.enabled": True}); torch.compile(fullgraph=True)(3)
    """,
)

# Types ----------------------------------------------------------------------------------------------------
KINDS = "HalfTensor FloatTensor DoubleTensor CharTensor ShortTensor IntTensor LongTensor ByteTensor BoolTensor".split()  # noqa: SIM905
for kind in KINDS:
    area.each(
        "x",
        [[1, 0, 3], [[1.0, 2.5], [0.0, 4.0]], ((1, 2),), [], [[]]],
        f"torch.{kind}(x); torch.{kind}(x).dtype; torch.{kind}(x).type()",
    )
    area.each(
        "x",
        [real(2, 3).constant, integers(4), literal([True, False], "bool"), literal([1.75, 200.0])],
        f"""
        x.type(torch.{kind}); x.type("torch.{kind}"); isinstance(x, torch.{kind}); isinstance(x, torch.cuda.{kind})
        x.type(dtype=torch.{kind}).type(); isinstance(x.type(torch.{kind}), torch.{kind})
        """,
        gradient=False,
    )
    area.each(
        "", [], f"torch.{kind}(2, 3).shape; torch.{kind}(torch.Size([2, 0])).shape; torch.{kind}(4).shape"
    )
    area.each("", [], f"torch.{kind}; torch.{kind}.dtype; torch.{kind}.is_cuda; torch.{kind}().shape")
    area.refused(
        "",
        [],
        f"""
        torch.{kind}(1.5); torch.{kind}("abc"); torch.{kind}(None); torch.{kind}(2, [1]); torch.{kind}([1], 2)
        torch.{kind}(-1); torch.{kind}([[1], [2, 3]]); torch.{kind}([1], dtype=torch.float32)
        torch.{kind}([1], device="cuda"); torch.{kind}(True); torch.{kind}({{1, 2}})
        """,
    )
area.each(
    "x",
    [real(2, 3).constant, integers(4), literal([True, False], "bool")],
    """
    x.type(torch.float64); x.type(torch.Tensor); x.type(); torch.typename(x); x.type("torch.LongTensor").type_as(x)
    isinstance(nn.Parameter(x.float()), torch.FloatTensor); torch.LongTensor(x.long()); x.byte(); x.char()
    torch.FloatTensor(x.numpy()); torch.FloatTensor(list(x.flatten())); torch.DoubleTensor(x.tolist())
    x.dtype.is_signed; x.dtype.is_complex; x.dtype.is_floating_point; x.dtype.itemsize
    """,
    gradient=False,
)
area.refused(
    "x",
    [real(2, 3), integers(4)],
    """
    x.type("LongTensor"); x.type("torch.Nothing"); x.type(3); x.type(int); x.type("torch.cuda.FloatTensor")
    x.type(torch.cuda.FloatTensor); torch.IntTensor(x); torch.set_default_tensor_type(torch.LongTensor)
    torch.set_default_tensor_type(3)
    """,
)
area.each(
    "",
    [],
    """
    torch.bfloat16; torch.bfloat16.is_floating_point; torch.bfloat16.itemsize; torch.bfloat16.is_complex
    torch.bfloat16 == torch.float16; torch.BFloat16Tensor.dtype; isinstance(torch.bfloat16, torch.dtype); torch.bfloat16 in (torch.bfloat16,)
    torch.typename(3); torch.typename([1]); torch.typename(None); torch.typename(abs); torch.typename(dict)
    torch.typename(np.linalg.norm); torch.newaxis; torch.ones(2)[:, torch.newaxis].shape
    torch.contiguous_format; torch.channels_last; torch.channels_last_3d; torch.preserve_format; torch.strided
    isinstance(torch.channels_last, torch.memory_format); isinstance(torch.strided, torch.layout)
    hasattr(torch, "nothing"); hasattr(torch.nn, "nothing"); hasattr(torch.Tensor, "nothing")
    """,
)


@area.case()
def the_default_type_of_tensors_can_be_set(torch):
    torch.set_default_tensor_type(torch.DoubleTensor)
    found = torch.zeros(1).dtype
    torch.set_default_tensor_type("torch.FloatTensor")
    return found, torch.zeros(1).dtype


# Tensors --------------------------------------------------------------------------------------------------
area.each(
    "x",
    [real(2, 3), integers(4), literal([True], "bool"), real(), real(0, 2), integers(2, dtype="uint8")],
    """
    x.is_cuda; x.is_cpu; x.is_xpu; x.is_mps; x.is_sparse; x.is_sparse_csr; x.is_quantized; x.is_nested; x.is_meta
    x.is_mkldnn; x.is_xla; x.is_ipu; x.is_mtia; x.is_maia; x.is_vulkan; x.layout; x.name; x.ndimension()
    x.is_complex(); x.is_conj(); x.is_neg(); x.is_distributed(); x.is_signed(); x.is_pinned(); x.get_device()
    torch.is_complex(x); torch.is_conj(x); torch.is_neg(x); torch.is_signed(input=x); torch.get_device(x)
    x.is_same_size(torch.ones(2, 3)); torch.is_same_size(x, other=x); x.conj(); x.resolve_conj(); x.resolve_neg()
    x.new(2, 3).shape; x.new(torch.Size([4])).dtype; x.new([1, 0]); x.new(x).dtype; x.new().shape
    x.real; x.contiguous(memory_format=torch.contiguous_format); x.clone(memory_format=torch.preserve_format)
    x.clone(memory_format=torch.contiguous_format); x.to(memory_format=torch.preserve_format)
    """,
    gradient=False,
)
area.each(
    "x", [literal([1.5]), literal([0]), literal([[True]], "bool")], "x.is_nonzero(); torch.is_nonzero(x)"
)
area.refused("x", [real(2), real(0)], "x.is_nonzero(); torch.is_nonzero(x)")
area.refused(
    "x", [3, [1.0]], "torch.is_complex(x); torch.is_nonzero(x); torch.is_signed(x); torch.is_same_size(x, x)"
)
area.each(
    "x",
    [real(2, 3, 4, 5), real(1, 2, 3, 3), real(2, 3, 5, 4).transposed, real(1, 1, 1, 1), real(0, 2, 3, 3)],
    """
    x.contiguous(memory_format=torch.channels_last) * 2; x.to(memory_format=torch.channels_last) + x
    x.clone(memory_format=torch.channels_last) * 3; x.to(torch.float64, memory_format=torch.channels_last)
    x.to("cpu", memory_format=torch.contiguous_format) * 2
    """,
)
area.each(
    "x",
    [real(2, 3, 4, 5).constant, real(3, 2, 3, 3).constant, real(2, 3, 5, 4).transposed],
    """
    x.contiguous(memory_format=torch.channels_last).stride(); x.to(memory_format=torch.channels_last).stride()
    x.clone(memory_format=torch.channels_last).stride(); x.clone(memory_format=torch.contiguous_format).stride()
    x.to(memory_format=torch.channels_last).contiguous().stride()
    x.to(memory_format=torch.channels_last).clone().stride()
    """,
    gradient=False,
)
area.each(
    "x",
    [real(2, 3, 2, 4, 5)],
    "x.contiguous(memory_format=torch.channels_last_3d).stride(); x.to(memory_format=torch.channels_last_3d) * 2",
)
area.refused(
    "x",
    [real(2, 3), real(2, 3, 4), real(2, 3, 4, 5, 6)],
    """
    x.contiguous(memory_format=torch.channels_last); x.to(memory_format=torch.channels_last)
    x.clone(memory_format=torch.channels_last); x.contiguous(memory_format=None)
    """,
)


# Mixed precision ------------------------------------------------------------------------------------------
@area.case(real(2, 4))
def autocast_without_a_gpu_changes_nothing(torch, x):
    net = torch.nn.Linear(4, 3)
    with torch.autocast("cuda"):
        first = net(x)
    with (
        torch.autocast(device_type="cuda", dtype=torch.float16, enabled=True),
        torch.amp.autocast("cpu", enabled=False),
    ):
        second = net(x)
    with torch.cuda.amp.autocast(enabled=False):
        third = net(x)

    @torch.autocast("cuda")
    def doubled(x):
        return 2 * x

    return first, second, third, doubled(x), torch.is_autocast_enabled(), torch.is_autocast_enabled("cpu")


area.refused(
    "",
    [],
    """
    torch.autocast(); torch.autocast("abc"); torch.autocast(torch.device("cpu")); torch.autocast("cuda")(3)
    torch.is_autocast_enabled("abc"); torch.amp.GradScaler("cpu").scale(3); torch.amp.GradScaler("cpu").update()
    torch.amp.GradScaler("cpu", growth_factor=1.0); torch.amp.GradScaler("cpu", backoff_factor=1.0)
    torch.amp.GradScaler("cpu").load_state_dict({}); torch.amp.GradScaler(enabled=False).get_growth_factor()
    """,
)
area.each(
    "",
    [],
    """
    torch.amp.GradScaler("cpu").get_scale(); torch.amp.GradScaler().get_scale(); torch.GradScaler().is_enabled()
    torch.amp.GradScaler("cpu", init_scale=8.0).get_scale(); torch.amp.GradScaler("cpu").state_dict()
    torch.amp.GradScaler("cpu").is_enabled(); torch.amp.GradScaler("cpu", enabled=False).state_dict()
    torch.cuda.amp.GradScaler().get_scale(); torch.cuda.amp.GradScaler(enabled=False).is_enabled()
    torch.amp.GradScaler("cpu", growth_interval=3).get_growth_interval(); torch.amp.GradScaler().load_state_dict({})
    torch.amp.GradScaler("cpu", 4.0, 3.0, 0.25, 7).state_dict(); torch.amp.is_autocast_available("cuda")
    """,
)


@area.case((real(6, 4), real(6, 1)), gradient=False)
def gradients_are_scaled_and_bad_steps_left_out(torch, x, y):
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=2)
    seen = []
    for step in range(6):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        scaler.scale(loss).backward()
        if step == 2:
            net.weight.grad[0, 1] = float("inf")
        if step in (2, 4):
            scaler.unscale_(optimizer)
            seen.append(net.bias.grad.clone())
        scaler.step(optimizer)
        scaler.update()
        seen += [scaler.get_scale(), net.weight.detach().clone(), scaler.state_dict()]
    scaler.update(new_scale=5.0)
    other = torch.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    return seen, scaler.get_scale(), other.state_dict(), scaler.scale([loss, (loss,)])


@area.case((real(6, 4), real(6, 1)), gradient=False)
def a_scaler_that_is_not_enabled_only_steps(torch, x, y):
    net = torch.nn.Linear(4, 1)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
    scaler = torch.cuda.amp.GradScaler(enabled=torch.cuda.is_available())
    for _ in range(3):
        optimizer.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        scaler.step(optimizer)
        scaler.update()
    return loss, net.weight, scaler.scale(loss) is loss, scaler.state_dict()


class ScalerRefusals:
    """What a scaler refuses, one program each."""

    def made(torch):
        net = torch.nn.Linear(2, 1)
        scaler, optimizer = torch.amp.GradScaler("cpu"), torch.optim.SGD(net.parameters(), lr=0.1)
        scaler.scale(net(torch.ones(1, 2)).sum()).backward()
        return net, scaler, optimizer

    def unscaling_twice(torch):
        _, scaler, optimizer = ScalerRefusals.made(torch)
        scaler.unscale_(optimizer)
        scaler.unscale_(optimizer)

    def unscaling_after_a_step(torch):
        _, scaler, optimizer = ScalerRefusals.made(torch)
        scaler.step(optimizer)
        scaler.unscale_(optimizer)

    def stepping_twice(torch):
        _, scaler, optimizer = ScalerRefusals.made(torch)
        scaler.step(optimizer)
        scaler.step(optimizer)

    def stepping_with_a_closure(torch):
        _, scaler, optimizer = ScalerRefusals.made(torch)
        scaler.step(optimizer, closure=lambda: 1)

    def stepping_without_gradients(torch):
        net, scaler, optimizer = ScalerRefusals.made(torch)
        net.zero_grad()
        scaler.step(optimizer)

    def updating_without_a_step(torch):
        ScalerRefusals.made(torch)[1].update()


for name, program in vars(ScalerRefusals).items():
    if not name.startswith("_") and name != "made":
        area.add(f"refused: {name.replace('_', ' ')}", program, [], raises=True)


# Models on several devices --------------------------------------------------------------------------------
@area.case(real(2, 4))
def data_parallel_calls_its_module(torch, x):
    net = torch.nn.Linear(4, 3)
    parallel = torch.nn.DataParallel(net, device_ids=[0, 1])
    other = torch.nn.parallel.DataParallel(net)
    return (
        parallel(x),
        list(parallel.state_dict()),
        repr(parallel),
        parallel.module is net,
        parallel.device_ids,
        other(x),
    )


@area.case()
def ways_to_lie_over_processes_can_be_named(torch):
    place = importlib.import_module(f"{torch.__name__}.distributed.tensor")
    kinds = importlib.import_module(f"{torch.__name__}.distributed.tensor.placement_types")
    shard, whole, part = place.Shard(1), place.Replicate(), place.Partial()
    return (
        shard == kinds.Shard(1),
        shard != place.Shard(0),
        shard.dim,
        part.reduce_op,
        [
            (p.is_shard(), p.is_shard(1), p.is_shard(0), p.is_replicate(), p.is_partial())
            for p in (shard, whole, part)
        ],
        all(isinstance(p, kinds.Placement) for p in (shard, whole, part)),
    )


@area.case()
def compilers_are_told_what_they_need_not_know(torch):
    dynamo = importlib.import_module(f"{torch.__name__}._dynamo")
    return dynamo.is_compiling(), dynamo.assume_constant_result(lambda x: x)("ab")


# Operations of a program's own ----------------------------------------------------------------------------
@area.case(real(3))
def an_operation_has_the_gradient_that_is_registered(torch, x):
    @torch.library.custom_op("golden::scaled", mutates_args=())
    def scaled(x: torch.Tensor, factor: float) -> torch.Tensor:
        return x * factor

    def keep(ctx, inputs, output):
        ctx.factor = inputs[1]

    scaled.register_autograd(lambda ctx, grad: (grad * ctx.factor + 1, None), setup_context=keep)
    scaled.register_fake(lambda x, factor: torch.empty_like(x))
    return scaled(x, 2.0), torch.ops.golden.scaled(x.detach(), 3.0)


@area.case(real(3), raises=True)
def an_operation_without_a_gradient_is_refused_on_the_way_back(torch, x):
    @torch.library.custom_op("golden::doubled", mutates_args=())
    def doubled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    doubled(x.requires_grad_()).sum().backward()
