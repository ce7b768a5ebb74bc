"""Of PyTorch's places, those that repeat another, those that only answer; and what tinytorch leaves out, with the reason."""

import re
from contextlib import nullcontext
from types import FunctionType

# Files of PyTorch's from which programs import what their package has as well: they are made when they are asked for.
REPEATED = {
    "tinytorch.amp": "autocast_mode grad_scaler",
    "tinytorch.distributions": "bernoulli beta categorical dirichlet exponential gamma independent kl log_normal "
    "multivariate_normal normal one_hot_categorical transformed_distribution uniform",
    "tinytorch.nn": "parameter",
    "tinytorch.nn.modules": "activation batchnorm channelshuffle container conv distance dropout flatten "
    "fold instancenorm linear loss module normalization padding pixelshuffle pooling rnn sparse transformer "
    "upsampling",
    "tinytorch.nn.utils": "clip_grad convert_parameters",
    "tinytorch.optim": "adadelta adagrad adam adamax adamw lbfgs nadam radam rmsprop sgd",
    "tinytorch.nn.parallel": "distributed",
    "tinytorch.utils.data": "dataloader dataset sampler distributed",
}

# In the module that they come from, the names of these places have a word before them: linalg_norm is linalg.norm.
PREFIXES = {"tinytorch.linalg": "linalg_", "tinytorch.special": "special_"}

LEFT_OUT = {
    "complex numbers": "complex fft stft istft",
    "sparse tensors": "sparse sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc sparse_coo_tensor "
    "sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor sparse_compressed_tensor "
    "SparseAdam",
    "nested and masked tensors": "nested jagged masked",
    "exporting programs, and classes of its own": "package classes",
    "PyTorch's quantized types, in place of which module 15 has its own": "quantized qint32 quint4x2 quint2x4 "
    "quantize_per_tensor quantize_per_channel quantize_per_tensor_dynamic empty_quantized QuantStub DeQuantStub "
    "QuantWrapper HistogramObserver fuse_modules fuse_modules_qat quantize_fx pt2e",
    "writing for TensorBoard": "tensorboard",
    "PyTorch's inner parts, of which `__torch_function__` of classes made from Tensor is all there is": "overrides",
    "extensions in C++": "cpp_extension",
    "storages by the names of their types": "Storage FloatStorage DoubleStorage HalfStorage LongStorage "
    "IntStorage ShortStorage CharStorage ByteStorage BoolStorage BFloat16Storage",
}

# More words, attributes, texts and keywords, by which a program shows that it needs what is left out.
NEEDED = {
    "complex numbers": "cfloat cdouble chalf complex32 complex64 complex128 is_complex view_as_real view_as_complex polar",
    "sparse tensors": "to_sparse to_sparse_csr to_sparse_coo is_sparse coalesce sparse_dim sparse_mask sparse_resize_ "
    "sspmm smm hspmm",
    "nested and masked tensors": "nested_tensor masked_tensor",
    "bfloat16 arithmetic": "bfloat16",
    "devices other than the processor": "cuda xpu mps",
    "names of dimensions": "names refine_names align_to align_as rename rename_",
    "models and weights from the network": "hub model_zoo",
    "compiling programs": "compile compiler _dynamo",
}

# What programs import and never call, or call last: it can be imported, and says why it is not here when it is called.
CALLED = {
    "exporting programs": {
        "tinytorch.onnx": "export dynamo_export register_custom_op_symbolic OperatorExportTypes TrainingMode",
        "tinytorch.export": "export Dim save load ExportedProgram",
        "tinytorch.fx": "symbolic_trace GraphModule Graph Node Tracer Interpreter Proxy",
    },
    "models and weights from the network": {
        "tinytorch.hub": "load load_state_dict_from_url download_url_to_file list help get_dir set_dir",
        "tinytorch.utils.model_zoo": "load_url",
    },
    "compiling programs": {
        "tinytorch._dynamo._trace_wrapped_higher_order_op": "TransformGetItemToIndex",
    },
    "graphs and streams of a GPU's kernels": {
        "tinytorch.cuda": "CUDAGraph StreamContext graph graph_pool_handle make_graphed_callables",
    },
    "attention compiled from a function of its scores": {
        "tinytorch.nn.attention.flex_attention": "flex_attention create_block_mask create_mask create_nested_block_mask "
        "BlockMask and_masks or_masks noop_mask AuxOutput AuxRequest",
    },
    "functions that transform functions": {
        "tinytorch": "vmap",
        "tinytorch.func": "vmap grad grad_and_value vjp jvp jacrev jacfwd hessian functional_call stack_module_state",
    },
    "more than one process": {
        "tinytorch.distributed": "send recv isend irecv scatter gather reduce_scatter all_to_all all_to_all_single "
        "gather_object scatter_object_list all_gather_into_tensor reduce_scatter_tensor monitored_barrier",
        "tinytorch.distributed.nn": "all_gather all_reduce all_to_all all_to_all_single broadcast gather reduce "
        "reduce_scatter scatter",
        "tinytorch.distributed.optim": "ZeroRedundancyOptimizer DistributedOptimizer PostLocalSGDOptimizer",
        "tinytorch.distributed.fsdp": "FullyShardedDataParallel ShardingStrategy CPUOffload MixedPrecision "
        "BackwardPrefetch StateDictType FullStateDictConfig fully_shard CPUOffloadPolicy MixedPrecisionPolicy",
        "tinytorch.distributed.rpc": "init_rpc rpc_sync rpc_async remote shutdown",
        "tinytorch.distributed.device_mesh": "init_device_mesh DeviceMesh",
        "tinytorch.distributed.tensor": "DTensor DeviceMesh distribute_module distribute_tensor",
        "tinytorch.distributed.tensor._utils": "compute_local_shape_and_global_offset",
        "tinytorch.distributed.tensor.placement_types": "_StridedShard",
        "tinytorch.distributed._functional_collectives": "wait_tensor all_to_all_single_autograd",
        "tinytorch.distributed._composable.fsdp": "fully_shard",
        "tinytorch.distributed.checkpoint.state_dict": "get_model_state_dict set_model_state_dict get_state_dict "
        "set_state_dict get_optimizer_state_dict set_optimizer_state_dict StateDictOptions",
        "tinytorch.distributed.checkpoint.hf_storage": "HuggingFaceStorageReader HuggingFaceStorageWriter",
        "tinytorch.distributed.elastic.multiprocessing.errors": "record",
        "tinytorch.futures": "Future collect_all wait_all",
        "tinytorch.nn.parallel.scatter_gather": "gather scatter scatter_kwargs",
        "tinytorch.distributed.algorithms.join": "Join Joinable",
    },
}
_reasons = {name: reason for reason, names in LEFT_OUT.items() for name in names.split()}


def refusing(names, error, sentence):
    """Functions that refuse what only something can do that is not there."""

    def refuse(*args, **kwargs):
        raise error(sentence)

    return dict.fromkeys(names.split(), refuse)


def parsed(url):
    """Take an address apart."""
    from urllib.parse import urlparse

    return urlparse(url)


def seeded(seed):
    """Take a seed for what will never draw."""
    int(seed)


NO_DEVICE = {"is_available": lambda: False, "device_count": lambda: 0}
COMPILER = "PyTorch's compiler, as in torch.{}: nothing is compiled here, so there is only its config to set."
SWITCHES = "Switches of PyTorch's compiler, as in torch.{}: they can be set, and change nothing."

# Places of what is not there, which have no file: what they are, and what their functions answer.
ANSWERS = {
    "tinytorch.mps": (
        "The answers of torch.mps on a machine without a GPU of Apple's.",
        NO_DEVICE
        | {"manual_seed": seeded}
        | refusing(
            "seed empty_cache synchronize get_rng_state set_rng_state current_allocated_memory "
            "driver_allocated_memory",
            RuntimeError,
            "this needs a GPU of Apple's, and there is none",
        ),
    ),
    "tinytorch.xpu": (
        "The answers of torch.xpu on a machine without a GPU of Intel's.",
        NO_DEVICE
        | {"manual_seed": seeded, "manual_seed_all": seeded}
        | {"seed": lambda: None, "seed_all": lambda: None, "empty_cache": lambda: None}
        | refusing(
            "current_device synchronize get_device_name get_device_properties set_device",
            AssertionError,
            "Torch not compiled with XPU enabled: there is no GPU of Intel's",
        ),
    ),
    "tinytorch.accelerator": (
        "The answers of torch.accelerator where there is none: what needs one is refused.",
        NO_DEVICE
        | {"current_accelerator": lambda check_available=False: None}
        | refusing(
            "current_device_index set_device_index current_stream set_stream synchronize empty_cache "
            "memory_allocated max_memory_allocated memory_reserved max_memory_reserved memory_stats "
            "reset_peak_memory_stats get_memory_info",
            RuntimeError,
            "Cannot access accelerator device when none is available: kernels for a GPU come with module 17 "
            "(acceleration)",
        ),
    ),
    "tinytorch.cpu": (
        "The processor as a device, as in torch.cpu, for programs that treat it like a GPU.",
        {
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "device_count": lambda: 1,
            "current_device": lambda: "cpu",
            "set_device": lambda device: None,
            "synchronize": lambda device=None: None,
            "current_stream": lambda device=None: None,
            "stream": lambda stream: nullcontext(),
        },
    ),
    "tinytorch._C": (
        "PyTorch's inner parts: not there, but for a count of who uses what, which is not kept.",
        {"_log_api_usage_once": lambda event: None},
    ),
    "tinytorch.__config__": (
        "How the library was built, as in torch.__config__: of Python.",
        {
            "show": lambda: "tinytorch, in Python, by NumPy's BLAS and LAPACK, and kernels compiled by numba",
            "parallel_info": lambda: "threads are those of NumPy's BLAS, and of the kernels of module 17",
        },
    ),
    "tinytorch.hub": (
        "Models from the network, as in torch.hub: what reads the names of their files is here.",
        {"HASH_REGEX": re.compile(r"-([a-f0-9]*)\."), "urlparse": parsed},
    ),
    "tinytorch._dynamo": (
        COMPILER.format("_dynamo"),
        {
            "reset": lambda: None,
            "is_compiling": lambda: False,
            "graph_break": lambda msg="": None,
            "allow_in_graph": lambda fn: fn,
            "assume_constant_result": lambda fn: fn,
            "mark_dynamic": lambda t, index: None,
            "mark_static": lambda t, index=None: None,
        },
    ),
    "tinytorch._dynamo.config": (SWITCHES.format("_dynamo.config"), {}),
    "tinytorch._inductor": (COMPILER.format("_inductor"), {}),
    "tinytorch._inductor.config": (SWITCHES.format("_inductor.config"), {}),
    "tinytorch.nn.attention.flex_attention": (
        "Attention compiled from a function of its scores, as in torch.nn.attention.flex_attention: refused when called.",
        {"_DEFAULT_SPARSE_BLOCK_SIZE": 128},
    ),
    "tinytorch.ao": (
        "Architecture optimization, as in torch.ao: quantization is what there is of it here.",
        {},
    ),
    "tinytorch.ao.quantization": (
        "Observers, fake quantization and the conversion of models, as in torch.ao.quantization.",
        {},
    ),
    "tinytorch.backends.mkl": (
        "Intel's library for products of matrices, which NumPy does not use.",
        {"is_available": lambda: False},
    ),
    "tinytorch.backends.mkldnn": (
        "Intel's library of layers, which is not used.",
        {"is_available": lambda: False, "enabled": False},
    ),
    "tinytorch.backends.mps": (
        "GPUs of Apple's: not there.",
        {"is_available": lambda: False, "is_built": lambda: False},
    ),
}

# Places below what has no folder, such as what a learner exports: what they are, and where their names stand.
BELOW_FILES = {
    "tinytorch.autograd.functional": (
        "Derivatives of functions, as in torch.autograd.functional.",
        {"tinytorch.given.autograd.functional": "hessian hvp jacobian jvp vhp vjp"},
    ),
    "tinytorch.autograd.graph": (
        "Where graphs keep what they save, as in torch.autograd.graph.",
        {"tinytorch.utils.checkpoint": "save_on_cpu"},
    ),
    "tinytorch.autograd.profiler": (
        "Recording what runs in a block, as in torch.autograd.profiler.",
        {"tinytorch.given.profiling.block_profile": "profile", "tinytorch.profiler": "record_function"},
    ),
    "tinytorch.jit.annotations": (
        "Types that scripts name, as in torch.jit.annotations: Python's.",
        {"typing": "Any Dict List Optional Tuple Union"},
    ),
    "tinytorch.autograd.function": (
        "Operations that programs write, as in torch.autograd.function.",
        {"tinytorch.autograd": "Function FunctionCtx=FunctionContext once_differentiable"},
    ),
}


def answering(place, name, answer):
    """What ANSWERS has for a place: a function under the name that it has there."""
    if not callable(answer):
        return answer
    own = FunctionType(answer.__code__, globals(), name, answer.__defaults__, answer.__closure__)
    own.__module__, own.__qualname__ = place, name
    own.__doc__ = f"Answer for what is not there, as torch.{place.partition('.')[2]}.{name} does."
    return own


def is_above_called(place):
    """Whether a place has something that can be imported and not called, or is a package above one that has."""
    return any(f"{below}.".startswith(f"{place}.") for places in CALLED.values() for below in places)


def refused(name, place):
    """A class whose call says why it is not here; None for a name that no program is known to import."""
    for reason, places in CALLED.items():
        if name in places.get(place, "").split():
            sentence = (
                f"tinytorch leaves out {reason}: there is no {place.replace('tinytorch', 'torch', 1)}.{name}"
            )

            def refuse(cls, *args, sentence=sentence, **kwargs):
                raise NotImplementedError(sentence)

            said = {"__module__": place, "__doc__": f"{sentence}.", "__new__": refuse}
            if name == "Future":  # which annotations say the type of
                said["__class_getitem__"] = classmethod(lambda cls, kind: cls)
            return type(name, (), said)
    return None


def left_out(name, place):
    """Why a place has no such name, as half a sentence; None if there is no reason to tell."""
    if name in _reasons and name not in REPEATED.get(place, "").split():
        return f"tinytorch leaves out {_reasons[name]}"
    return None


def missing_attribute(name):
    """Why a tensor has no such attribute, as half a sentence; None if there is no reason to tell."""
    reasons = [reason for reason, names in NEEDED.items() if name in names.split()]
    return f"tinytorch leaves out {reasons[0]}" if reasons else None


def needs(program):
    """What that tinytorch leaves out a program needs, by the names it asks for; None if it needs nothing of that."""
    words = set(re.findall(r"""(?<=[.'"])\w+|\w+(?==)""", program))
    for reasons in (LEFT_OUT, NEEDED):
        for reason, names in reasons.items():
            if words & set(names.split()):
                return reason
    return "complex numbers" if re.search(r"\dj\b", program) else None
