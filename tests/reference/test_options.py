"""Options that are accepted and not read: each is in the table below with its reason, and no other is."""

import ast
from collections.abc import Iterator
from pathlib import Path

import tinytorch

PACKAGE = Path(tinytorch.__file__).parent
# What registries call by the arguments of what they replace: kernels, and their conditions.
CALLED_BY_OTHERS = ("given/kernels", "given/acceleration", "acceleration.py")

# By reason: a function, and those of its parameters that it does not read.
UNREAD = {
    "real matrices are Hermitian where they are symmetric": """
        given.tensor.decompositions.linalg_ldl_factor_ex: hermitian
        given.tensor.decompositions.linalg_ldl_solve: hermitian
    """,
    "there is one processor, and nothing to compile for, to lock or to switch": """
        amp.autocast.__init__: cache_enabled
        amp.custom_fwd: device_type cast_inputs
        amp.custom_bwd: device_type
        backends._switches.set_flush_denormal: mode
        backends.cudnn.is_acceptable: tensor
        backends.cudnn.flags: fp32_precision
        compiler.compile: fullgraph dynamic name recompile_limit isolate_recompiles shapes_spec
        compiler.disable: recursive reason
        cuda.is_bf16_supported: including_emulation
        cuda.memory_allocated: device
        cuda.none_in_use: device
        cuda.memory_stats: device
        cuda.set_rng_state: device
        cuda.stream: stream
        given.profiling.block_profile.profile.__init__: use_cpu use_cuda use_device use_kineto
        given.tensor.compatibility.Answers.is_pinned: device
        library.custom_op: mutates_args device_types schema tags
        jit.script: optimize example_inputs
        jit.trace: example_inputs args kwargs
        jit.ignore: kwargs
        jit.freeze: preserved_attrs optimize_numerics
        jit.optimize_for_inference: other_methods
        jit.annotate: the_type
        jit.Attribute: type
        nn.attention.sdpa_kernel: set_priority
        random.fork_rng: devices device_type
        utils.checkpoint.get_device_states: args
    """,
    "whoever calls it hands over the same to all of its kind": """
        compression.BasePruningMethod.__call__: inputs
        distributions.transforms.ComposeTransform.log_abs_det_jacobian: y
        distributions.transforms.AffineTransform.log_abs_det_jacobian: y
        distributions.transforms.ExpTransform.log_abs_det_jacobian: y
        distributions.transforms.SigmoidTransform.log_abs_det_jacobian: y
        distributions.transforms.TanhTransform.log_abs_det_jacobian: y
        distributions.transforms.SoftplusTransform.log_abs_det_jacobian: y
        given.attention.recurrent.check_input: sizes
        given.attention.scaled_dot_product.added_mask: value
        given.autograd.entry_points.grad: only_inputs
        given.autograd.functions.Variable.__new__: volatile
        given.autograd.switches.set_grad_enabled.__new__: mode
        given.compression.methods.Identity.compute_mask: t
        given.compression.methods.CustomFromMask.compute_mask: t
        given.conv.lazy.LazyConvNd.initialize_parameters: others
        given.layers.reparametrization.WeightNorm.__call__: inputs
        given.layers.reparametrization.SpectralNorm.__call__: inputs
        given.layers.uninitialized.Uninitialized.__new__: args options
        given.profiling.counting.conv_input_flops: out_shape
        given.profiling.counting.conv_weight_flops: x_shape
        given.profiling.counting.einsum_flops: out_shape
        given.quantization.integer_layers.sums_again: incompatible_keys
        given.tensor.legacy_types.tensortype.__init__: dtype device
        given.tensor.searching.sum_shares: x part output include_self
        given.tensor.searching.mean_shares: part output
        given.tensor.searching.extreme_shares: include_self
        given.trainer.callbacks.ProgressBar.on_fit_end: trainer
        given.trainer.pickled.rebuilt: backward_hooks metadata
        given.trainer.pickled.rebuilt_of_bytes: metadata
        given.trainer.pickled.rebuilt_parameter: backward_hooks
        profiling.product_flops: y_shape bias_shape
        profiling.convolution_flops: x_shape bias_shape
        profiling.attention_flops: others
    """,
    "there is one process, which has nobody to wait for or to send to": """
        distributed.Work.wait: timeout
        distributed.init_process_group: init_method timeout rank store group_name pg_options device_id
        distributed.destroy_process_group: group
        distributed.get_rank: group
        distributed.get_world_size: group
        distributed.get_backend: group
        distributed.barrier: group device_ids
        distributed.all_reduce: tensor op
        distributed.broadcast: tensor src group_src
        distributed.reduce: tensor dst op group_dst
        distributed.all_gather: group
        distributed.all_gather_object: group
        distributed.broadcast_object_list: object_list src group device group_src
        distributed.new_group: ranks timeout backend pg_options options
        given.layers.parallel.DataParallel.__init__: device_ids output_device dim
        given.layers.parallel.DistributedDataParallel.__init__: device_ids output_device dim
            broadcast_buffers init_sync process_group bucket_cap_mb find_unused_parameters
            check_reduction gradient_as_bucket_view static_graph delay_all_reduce_named_params
            param_to_hook_all_reduce mixed_precision device_mesh skip_all_reduce_unused_params
            bucket_cap_mb_list batched_grad_copy forward_sync_buffers
    """,
    "PyTorch reads it no more, or for what is not here: sparse, random or foreign tensors": """
        given.autograd.checking.gradcheck: nondet_tol
        given.autograd.checking.gradgradcheck: nondet_tol
        given.layers.reshaping.Identity.__init__: args kwargs
        given.profiling.counting.FlopCounterMode.__init__: mods
        given.profiling.sessions.profile.__init__: use_cuda
        given.quantization.observers.MinMaxObserver.__init__: factory_kwargs
        given.tensor.aliases.OtherSpellings.to_dense: masked_grad
        testing.assert_close: check_layout
        utils._pytree.register_pytree_node: options
    """,
    "its name says so already": """
        given.conv.adaptive_pooling.adaptive_max_pool1d_with_indices: return_indices
        given.conv.adaptive_pooling.adaptive_max_pool2d_with_indices: return_indices
        given.conv.adaptive_pooling.adaptive_max_pool3d_with_indices: return_indices
        given.conv.max_pooling.max_pool1d_with_indices: return_indices
        given.conv.max_pooling.max_pool2d_with_indices: return_indices
    """,
    "its own type is int8": """
        given.kv_cache.int8_cache.Int8LayerCache.__init__: dtype
    """,
    "it has no numbers yet": """
        given.layers.uninitialized.Uninitialized.copy_: other
        given.layers.uninitialized.Uninitialized.to: kwargs
    """,
    "speed and memory alone: the values are the same": """
        given.autograd.functional.jacobian: vectorize
        given.layers.uninitialized.Uninitialized.copy_: non_blocking
        given.layers.whole_modules.Conversions.to: non_blocking
        given.tensor.legacy_types.Names.type: non_blocking
        given.tensor.inplace.InPlace.copy_: non_blocking
        given.tensor.promotion.Casts.to: non_blocking
        given.tensor.promotion.Casts.cuda: non_blocking
        given.trainer.clipping.get_total_norm: foreach
        given.trainer.clipping.clip_grads_with_norm_: foreach
        given.trainer.clipping.clip_grad_norm_: foreach
        given.trainer.clipping.clip_grad_value_: foreach
        given.trainer.files.save: pickle_protocol
        given.transformer.encoder.TransformerEncoder.__init__: enable_nested_tensor mask_check
        utils.checkpoint.save_on_cpu: pin_memory device_type
        utils.checkpoint.checkpoint: use_reentrant context_fn determinism_check debug early_stop
        utils.checkpoint.checkpoint_sequential: segments use_reentrant kwargs
    """,
    "what was called is recorded, and not the lines of source, stacks or names around it": """
        given.profiling.sessions.profile.__init__: with_modules post_processing_timeout_s
        given.profiling.sessions.tensorboard_trace_handler: use_python_export
        given.profiling.tables.EventList.key_averages: group_by_stack_n group_by_overload_name
        given.profiling.tables.EventList.table: max_src_column_width
    """,
    "it is always so: every sort is stable, and what is unique or largest comes sorted": """
        given.tensor.sorting.Sorting.sort: stable
        given.tensor.sorting.Sorting.argsort: stable
        given.tensor.sorting.Sorting.topk: sorted
        given.tensor.sorting.Sorting.unique: sorted
    """,
}


def unread(path: Path) -> Iterator[tuple[str, str]]:
    """Each public function of a file that computes something, with each parameter that it never names."""
    place = ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")
    pending = [(ast.parse(path.read_text()), place)]
    while pending:
        node, place = pending.pop()
        for child in ast.iter_child_nodes(node):
            name = name_of(child)
            if isinstance(child, ast.ClassDef) and not name.startswith("_"):
                pending.append((child, f"{place}.{name}"))
            elif name is None:
                pending.append((child, place))
            elif not name.startswith("_") or name in ("__init__", "__call__", "__new__"):
                function = child.value if isinstance(child, ast.Assign) else child
                for parameter in never_named(function):
                    yield f"{place}.{name}", parameter


def name_of(node: ast.AST) -> str | None:
    """What a statement defines: a function, a class, or a name for a lambda."""
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Lambda):
        return getattr(node.targets[0], "id", "_")
    return getattr(node, "name", None) if isinstance(node, ast.FunctionDef | ast.ClassDef) else None


def never_named(function: ast.AST) -> list[str]:
    """The parameters of a function that its body does not name; none of one that refuses whatever it is given."""
    if isinstance(function, ast.ClassDef):
        return []
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    body = [
        line for line in body if not (isinstance(line, ast.Expr) and isinstance(line.value, ast.Constant))
    ]
    if not body or isinstance(body[0], ast.Raise | ast.Pass):
        return []
    taken, given = function.args, {node.id for part in body for node in ast.walk(part) if hasattr(node, "id")}
    named = [*taken.posonlyargs, *taken.args, *taken.kwonlyargs, taken.vararg, taken.kwarg]
    names = [parameter.arg for parameter in named if parameter is not None]
    if "locals" in given:
        return []
    return [name for name in names if name not in given | {"self", "cls", "ctx"} and name[0] != "_"]


def listed() -> set[tuple[str, str]]:
    """The table's entries; a line that is indented further goes on with the one above."""
    entries = set()
    for lines in UNREAD.values():
        for word in lines.split():
            if word.endswith(":"):
                function = word[:-1]
            else:
                entries.add((function, word))
    return entries


def test_every_option_is_read_or_listed_with_the_reason_why_not():
    paths = sorted(PACKAGE.rglob("*.py"))
    paths = [p for p in paths if not p.relative_to(PACKAGE).as_posix().startswith(CALLED_BY_OTHERS)]
    found = {option for path in paths for option in unread(path)}
    assert sorted(found - listed()) == [], (
        "accepted and not read: read it, refuse it, or list it with a reason"
    )
    assert sorted(listed() - found) == [], "listed, and read or gone"


def test_an_option_that_is_not_read_is_found(tmp_path, monkeypatch):
    monkeypatch.setattr(f"{__name__}.PACKAGE", tmp_path)
    source = """
class Layer:
    def forward(self, x, mode): return [x for _ in range(2)]
    scale = lambda self, x, factor=2: x
    def refused(self, mode): raise NotImplementedError
def scaled(x, factor, *, bias=None, **options): return (lambda: factor)()
def _hidden(x): return 1
"""
    (tmp_path / "given.py").write_text(source)
    assert set(unread(tmp_path / "given.py")) == {
        ("given.Layer.forward", "mode"),
        ("given.Layer.scale", "factor"),
        ("given.scaled", "x"),
        ("given.scaled", "bias"),
        ("given.scaled", "options"),
    }
