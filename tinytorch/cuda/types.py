"""The types of tensors on a GPU, as `torch.cuda.FloatTensor`: no tensor is of them, and none can be made."""

from tinytorch.tensor import dtypes, tensortype, type_names

vars().update(
    {f"{type_names[d]}Tensor": tensortype(f"{type_names[d]}Tensor", d, "cuda") for d in dtypes.values()}
)
