"""Record a tiny GPT-2: its checkpoint under GPT-2's names, and what transformers computes with it.

    python tests/golden/record_gpt2.py        where torch, transformers and safetensors are installed

Writes recorded/gpt2-tiny/: model.safetensors and config.json in the layout of the published GPT-2 (no
"transformer." before the names, attention's mask as a buffer, no lm_head: it is wte), and expected.npz.
"""

import json

import numpy as np
import torch
import transformers
from golden import RECORDED
from safetensors.torch import save_file
from transformers import GPT2Config, GPT2LMHeadModel

SIZES = {"vocab_size": 96, "n_positions": 48, "n_embd": 32, "n_layer": 2, "n_head": 4}


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = GPT2LMHeadModel(GPT2Config(**SIZES)).eval()
    with torch.no_grad():  # so that biases and gains matter, and the logits are far from equal
        for parameter in model.parameters():
            parameter.add_(torch.randn(parameter.shape) * 0.1)
    tensors = {name: tensor.contiguous() for name, tensor in model.transformer.state_dict().items()}
    mask = torch.ones(SIZES["n_positions"], SIZES["n_positions"]).tril()[None, None]
    tensors |= {f"h.{layer}.attn.bias": mask.clone() for layer in range(SIZES["n_layer"])}

    ids = torch.from_numpy(np.random.default_rng(0).integers(0, SIZES["vocab_size"], (2, 20)))
    with torch.no_grad():
        output = model(ids, labels=ids)
        greedy = model.generate(ids[:1], max_new_tokens=12, do_sample=False, pad_token_id=0)

    folder = RECORDED / "gpt2-tiny"
    folder.mkdir(exist_ok=True)
    save_file(tensors, folder / "model.safetensors", metadata={"format": "pt"})
    config = {"model_type": "gpt2", **SIZES, "n_ctx": SIZES["n_positions"], "layer_norm_epsilon": 1e-5}
    config |= {"activation_function": "gelu_new", "tie_word_embeddings": True}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    np.savez_compressed(
        folder / "expected.npz",
        ids=ids.numpy(),
        logits=output.logits.numpy(),
        loss=output.loss.numpy(),
        greedy=greedy.numpy(),
        versions=np.array([torch.__version__, transformers.__version__]),
    )
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    print(f"{sum(sizes.values()) / 1e3:.0f} kB: {sizes}")


if __name__ == "__main__":
    main()
