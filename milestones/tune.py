"""2021, low-rank adaptation: SmolLM2 learns a pirate's manner by your autograd, while its weights stay in 4 bits.

E. Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021; T. Dettmers et al., "QLoRA: Efficient Finetuning
of Quantized LLMs", 2023.
"""

import argparse
import re
import sys
import time
from pathlib import Path

import tinytorch as torch
from milestones._fetch import FOLDER, model_file
from milestones.chat import Chat
from tinytorch import GPT, BPETokenizer, add_adapters, optim, save_adapters
from tinytorch.given.transformer.model_file import SYSTEM
from tinytorch.kv_cache import continue_prompts
from tinytorch.nn import functional as F

LAYERS, RANK, ALPHA = ["attn.c_attn"], 8, 16.0  # queries, keys and values of every block
BATCH, EPOCHS, RATE, LONGEST = 4, 3, 3e-3, 24
DIALOGUES = Path(__file__).with_name("pirate.txt")


def dialogues(path):
    """The words of a manner, and (question, answer) pairs: those to learn from, and those that are held out."""
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    words, _, rest = "\n".join(lines).strip().partition("\n")
    parts = [re.findall(r"(.+)\n(.+)", part) for part in rest.split("\n----\n")]
    if not words.startswith("Words: ") or len(parts) != 2 or not all(parts):
        raise ValueError(f"{path} has not the form of {DIALOGUES.name}")
    return set(words.lower().split()[1:]), *parts


class Tuning:
    """A model with adapters, and what is measured of it before they are trained and after."""

    def __init__(self, path, words):
        torch.manual_seed(2021)
        self.model = add_adapters(GPT.from_pretrained(path, bits=4), LAYERS, RANK, ALPHA)
        self.chat = Chat(self.model, BPETokenizer.from_gguf(path), SYSTEM)
        self.words = words
        self.adapted = [parameter for parameter in self.model.parameters() if parameter.requires_grad]

    def loss(self, pairs):
        """The mean cross-entropy, in nats, of the tokens of answers, each with its end; and how many they are."""
        rows, targets = [], []
        for question, answer in pairs:
            asked = self.chat.asked(question)
            said = [*self.chat.plain(answer), self.chat.end]
            rows.append(asked + said)
            targets.append([-100] * (len(asked) - 1) + said)
        longest = max(map(len, targets))
        ids = torch.tensor([row[:-1] + [0] * (longest - len(row) + 1) for row in rows])
        targets = torch.tensor([row + [-100] * (longest - len(row)) for row in targets]).flatten()
        places = (targets != -100).nonzero()[:, 0]
        hidden = self.model.hidden(ids).flatten(0, 1)[places]  # of what is to be predicted alone
        return F.cross_entropy(self.model.lm_head(hidden), targets[places]), len(places)

    def held_out(self, pairs):
        """The loss of answers that are held out, and what the model itself answers."""
        total = count = 0
        with torch.no_grad():
            for first in range(0, len(pairs), BATCH):
                loss, tokens = self.loss(pairs[first : first + BATCH])
                total, count = total + loss.item() * tokens, count + tokens
        prompts = [self.chat.asked(question) for question, _ in pairs]
        whole = continue_prompts(self.model, prompts, LONGEST, temperature=0)
        said = [row[len(prompt) :] for row, prompt in zip(whole, prompts, strict=True)]
        ended = [row[: row.index(self.chat.end)] if self.chat.end in row else row for row in said]
        return total / count, [self.chat.tokenizer.decode(row).strip() for row in ended]

    def share(self, answers):
        """The share of answers with a word of the manner."""
        found = [bool(self.words & set(re.findall(r"\w+", text.lower()))) for text in answers]
        return sum(found) / len(found)

    def learn(self, pairs, steps):
        """Train the adapters; print the loss now and then."""
        optimizer = optim.AdamW(self.adapted, lr=RATE, weight_decay=0.0)
        schedule = optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
        order = torch.cat([torch.randperm(len(pairs)) for _ in range(steps * BATCH // len(pairs) + 1)])
        for step in range(steps):
            chosen = order[step * BATCH : (step + 1) * BATCH].tolist()
            loss, _ = self.loss([pairs[number] for number in chosen])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            if step % 5 == 0 or step == steps - 1:
                print(f"step {step + 1:3} of {steps}: {loss.item():.2f} nats", flush=True)


def arguments():
    parser = argparse.ArgumentParser(prog="python -m milestones tune", description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, help="of the optimizer; without it, each dialogue three times")
    parser.add_argument(
        "--dialogues", type=Path, default=DIALOGUES, help="a file of your own, in the form of pirate.txt"
    )
    parser.add_argument(
        "--output", type=Path, default=FOLDER / "pirate.safetensors", help="the file of adapters"
    )
    parser.add_argument("--model", type=Path, help="another GGUF file of Llama's architecture")
    given = parser.parse_args()
    if given.steps is not None and given.steps < 2:
        parser.error("two steps are the least")
    return given


def run(given):
    words, pairs, held_out = dialogues(given.dialogues)
    tuning = Tuning(given.model or model_file(), words)
    count = sum(parameter.numel() for parameter in tuning.adapted)
    print(
        f"{len(pairs)} dialogues to learn from, {len(held_out)} held out; {count:,} numbers to train beside "
        f"{torch.memory_footprint(tuning.model) / 2**20:.0f} MiB",
        flush=True,
    )
    first, before = tuning.held_out(held_out)
    began = time.perf_counter()
    tuning.learn(pairs, given.steps or EPOCHS * len(pairs) // BATCH)
    seconds = time.perf_counter() - began
    last, after = tuning.held_out(held_out)
    for (question, _), *answers in zip(held_out, before, after, strict=True):
        print(f"\n{question}\n  before: {answers[0]}\n  after:  {answers[1]}")
    given.output.parent.mkdir(parents=True, exist_ok=True)
    save_adapters(tuning.model, given.output)
    print(f"\nheld-out answers: {first:.2f} nats a token before, {last:.2f} after {seconds:.0f} seconds")
    shares = [f"{tuning.share(answers):.0%}" for answers in (before, after)]
    print(f"answers with a word of the manner: {shares[0]} before, {shares[1]} after")
    print(f"adapters: {given.output}, {given.output.stat().st_size / 2**20:.1f} MiB")
    print(f"to talk to it: .venv/bin/python -m milestones chat --adapter {given.output}")


def main():
    given = arguments()
    try:
        with torch.accelerate():
            run(given)
    except KeyboardInterrupt:
        print("tune: interrupted, and no adapters are written", file=sys.stderr)
        sys.exit(130)
    except MemoryError:
        print("tune: there is too little memory", file=sys.stderr)
        sys.exit(2)
    except (OSError, RuntimeError, ValueError) as error:
        print(f"tune: {error}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
