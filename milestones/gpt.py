"""2017, the transformer: a GPT learns to write like Python's own documentation.

A. Vaswani et al., "Attention Is All You Need", NeurIPS 2017; A. Radford et al., "Language Models are Unsupervised
Multitask Learners", 2019. Its parts are today's: H. Touvron et al., "LLaMA", 2023.
"""

import argparse
import gzip
import lzma
import math
import sys
import time
from pathlib import Path

from matplotlib.figure import Figure

import tinytorch as torch
from tinytorch import BPETokenizer, optim
from tinytorch.utils.data import DataLoader, RandomSampler, TensorDataset

PIECES, LENGTH, BATCH, STEPS, EPOCHS = 1024, 64, 12, 1500, 10
RATE = 4e-3
MODERN = {"rms_norm": True, "rotary": True, "n_kv_head": 2, "gated": True, "n_inner": 344, "bias": False}
FOLDER = Path(__file__).parents[1] / "build" / "milestones"
PICTURE = FOLDER / "gpt.png"
PROMPT, HELD_OUT_EVERY = "The value", 10


class Text:
    """Python's documentation: what is learned, what is held out, and the pieces in which a model reads them.

    Every tenth topic is held out. Topics repeat each other, so a paragraph is kept where it stands first, and what is
    held out is neither learned nor counted elsewhere.
    """

    def __init__(self):
        seen, kept = set(), []
        for topic in torch.PythonDocs():
            paragraphs = {" ".join(text.split()): text for text in topic.split("\n\n")}
            kept.append([text for words, text in paragraphs.items() if words not in seen])
            seen |= set(paragraphs)
        parts = [], []
        for number, paragraphs in enumerate(filter(None, kept), start=1):
            parts[number % HELD_OUT_EVERY == 0].extend(paragraphs)
        train, held_out = ("\n\n".join(part) for part in parts)
        self.train_bytes, self.held_out_bytes = train.encode(), held_out.encode()
        self.tokenizer = BPETokenizer.train(train, PIECES)
        self.train, self.held_out = (torch.tensor(self.tokenizer.encode(text)) for text in (train, held_out))

    def per_byte(self, nats, ids):
        """A mean over all pieces but the first, as a mean over their bytes."""
        pieces = ids[1:].tolist()
        return nats * len(pieces) / len(self.tokenizer.decode_bytes(pieces))

    def baselines(self):
        """What others need for a byte that is held out, in nats: counts of neighbours, and two compressors."""
        pieces = self.train.numpy(), self.held_out.numpy(), self.tokenizer.n_vocab
        train, held_out = (
            torch.tensor(list(data)).numpy() for data in (self.train_bytes, self.held_out_bytes)
        )
        return {
            "bigrams of pieces": self.per_byte(torch.bigram_loss(*pieces), self.held_out),
            "5-grams of bytes": torch.ngram_loss(train, held_out, 256),
            "5-grams of pieces": self.per_byte(torch.ngram_loss(*pieces), self.held_out),
            "gzip": self.compressed(lambda data: gzip.compress(data, 9)),
            "lzma": self.compressed(lambda data: lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)),
        }

    def compressed(self, compress):
        """The nats that a byte that is held out adds to what was compressed before it."""
        before, whole = (
            len(compress(data)) for data in (self.train_bytes, self.train_bytes + self.held_out_bytes)
        )
        return (whole - before) * 8 * math.log(2) / len(self.held_out_bytes)

    def written(self, model, count):
        """What the model writes after PROMPT."""
        start = torch.tensor([self.tokenizer.encode(PROMPT)])
        ids = model.generate(start, count, temperature=0.7, top_p=0.95, seed=2017)
        return self.tokenizer.decode(ids[0].tolist())

    def batches(self, steps):
        """Runs of pieces, from anywhere in what is learned: so many batches are an epoch."""
        blocks = torch.TokenBlocks(self.train, LENGTH)
        return DataLoader(
            blocks, BATCH, sampler=RandomSampler(blocks, replacement=True, num_samples=steps * BATCH)
        )

    def validation(self):
        """What is held out, run after run."""
        whole = (len(self.held_out) - 1) // LENGTH * LENGTH
        x, y = (self.held_out[first : first + whole].view(-1, LENGTH) for first in (0, 1))
        return DataLoader(TensorDataset(x, y), batch_size=BATCH)


class Samples(torch.Callback):
    """After each epoch, print the loss and what the model writes by then."""

    def __init__(self, text):
        self.text = text

    def on_epoch_end(self, trainer):
        nats = self.text.per_byte(trainer.logs["val_loss"], self.text.held_out)
        written = self.text.written(trainer.model, 24)
        print(f"after {trainer.step:4} steps, {nats:.3f} nats a byte: {written!r}", flush=True)


def new_trainer(text, steps, *callbacks):
    """A model that has learned nothing, and what is to train it."""
    config = torch.GPTConfig(
        text.tokenizer.n_vocab, LENGTH, n_layer=4, n_head=4, n_embd=128, dropout=0.1, **MODERN
    )
    model = torch.compile(torch.GPT(config))  # on the kernels of module 17, once it is built
    optimizer = optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.95), weight_decay=0.1)
    schedule = optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps, pct_start=0.1)
    return torch.Trainer(
        model, optimizer, torch.next_token_loss, schedule,
        clip_norm=1.0, callbacks=callbacks, scheduler_every="step",
    )  # fmt: skip


def learn(text, steps):
    """Train, stop after the first epoch, go on in a new trainer from the file; say whether nothing was lost by it."""
    checkpoint, each, validation = FOLDER / "gpt.safetensors", steps // EPOCHS, text.validation()
    trainer = new_trainer(text, each * EPOCHS, Samples(text))
    trainer.fit(text.batches(each), validation, epochs=1)
    torch.save(trainer.state_dict(), checkpoint)
    trainer.callbacks.remove(next(c for c in trainer.callbacks if isinstance(c, Samples)))
    trainer.fit(text.batches(each), epochs=2)  # as if nobody had stopped it
    resumed = new_trainer(text, each * EPOCHS, Samples(text))
    resumed.load_state_dict(torch.load(checkpoint))
    resumed.fit(text.batches(each), validation, epochs=2)
    pairs = zip(trainer.model.parameters(), resumed.model.parameters(), strict=True)
    exact = all(torch.equal(a, b) for a, b in pairs)
    resumed.fit(text.batches(each), validation, epochs=EPOCHS)
    return resumed, exact


def attention_of(model, idx):
    """The attention weights of the last block, (heads, T, T)."""
    *blocks, last = model.transformer.h
    x = model.transformer.wte(idx)
    for block in blocks:
        x = block(x)
    (B, T), attn = idx.shape, last.attn
    packed = attn.c_attn(last.ln_1(x)).view(B, T, sum(attn.heads), -1)
    q, k, _ = (part.transpose(1, 2) for part in packed.split(list(attn.heads), 2))
    k = attn.turned(k).repeat_interleave(attn.heads[0] // attn.heads[1], 1)
    scores = attn.turned(q) @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    future = torch.ones(T, T).triu(1).bool()
    return torch.softmax(scores.masked_fill(future, -torch.inf), -1)[0]


def draw(trainer, model, text, baselines):
    """The course of the training beside the baselines, and where the heads of the last block look."""
    figure = Figure(figsize=(14, 4.4), layout="constrained")
    left, right = figure.subfigures(1, 2, width_ratios=[1, 2])
    rows, axes = trainer.history.rows, left.subplots()
    steps = [trainer.step // EPOCHS * row["epoch"] for row in rows]
    for key, label, ids in (("loss", "training", text.train), ("val_loss", "held out", text.held_out)):
        axes.plot(steps, [text.per_byte(row[key], ids) for row in rows], ".-", label=label)
    for number, (name, nats) in enumerate(baselines.items(), start=2):
        axes.axhline(nats, color=f"C{number}", linestyle="--", linewidth=1, label=name)
    axes.set(xlabel="step", ylabel="nats a byte", title="Python's documentation")
    axes.legend(fontsize=7, ncol=2, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    shown = text.held_out[:24]
    labels = [text.tokenizer.decode([id])[:10].replace("\n", "¶") for id in shown.tolist()]
    with torch.no_grad():
        weights = attention_of(model, shown.unsqueeze(0))
    right.suptitle("Where the heads of the last block look")
    for head, axes in zip(weights[:3].numpy(), right.subplots(1, 3), strict=True):
        axes.imshow(head, cmap="viridis")
        axes.set_xticks(range(len(labels)), labels, fontsize=6, rotation=90)
        axes.set_yticks(range(len(labels)), labels, fontsize=6)
    figure.savefig(PICTURE, dpi=120)


def arguments():
    parser = argparse.ArgumentParser(prog="python -m milestones gpt", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--steps", type=int, default=STEPS, help=f"of the optimizer, {STEPS:,} by default; some minutes"
    )
    given = parser.parse_args()
    if given.steps < 2 * EPOCHS:
        parser.error(f"{2 * EPOCHS} steps are the least")
    return given


def main():
    given = arguments()
    torch.manual_seed(2017)
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = Text()
    print(
        f"{len(text.train_bytes):,} bytes to learn from, as {len(text.train):,} pieces; {len(text.held_out_bytes):,} "
        "held out, for each of which others need"
    )
    baselines = text.baselines()
    print(", ".join(f"{name} {nats:.3f}" for name, nats in baselines.items()), "nats", flush=True)
    began = time.process_time()
    trainer, exact = learn(text, given.steps)
    seconds = time.process_time() - began
    loss = text.per_byte(torch.held_out_loss(trainer.model, text.held_out), text.held_out)
    torch.save(trainer.model.state_dict(), FOLDER / "gpt-model.safetensors")
    loaded = torch.GPT(trainer.model.config)
    loaded.load_state_dict(torch.load(FOLDER / "gpt-model.safetensors"))
    written = text.written(loaded, 200)
    same = written == text.written(trainer.model, 200)
    print(f"resumed from the file as if never stopped: {exact}; loaded and writing the same: {same}")
    print(written)
    draw(trainer, loaded.eval(), text, baselines)
    others = ", ".join(f"{name} {nats:.3f}" for name, nats in baselines.items())
    print(f"held out: {loss:.3f} nats a byte, after {seconds:.0f} seconds of the processor; others: {others}")
    print(f"{1 - loss / baselines['bigrams of pieces']:.1%} less than bigrams need")
    print(f"picture: {PICTURE}")
    wanted = ["bigrams of pieces"] if given.steps < STEPS else [name for name in baselines if name != "lzma"]
    if not (exact and same and all(loss < baselines[name] for name in wanted)):
        sys.exit(
            f"a loss below that of {', '.join(wanted)}, an exact resumption and a faithful file were wanted"
        )


if __name__ == "__main__":
    main()
