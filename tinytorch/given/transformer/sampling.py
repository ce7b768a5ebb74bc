"""`GPT.generate`: the learner's `generate` with a model's own switches, its mode, a seed, and a cache."""

from tinytorch.given import methods_of
from tinytorch.tensor import Generator, later
from tinytorch.transformer import GPT, generate

__all__ = []


@methods_of(GPT)
class Sampling:
    def generate(
        self,
        idx,
        max_new_tokens,
        temperature=1.0,
        top_k=None,
        top_p=None,
        stop=None,
        seed=None,
        generator=None,
        use_cache=False,
    ):
        """Continue the tokens idx (B, T), without dropout; see `generate`. A `seed` makes a generator.

        >>> model = GPT(GPTConfig(vocab_size=10, block_size=8, n_layer=1, n_head=1, n_embd=4))
        >>> model.generate(torch.tensor([[1, 2]]), max_new_tokens=3).shape
        torch.Size([1, 5])
        """
        generator = generator if seed is None else Generator().manual_seed(seed)
        longest = min(idx.shape[1] + max_new_tokens, self.config.block_size)
        cache = later("kv_cache").KVCache.for_model(self, len(idx), longest) if use_cache else None
        training = self.training
        self.eval()
        try:
            return generate(self, idx, max_new_tokens, temperature, top_k, top_p, stop, generator, cache)
        finally:
            self.train(training)
