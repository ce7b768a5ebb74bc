"""Programs as people write them with PyTorch: two GPTs, trained for ten steps from a seed.

The first is in the manner of nanoGPT (fused attention, tied weights, decay by dimension), the second in the
manner of minGPT (attention by hand with a mask in a buffer, decay by the kind of module). Both were written
for this test, with PyTorch's names only.
"""

import math
from dataclasses import dataclass

from golden import Area, integers

area = Area()


@dataclass
class Config:
    vocab_size: int = 17
    block_size: int = 8
    n_layer: int = 2
    n_head: int = 2
    n_embd: int = 16
    dropout: float = 0.0
    bias: bool = True


# In the manner of nanoGPT ---------------------------------------------------------------------------------
def nano(torch, config):
    nn, F = torch.nn, torch.nn.functional

    class LayerNorm(nn.Module):
        def __init__(self, ndim, bias):
            super().__init__()
            self.weight = nn.Parameter(torch.ones(ndim))
            self.bias = nn.Parameter(torch.zeros(ndim)) if bias else None

        def forward(self, x):
            return F.layer_norm(x, self.weight.shape, self.weight, self.bias, 1e-5)

    class Attention(nn.Module):
        def __init__(self, config):
            super().__init__()
            assert config.n_embd % config.n_head == 0
            self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd, bias=config.bias)
            self.c_proj = nn.Linear(config.n_embd, config.n_embd, bias=config.bias)
            self.resid_dropout = nn.Dropout(config.dropout)
            self.n_head, self.n_embd, self.dropout = config.n_head, config.n_embd, config.dropout

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
            q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            dropout_p = self.dropout if self.training else 0
            y = F.scaled_dot_product_attention(q, k, v, attn_mask=None, dropout_p=dropout_p, is_causal=True)
            y = y.transpose(1, 2).contiguous().view(B, T, C)
            return self.resid_dropout(self.c_proj(y))

    class MLP(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.c_fc = nn.Linear(config.n_embd, 4 * config.n_embd, bias=config.bias)
            self.gelu = nn.GELU()
            self.c_proj = nn.Linear(4 * config.n_embd, config.n_embd, bias=config.bias)
            self.dropout = nn.Dropout(config.dropout)

        def forward(self, x):
            return self.dropout(self.c_proj(self.gelu(self.c_fc(x))))

    class Block(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.ln_1 = LayerNorm(config.n_embd, bias=config.bias)
            self.attn = Attention(config)
            self.ln_2 = LayerNorm(config.n_embd, bias=config.bias)
            self.mlp = MLP(config)

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlp(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.transformer = nn.ModuleDict(
                {
                    "wte": nn.Embedding(config.vocab_size, config.n_embd),
                    "wpe": nn.Embedding(config.block_size, config.n_embd),
                    "drop": nn.Dropout(config.dropout),
                    "h": nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                    "ln_f": LayerNorm(config.n_embd, bias=config.bias),
                }
            )
            self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
            self.transformer.wte.weight = self.lm_head.weight
            self.apply(self._init_weights)
            for name, p in self.named_parameters():
                if name.endswith("c_proj.weight"):
                    torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.n_layer))

        def _init_weights(self, module):
            if isinstance(module, nn.Linear):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
                if module.bias is not None:
                    torch.nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)

        def get_num_params(self, non_embedding=True):
            n_params = sum(p.numel() for p in self.parameters())
            return n_params - self.transformer.wpe.weight.numel() if non_embedding else n_params

        def forward(self, idx, targets=None):
            device = idx.device
            _, t = idx.size()
            assert t <= self.config.block_size
            pos = torch.arange(0, t, dtype=torch.long, device=device)
            x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
            for block in self.transformer.h:
                x = block(x)
            x = self.transformer.ln_f(x)
            if targets is None:
                return self.lm_head(x[:, [-1], :]), None
            logits = self.lm_head(x)
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
            return logits, loss

        def configure_optimizers(self, weight_decay, learning_rate, betas):
            params = {name: p for name, p in self.named_parameters() if p.requires_grad}
            decayed = [p for p in params.values() if p.dim() >= 2]
            others = [p for p in params.values() if p.dim() < 2]
            groups = [
                {"params": decayed, "weight_decay": weight_decay},
                {"params": others, "weight_decay": 0.0},
            ]
            return torch.optim.AdamW(groups, lr=learning_rate, betas=betas)

        @torch.no_grad()
        def generate(self, idx, max_new_tokens, temperature=1.0, top_k=None):
            for _ in range(max_new_tokens):
                idx_cond = idx if idx.size(1) <= self.config.block_size else idx[:, -self.config.block_size :]
                logits, _ = self(idx_cond)
                logits = logits[:, -1, :] / temperature
                if top_k is not None:
                    v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                    logits[logits < v[:, [-1]]] = -float("Inf")
                probs = F.softmax(logits, dim=-1)
                idx_next = torch.multinomial(probs, num_samples=1)
                idx = torch.cat((idx, idx_next), dim=1)
            return idx

    return GPT(config)


def nano_program(config):
    def program(torch, text):
        model = nano(torch, config)
        optimizer = model.configure_optimizers(weight_decay=0.1, learning_rate=6e-3, betas=(0.9, 0.95))
        start = {name: p.detach().clone() for name, p in model.named_parameters()}
        losses, norms = [], []
        model.train()
        for step in range(10):
            ix = torch.randint(len(text) - config.block_size, (4,))
            x = torch.stack([text[i : i + config.block_size] for i in ix])
            y = torch.stack([text[i + 1 : i + 1 + config.block_size] for i in ix])
            for group in optimizer.param_groups:
                group["lr"] = 6e-3 * 0.5 * (1.0 + math.cos(math.pi * step / 10))
            _, loss = model(x, y)
            loss.backward()
            norms.append(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item())
        model.eval()
        return {
            "count": model.get_num_params(),
            "start": start,
            "losses": torch.tensor(losses),
            "norms": norms,
            "logits": model(x)[0].detach(),
            "written": model.generate(text[None, :3], 12, temperature=0.8, top_k=5),
            "keys": list(model.state_dict()),
        }

    return program


TEXT = [integers(200, high=17), integers(60, high=17)]
for title, config in {
    "a GPT in the manner of nanoGPT": Config(),
    "a GPT in the manner of nanoGPT without biases": Config(bias=False, n_layer=1),
    "a GPT in the manner of nanoGPT with dropout": Config(dropout=0.1),
}.items():
    area.add(title, nano_program(config), TEXT, gradient=False, tolerance=20)


# In the manner of minGPT ----------------------------------------------------------------------------------
def mini(torch, config):
    nn, F = torch.nn, torch.nn.functional

    class NewGELU(nn.Module):
        def forward(self, x):
            inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))
            return 0.5 * x * (1.0 + torch.tanh(inner))

    class CausalSelfAttention(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.c_attn = nn.Linear(config.n_embd, 3 * config.n_embd)
            self.c_proj = nn.Linear(config.n_embd, config.n_embd)
            self.attn_dropout = nn.Dropout(config.dropout)
            self.resid_dropout = nn.Dropout(config.dropout)
            mask = torch.tril(torch.ones(config.block_size, config.block_size))
            self.register_buffer("bias", mask.view(1, 1, config.block_size, config.block_size))
            self.n_head = config.n_head
            self.n_embd = config.n_embd

        def forward(self, x):
            B, T, C = x.size()
            q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
            k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
            q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
            att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))  # (B, nh, T, T)
            att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
            att = self.attn_dropout(F.softmax(att, dim=-1))
            y = (att @ v).transpose(1, 2).contiguous().view(B, T, C)
            return self.resid_dropout(self.c_proj(y))

    class Block(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.ln_1 = nn.LayerNorm(config.n_embd)
            self.attn = CausalSelfAttention(config)
            self.ln_2 = nn.LayerNorm(config.n_embd)
            self.mlp = nn.ModuleDict(
                {
                    "c_fc": nn.Linear(config.n_embd, 4 * config.n_embd),
                    "c_proj": nn.Linear(4 * config.n_embd, config.n_embd),
                    "act": NewGELU(),
                    "dropout": nn.Dropout(config.dropout),
                }
            )
            m = self.mlp
            self.mlpf = lambda x: m.dropout(m.c_proj(m.act(m.c_fc(x))))

        def forward(self, x):
            x = x + self.attn(self.ln_1(x))
            return x + self.mlpf(self.ln_2(x))

    class GPT(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.block_size = config.block_size
            self.transformer = nn.ModuleDict(
                {
                    "wte": nn.Embedding(config.vocab_size, config.n_embd),
                    "wpe": nn.Embedding(config.block_size, config.n_embd),
                    "drop": nn.Dropout(config.dropout),
                    "h": nn.ModuleList([Block(config) for _ in range(config.n_layer)]),
                    "ln_f": nn.LayerNorm(config.n_embd),
                }
            )
            self.lm_head = nn.Linear(config.n_embd, config.vocab_size, bias=False)
            self.apply(self._init_weights)
            for pn, p in self.named_parameters():
                if pn.endswith("c_proj.weight"):
                    torch.nn.init.normal_(p, mean=0.0, std=0.02 / math.sqrt(2 * config.n_layer))

        def _init_weights(self, module):
            if isinstance(module, nn.Linear):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
                if module.bias is not None:
                    torch.nn.init.zeros_(module.bias)
            elif isinstance(module, nn.Embedding):
                torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            elif isinstance(module, nn.LayerNorm):
                torch.nn.init.zeros_(module.bias)
                torch.nn.init.ones_(module.weight)

        def configure_optimizers(self):
            decay, no_decay = set(), set()
            for mn, m in self.named_modules():
                for pn, _ in m.named_parameters():
                    fpn = f"{mn}.{pn}" if mn else pn
                    if pn.endswith("bias"):
                        no_decay.add(fpn)
                    elif pn.endswith("weight") and isinstance(m, nn.Linear):
                        decay.add(fpn)
                    elif pn.endswith("weight") and isinstance(m, (nn.LayerNorm, nn.Embedding)):
                        no_decay.add(fpn)
            param_dict = dict(self.named_parameters())
            assert not decay & no_decay
            assert param_dict.keys() == decay | no_decay
            optim_groups = [
                {"params": [param_dict[pn] for pn in sorted(decay)], "weight_decay": 0.1},
                {"params": [param_dict[pn] for pn in sorted(no_decay)], "weight_decay": 0.0},
            ]
            return torch.optim.AdamW(optim_groups, lr=5e-3, betas=(0.9, 0.95))

        def forward(self, idx, targets=None):
            _, t = idx.size()
            pos = torch.arange(0, t, dtype=torch.long, device=idx.device).unsqueeze(0)
            x = self.transformer.drop(self.transformer.wte(idx) + self.transformer.wpe(pos))
            for block in self.transformer.h:
                x = block(x)
            logits = self.lm_head(self.transformer.ln_f(x))
            loss = None
            if targets is not None:
                loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)
            return logits, loss

        @torch.no_grad()
        def generate(self, idx, max_new_tokens, do_sample=False):
            for _ in range(max_new_tokens):
                logits, _ = self(idx[:, -self.block_size :])
                probs = F.softmax(logits[:, -1, :], dim=-1)
                if do_sample:
                    idx_next = torch.multinomial(probs, num_samples=1)
                else:
                    _, idx_next = torch.topk(probs, k=1, dim=-1)
                idx = torch.cat((idx, idx_next), dim=1)
            return idx

    return GPT(config)


def mini_program(config):
    def program(torch):
        class Sorting(torch.utils.data.Dataset):
            """Four digits, then the same four in order: the loss is taken on the second half alone."""

            def __len__(self):
                return 100

            def __getitem__(self, item):
                digits = torch.randint(0, 5, (4,), dtype=torch.long)
                ordered, _ = torch.sort(digits)
                both = torch.cat((digits, ordered), dim=0)
                x, y = both[:-1].clone(), both[1:].clone()
                y[:3] = -1
                return x, y

        model = mini(torch, config)
        optimizer = model.configure_optimizers()
        data = Sorting()
        sampler = torch.utils.data.RandomSampler(data, replacement=True, num_samples=int(1e10))
        loader = torch.utils.data.DataLoader(
            data, sampler=sampler, shuffle=False, batch_size=6, num_workers=0
        )
        losses, batches = [], iter(loader)
        model.train()
        for _ in range(10):
            x, y = next(batches)
            _, loss = model(x, y)
            model.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            losses.append(loss.item())
        model.eval()
        start = torch.tensor([[3, 1, 0, 4]], dtype=torch.long)
        written = [model.generate(start, 6), model.generate(start, 6, do_sample=True)]
        return {"losses": torch.tensor(losses), "written": written, "state": model.state_dict()}

    return program


SORTING = {"vocab_size": 5, "block_size": 7}
for title, config in {
    "a GPT in the manner of minGPT": Config(**SORTING),
    "a GPT in the manner of minGPT with dropout": Config(**SORTING, dropout=0.1),
}.items():
    area.add(title, mini_program(config), [], tolerance=20)
