"""2024, a small language model: SmolLM2 answers you, on the modules that you have built.

L. Ben Allal et al., "SmolLM2: When Smol Goes Big", 2025. Its 135 million weights are read from a file of 98 MB; whatever
computes with them is yours: tokenizer, rotary positions, grouped heads, blocks, groups of 4 bits, cache.
"""

import argparse
import codecs
import sys
import time
from pathlib import Path

from milestones._fetch import model_file
from tinytorch import (
    GPT,
    BPETokenizer,
    Generator,
    KVCache,
    QuantizedLinear,  # noqa: F401 without module 15 the milestone ends here, before anything is fetched
    accelerate,
    load_adapters,
    memory_footprint,
    merge_adapters,
    tensor,
)
from tinytorch.given.transformer.model_file import SYSTEM
from tinytorch.kv_cache import cache_bytes
from tinytorch.transformer import generate

START, END = "<|im_start|>", "<|im_end|>"
WINDOW = 2048  # tokens of the conversation that the model sees, at most: their keys and values take 90 MiB


class Chat:
    """A conversation: its tokens so far, and a cache of what the model has read of them."""

    def __init__(self, model, tokenizer, system, **options):
        self.model, self.tokenizer, self.options = model, tokenizer, options
        self.start, self.end = (tokenizer.special_tokens[token] for token in (START, END))
        window = min(model.config.block_size, WINDOW)
        # where the window is full, the cache goes on with the last half of it
        self.cache = KVCache.for_model(model, 1, window, keep=max(1, window // 2))
        self.ids = [*self.turn("system", system), *self.plain("\n")]
        self.timed, self.seconds = 0, 0.0

    def plain(self, text):
        """The ids of a text in which a special token is text like any other."""
        ids = self.tokenizer.encode(text, disallowed_special=())
        return [id for id in ids if id < self.model.config.vocab_size]  # some bytes have no vector

    def turn(self, role, text):
        return [self.start, *self.plain(f"{role}\n{text}"), self.end]

    def asked(self, question):
        """The ids of the conversation so far and of a question, up to where its answer begins."""
        asked = [*self.turn("user", question), *self.plain("\n"), self.start, *self.plain("assistant\n")]
        return self.ids + asked

    def answer(self, question, max_tokens):
        """Yield the text that the model answers, as it comes; at most so many tokens."""
        self.ids = self.asked(question)
        decoder = codecs.getincrementaldecoder("utf-8")("replace")  # a token may end within a character
        began = None
        try:
            for _ in range(max_tokens):
                window = tensor([self.ids[-self.cache.max_length :]])
                token = generate(self.model, window, 1, cache=self.cache, **self.options)[0, -1].item()
                if began is None:  # reading the question is not writing
                    began = time.perf_counter()
                else:
                    self.timed += 1
                if token == self.end:
                    break
                self.ids.append(token)
                yield decoder.decode(self.tokenizer.decode_bytes([token]))
            yield decoder.decode(b"", final=True)
        finally:  # also where the answer is interrupted
            self.seconds += 0 if began is None else time.perf_counter() - began
            self.ids += [self.end, *self.plain("\n")]

    def summary(self):
        """How fast it was, and what it took."""
        config = self.model.config
        kept = cache_bytes(
            config.n_layer,
            config.n_kv_head or config.n_head,
            config.n_embd // config.n_head,
            self.cache.length,
        )
        speed = self.timed / max(self.seconds, 1e-9)
        return (
            f"{len(self.ids)} tokens, written at {speed:.1f} a second; weights "
            f"{memory_footprint(self.model) / 2**20:.0f} MiB, keys and values {kept / 2**20:.1f} MiB"
            f"{whole_process()}"
        )


def whole_process():
    """What the process took at most, where the system says it, as Windows does not to Python."""
    try:
        import resource
    except ImportError:
        return ""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # in KiB, on macOS in bytes
    return f", all of it {largest / (2**20 if sys.platform == 'darwin' else 2**10):.0f} MiB"


def arguments():
    parser = argparse.ArgumentParser(prog="python -m milestones chat", description=__doc__.splitlines()[0])
    parser.add_argument("question", nargs="?", help="one question; without it a conversation, to Ctrl-D")
    parser.add_argument("--system", default=SYSTEM, help="what the model is told before the conversation")
    parser.add_argument(
        "--temperature", type=float, default=0.0, help="0, the default, is the likeliest token"
    )
    parser.add_argument("--top-p", type=float, help="draw among the likeliest tokens that reach this chance")
    parser.add_argument("--seed", type=int, help="draw the same again")
    parser.add_argument("--max-tokens", type=int, default=512, help="of an answer, 512 by default")
    parser.add_argument(
        "--bits",
        type=int,
        choices=(4, 8, 32),
        default=4,
        help="of a weight: 4, as in the file, is the default",
    )
    parser.add_argument("--model", type=Path, help="another GGUF file of Llama's architecture")
    parser.add_argument(
        "--adapter", type=Path, help="a file of make milestone tune: the manner that it learned"
    )
    given = parser.parse_args()
    if given.temperature < 0 or given.max_tokens < 1 or not 0 < (given.top_p or 1) <= 1:
        parser.error("a temperature is 0 or more, max-tokens at least 1, top-p above 0 and at most 1")
    return given


def load(given):
    """The conversation with the model of a file."""
    path = given.model or model_file()
    model = GPT.from_pretrained(path, bits=given.bits)
    if given.adapter:
        merge_adapters(load_adapters(model, given.adapter))
    generator = Generator()
    generator.manual_seed(given.seed) if given.seed is not None else generator.seed()
    options = {"temperature": given.temperature, "top_p": given.top_p, "generator": generator}
    return Chat(model, BPETokenizer.from_gguf(path), given.system, **options)


def questions(given):
    """What is asked: the argument, all that a pipe brings, or line after line from the keyboard."""
    if given.question is not None:
        yield given.question
    elif not sys.stdin.isatty():
        yield sys.stdin.read()
    else:
        while True:
            yield input("\n> ")


def main():
    given = arguments()
    try:
        chat = load(given)
    except MemoryError:
        print("chat: there is too little memory; --bits 4, the default, needs the least", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(130)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"chat: {error}", file=sys.stderr)
        sys.exit(2)
    try:
        with accelerate():
            for question in questions(given):
                if question.strip():
                    for text in chat.answer(question.strip(), given.max_tokens):
                        print(text, end="", flush=True)
                    print()
    except (EOFError, KeyboardInterrupt):
        print()
    print(chat.summary(), file=sys.stderr)


if __name__ == "__main__":
    main()
