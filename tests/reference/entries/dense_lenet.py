"""An entry that wins in latency on digits: LeNet's convolutions as matrices, for images of 8 x 8."""

from tinytorch import nn
from tinytorch.capstone import as_matrix


class DenseLeNet(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.conv1, self.conv2 = as_matrix(model.conv1, 8), as_matrix(model.conv2, 4)
        model.conv1 = model.conv2 = None

    def forward(self, x):
        old = self.model
        x = old.pool(old.relu(self.conv1(x.flatten(1))).view(-1, 6, 8, 8))
        x = old.pool(old.relu(self.conv2(x.flatten(1))).view(-1, 16, 4, 4)).flatten(1)
        return old.fc3(old.relu(old.fc2(old.relu(old.fc1(x)))))


def entry(model, images, labels):
    return DenseLeNet(model)
