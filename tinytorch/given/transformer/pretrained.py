"""`GPT.from_pretrained`: a GPT-2 checkpoint by the names of `gpt2_state`, or a model in a GGUF file."""

import json
from pathlib import Path

from tinytorch.given import methods_of
from tinytorch.given.transformer.llama import gpt_of_gguf
from tinytorch.tensor import wrap
from tinytorch.transformer import GPT, GPTConfig, gpt2_state

__all__ = []


@methods_of(GPT)
class Checkpoints:
    @classmethod
    def from_pretrained(cls, path, dropout=0.1, bits=32):
        """A GPT with the weights of a file.

        Args:
            path: of GPT-2, the folder with its two files, or the second's path; or a `.gguf` file of a model
                of Llama's architecture, read to be run, in evaluation mode and without dropout.
            dropout: GPT-2's, while training.
            bits: of a GGUF file's weights: 32, float32; or 4, as they are in the file; or 8, rounded to
            int8 with
                a scale for each row. With 4 and 8 the table of tokens stays in the file's 8 bits, less
                memory is needed, and the weights cannot be trained.

        Raises:
            FileNotFoundError: if a file is missing.
            ValueError: if the file asks for what this GPT does not do, or bits are others.
            RuntimeError: if the file is damaged, or its tensors do not fit the configuration.
        """
        if Path(path).suffix == ".gguf":
            return gpt_of_gguf(cls, Path(path), bits)
        from safetensors import SafetensorError
        from safetensors.numpy import load_file

        path = Path(path)
        path = path / "model.safetensors" if path.is_dir() else path
        sizes = json.loads(path.with_name("config.json").read_text(encoding="utf-8"))
        if sizes.get("activation_function", "gelu_new") != "gelu_new":
            raise ValueError(f"GPT-2's activation is gelu_new, not {sizes['activation_function']}")
        same = {name: sizes[name] for name in ("vocab_size", "n_layer", "n_head", "n_embd")}
        epsilon = sizes.get("layer_norm_epsilon", 1e-5)
        model = cls(
            GPTConfig(**same, block_size=sizes["n_positions"], dropout=dropout, layer_norm_epsilon=epsilon)
        )
        try:
            tensors = load_file(path)
        except SafetensorError as error:
            raise RuntimeError(f"{path} is no whole safetensors file: {error}") from None
        model.load_state_dict({name: wrap(array) for name, array in gpt2_state(tensors).items()})
        return model
