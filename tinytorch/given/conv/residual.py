"""A residual network of the learner's blocks, with torchvision's parameter names."""

from tinytorch.conv import AdaptiveAvgPool2d, BasicBlock, BatchNorm2d, Conv2d, MaxPool2d
from tinytorch.layers import Identity, Linear, Module, ReLU, Sequential, kaiming_normal_

__all__ = ["ResNet", "resnet_small"]


class ResNet(Module):
    """A residual network (He et al., 2015) with torchvision's parameter names.

    Args:
        block: the class of its blocks, BasicBlock.
        layers: how many blocks each stage has; every stage but the first halves the image and doubles the
            channels.
        num_classes: how many scores come out.
        width: channels of the first stage.
        in_channels: channels of the images.
        small: for images of some 32 pixels: begin with a 3x3 convolution, in place of a 7x7 one of stride 2
            and a max pool.

    With four stages and the defaults it is torchvision's: `ResNet(BasicBlock, [2, 2, 2, 2])` is `resnet18()`.

    Shape: (N, in_channels, H, W) to (N, num_classes).

    >>> ResNet(BasicBlock, [1, 1], num_classes=10, width=4, small=True)(torch.zeros(2, 3, 8, 8)).shape
    torch.Size([2, 10])
    """

    def __init__(self, block, layers, num_classes=1000, width=64, in_channels=3, small=False):
        super().__init__()
        self.inplanes = width
        stem = {"kernel_size": 3, "padding": 1} if small else {"kernel_size": 7, "stride": 2, "padding": 3}
        self.conv1 = Conv2d(in_channels, width, bias=False, **stem)
        self.bn1 = BatchNorm2d(width)
        self.relu = ReLU()
        self.maxpool = Identity() if small else MaxPool2d(3, stride=2, padding=1)
        for number, blocks in enumerate(layers):
            stage = self._stage(block, width * 2**number, blocks, stride=1 if number == 0 else 2)
            self.add_module(f"layer{number + 1}", stage)
        self.stages = len(layers)
        self.avgpool = AdaptiveAvgPool2d(1)
        self.fc = Linear(self.inplanes, num_classes)
        for module in self.modules():
            if isinstance(module, Conv2d):
                kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def _stage(self, block, planes, blocks, stride):
        downsample = None
        if stride != 1 or self.inplanes != planes * block.expansion:
            shortcut = Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False)
            downsample = Sequential(shortcut, BatchNorm2d(planes * block.expansion))
        first = block(self.inplanes, planes, stride, downsample)
        self.inplanes = planes * block.expansion
        return Sequential(first, *[block(self.inplanes, planes) for _ in range(blocks - 1)])

    def forward(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for number in range(self.stages):
            x = self.get_submodule(f"layer{number + 1}")(x)
        return self.fc(self.avgpool(x).flatten(1))


def resnet_small(num_classes=10, in_channels=3, width=16):
    """A residual network for images of some 32 pixels: three stages of one block each."""
    return ResNet(BasicBlock, [1, 1, 1], num_classes, width, in_channels, small=True)
