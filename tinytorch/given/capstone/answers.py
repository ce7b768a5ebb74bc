"""The third task: a language model answers a page of questions, each of which is drawn at random when its
turn comes.

The model is SmolLM2 where its file is on this machine, in float32. Elsewhere it is a small GPT of the same
kind, which has learned to say a question again, word for word. Answers are drawn from the baseline.
"""

import functools
import math
import re

import numpy as np

from tinytorch.capstone import mark_text
from tinytorch.given.capstone.tasks import Task, TextTask
from tinytorch.given.transformer.model_file import question_tokens, smollm2_file
from tinytorch.kv_cache import KVCache
from tinytorch.losses import cross_entropy
from tinytorch.optimizers import AdamW
from tinytorch.tensor import Generator, tensor
from tinytorch.tokenizer import BPETokenizer
from tinytorch.trainer import OneCycleLR
from tinytorch.transformer import GPT, GPTConfig, generate

__all__ = ["ANSWERS"]

QUESTIONS = """
How would a {person} explain {topic} to children with only a {thing}?
Why does a {person} who already has a {thing} also need {topic}?
Write one good sentence about a {person} with a {thing} and {topic}.
What would a {person} with a {thing} ask an expert on {topic}?
Which is of more use to a {person}, {topic} or a {thing}?
Begin a story in which a {person} learns {topic} from a {thing}.
Name a book about {topic} by a {person} who owns a {thing}.
What do {topic} and a {thing} have in common for a {person}?
Write a line of verse about {topic}, a {person} and a {thing}.
How could a {thing} help a {person} to remember something about {topic}?
Explain to a {person} in one sentence why {topic} needs a {thing}.
What could go wrong when a {person} uses a {thing} for {topic}?
""".strip().splitlines()  # twelve words each, which is what the small model repeats
TOPICS = """tensors gradients convolution attention tokenization embeddings dropout quantization pruning
caching profiling benchmarking backpropagation broadcasting softmax normalization sampling vectorization
regularization clustering gravity music history geometry chess gardening weather astronomy grammar
electricity evolution economics memory patience poetry navigation medicine arithmetic friendship
democracy"""
PEOPLE = """baker nurse pilot farmer teacher sailor doctor lawyer dancer painter singer writer child king
queen robot soldier gardener butcher chemist detective fisherman gymnast hunter judge librarian magician
neighbour policeman referee shepherd tailor violinist waiter wizard zookeeper carpenter driver cook
tourist"""
THINGS = """lamp bridge spoon bucket candle ladder mirror hammer piano violin bicycle boat carpet clock
compass drum feather fence garden hat kettle key knife letter map needle pencil pillow pipe puzzle rope
sandwich scarf shoe stone tower train window wheel button"""
BLANKS = {"topic": TOPICS.split(), "person": PEOPLE.split(), "thing": THINGS.split()}
LENGTH = 12  # tokens of an answer, at most; words of a question


def words_of(text):
    return re.findall(r"\w+", text)


class AnswersTask(Task):
    """Say which token comes next in an answer of the baseline's, one after the other.

    The next input, which reveals the token, is sent after the contender's answer. Accuracy is the chance
    that the right token was given, as a geometric mean: exp(-nats).
    """

    name, kinds, floor, warm_up = "answers", ("latency", "memory", "all-round"), 0.8, 1
    unit = "chance for the right token"
    quality = staticmethod(TextTask.quality)

    @functools.cached_property
    def path(self):
        """Where SmolLM2's file is, or None."""
        return smollm2_file()

    @property
    def pairs(self):
        return 6 if self.path else 20

    @functools.cached_property
    def tokenizer(self):
        return BPETokenizer.from_gguf(self.path)

    @functools.cached_property
    def vocabulary(self):
        """The small model's words."""
        text = " ".join([*QUESTIONS, TOPICS, PEOPLE, THINGS])
        return sorted(set(words_of(text)) - BLANKS.keys())

    def tokens(self, question):
        """The tokens of a question, up to where its answer begins."""
        if self.path:
            return question_tokens(self.tokenizer, question)
        return [self.vocabulary.index(word) for word in words_of(question)]

    def text(self, tokens):
        """The text that tokens stand for."""
        return self.tokenizer.decode(tokens) if self.path else " ".join(self.vocabulary[id] for id in tokens)

    @property
    def data(self):
        """The tokens of a hundred questions, one after the other."""
        rng = np.random.default_rng(0)
        return [np.concatenate([self.tokens(self.question(rng)) for _ in range(100)])]

    @functools.cached_property
    def loaded(self):
        return GPT.from_pretrained(self.path) if self.path else super().model()

    def model(self):
        """The baseline itself, the same each time: SmolLM2's float32 weights are 540 MB."""
        return self.loaded

    def new(self):
        options = {"n_inner": 128, "bias": False, "rms_norm": True, "rotary": True, "gated": True}
        sizes = {"n_layer": 2, "n_head": 4, "n_kv_head": 2, "n_embd": 64, "dropout": 0.0}
        return GPT(GPTConfig(len(self.vocabulary), 2 * LENGTH, **sizes, **options))

    def train(self, model, steps=130):
        """The small GPT after some steps with words in any order, which it is to repeat."""
        rng, V = np.random.default_rng(0), len(self.vocabulary)
        optimizer = AdamW(model.parameters(), lr=0.01, betas=(0.9, 0.95))
        schedule = OneCycleLR(optimizer, 0.01, total_steps=steps, pct_start=0.1)
        for _ in range(steps):
            words = rng.integers(0, V, (32, LENGTH))
            logits = model(tensor(np.concatenate([words, words], 1)[:, :-1]))[:, LENGTH - 1 :]
            optimizer.zero_grad()
            cross_entropy(logits.reshape(-1, V), tensor(words.reshape(-1))).backward()
            optimizer.step()
            schedule.step()
        return model

    count = len(QUESTIONS) * math.prod(map(len, BLANKS.values()))  # different questions

    def question(self, rng):
        """A question of the page, with words for its blanks."""
        words = {name: str(rng.choice(words)) for name, words in BLANKS.items()}
        return str(rng.choice(QUESTIONS)).format(**words)

    def answer(self, prompt, seed):
        """The tokens of an answer that is drawn from the baseline; a cache changes nothing but the time."""
        options = {"generator": Generator().manual_seed(seed)}
        options["cache"] = KVCache.for_model(self.loaded, 1, len(prompt) + LENGTH)
        if self.path:
            options["stop"] = self.tokenizer.special_tokens["<|im_end|>"]
        whole = generate(self.loaded, tensor([prompt]), LENGTH, **options)
        return whole.numpy()[0, len(prompt) :].tolist()

    def run(self, seed, number):
        """The inputs of one run, a question and ever more of its answer, and the question with its answer."""
        rng = np.random.default_rng([seed, number])
        question = self.question(rng)
        prompt = self.tokens(question)
        answer = self.answer(prompt, int(rng.integers(2**32)))
        inputs = [np.array([prompt + answer[:said]]) for said in range(len(answer))]
        return inputs, [(question, tuple(answer))]

    def mark(self, truth, answers):
        """For the question the mean logarithm of the chance that its answer's tokens were given."""
        ((_, tokens),) = truth
        logits = self.checked(answers, (1, self.loaded.config.vocab_size))[:, 0]
        return [mark_text(logits, np.array(tokens)).mean()]


ANSWERS = AnswersTask()
