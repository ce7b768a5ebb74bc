"""A recurrent network that names the language of made-up words, and one that goes on with a text."""

import random

import torch
import torch.nn as nn
from torch.nn.utils import clip_grad_norm_

random.seed(0)
torch.manual_seed(0)
device = torch.device("cuda:0") if torch.cuda.is_available() else torch.device("cpu")
letters = "abcdefghijklmnopqrstuvwxyz "
endings = {"latin": ["us", "um", "ae"], "finnish": ["nen", "la", "ko"], "dutch": ["ijk", "oen", "aat"]}
categories = list(endings)


def word():
    category = random.choice(categories)
    stem = "".join(random.choice(letters[:26]) for _ in range(random.randint(2, 4)))
    return category, stem + random.choice(endings[category])


def line_to_tensor(line):
    tensor = torch.zeros(len(line), 1, len(letters))
    for position, letter in enumerate(line):
        tensor[position][0][letters.find(letter)] = 1
    return tensor


class RNN(nn.Module):
    """A cell by hand: two linear maps of the input beside the state."""

    def __init__(self, input_size, hidden_size, output_size):
        super(RNN, self).__init__()
        self.hidden_size = hidden_size
        self.i2h = nn.Linear(input_size + hidden_size, hidden_size)
        self.h2o = nn.Linear(hidden_size, output_size)
        self.softmax = nn.LogSoftmax(dim=1)

    def forward(self, input, hidden):
        combined = torch.cat((input, hidden), 1)
        hidden = torch.tanh(self.i2h(combined))
        return self.softmax(self.h2o(hidden)), hidden

    def initHidden(self):
        return torch.zeros(1, self.hidden_size)


def classify():
    rnn, criterion, rate = RNN(len(letters), 24, len(categories)), nn.NLLLoss(), 0.02
    current = 0.0
    for iteration in range(1, 241):
        category, line = word()
        target = torch.LongTensor([categories.index(category)])
        rnn.zero_grad()
        hidden = rnn.initHidden()
        for letter in line_to_tensor(line):
            output, hidden = rnn(letter, hidden)
        loss = criterion(output, target)
        loss.backward()
        for p in rnn.parameters():
            p.data.add_(p.grad.data, alpha=-rate)
        current += loss.item()
        if iteration % 60 == 0:
            print(f"{iteration} {current / 60:.4f} {categories[output.topk(1)[1][0].item()]}")
            current = 0.0


class Model(nn.Module):
    def __init__(self, vocab, width=24, layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab, 12)
        self.lstm = nn.LSTM(12, width, layers, batch_first=True, dropout=0.1)
        self.linear = nn.Linear(width, vocab)
        self.width, self.layers = width, layers

    def forward(self, x, state):
        self.lstm.flatten_parameters()
        out, state = self.lstm(self.embed(x), state)
        return self.linear(out.reshape(-1, self.width)), state

    def zero_state(self, batch):
        weight = next(self.parameters())
        return tuple(weight.new_zeros(self.layers, batch, self.width) for _ in range(2))


def go_on():
    text = "a word is made of letters and a text is made of words " * 12
    ids = torch.LongTensor([letters.index(c) for c in text[: len(text) // 8 * 8]]).view(8, -1).to(device)
    model = Model(len(letters)).to(device)
    criterion = nn.CrossEntropyLoss()
    optimizer = torch.optim.RMSprop(model.parameters(), lr=0.01)
    for epoch in range(3):
        state, losses = model.zero_state(8), []
        for start in range(0, ids.size(1) - 10, 10):
            inputs, targets = ids[:, start : start + 10], ids[:, start + 1 : start + 11]
            state = tuple(s.detach() for s in state)
            outputs, state = model(inputs, state)
            loss = criterion(outputs, targets.reshape(-1))
            optimizer.zero_grad()
            loss.backward()
            clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
            losses.append(loss.item())
        print(
            f"epoch {epoch}: {losses[0]:.4f} {losses[-1]:.4f} perplexity {torch.exp(torch.tensor(losses).mean()):.3f}"
        )


if __name__ == "__main__":
    classify()
    go_on()
