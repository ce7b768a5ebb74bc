"""A regression with everything that speed is asked for with: autocast, scaled gradients, hooks, memory formats."""

import sys
import time
import warnings

import torch
import torch.backends.cudnn as cudnn
import torch.nn as nn
from torch.cuda.amp import GradScaler
from torch.nn.parallel import DataParallel
from torch.optim.lr_scheduler import OneCycleLR

warnings.filterwarnings("ignore")


def set_seed(seed):
    torch.manual_seed(seed)
    torch.cuda.manual_seed(seed)
    torch.cuda.manual_seed_all(seed)
    cudnn.deterministic, cudnn.benchmark = True, False
    torch.use_deterministic_algorithms(True, warn_only=True)


def pick_device():
    if hasattr(torch, "accelerator") and torch.accelerator.is_available():
        return torch.accelerator.current_accelerator()
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        return torch.device("xpu")
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


class ConvNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.SiLU(inplace=True),
            nn.AvgPool2d(2), nn.Conv2d(8, 8, 3, padding=1, groups=4), nn.Hardswish(), nn.AdaptiveAvgPool2d(1),
        )  # fmt: skip
        self.head = nn.Linear(8, 1)

    def forward(self, x):
        return self.head(torch.flatten(self.features(x), 1)).squeeze(-1)


def main():
    print("python", sys.version_info.major, "torch", int(torch.__version__.split(".")[0]) >= 2)
    print(
        "cuda",
        torch.version.cuda,
        torch.cuda.device_count(),
        "distributed",
        torch.distributed.is_initialized(),
    )
    set_seed(42)
    torch.set_float32_matmul_precision("high")
    device = pick_device()
    use_amp = device.type == "cuda"
    model = ConvNet().to(device, memory_format=torch.channels_last)
    model = DataParallel(model)
    sizes = {}

    def note(module, inputs, output):
        sizes[type(module).__name__] = tuple(output.shape)

    handles = [module.register_forward_hook(note) for module in model.module.features.children()]
    x = torch.rand(96, 3, 8, 8)
    y = (x[:, 0, :4].mean((1, 2)) - x[:, 2].amax((1, 2))) * 4
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True, weight_decay=1e-4)
    scheduler = OneCycleLR(optimizer, max_lr=0.2, total_steps=12)
    for scaler in (GradScaler(enabled=use_amp), torch.amp.GradScaler(device.type, init_scale=2.0**10)):
        for step in range(6):
            began = time.perf_counter()
            rows = torch.randperm(96)[:48]
            images = x[rows].to(device, non_blocking=True, memory_format=torch.channels_last)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast(device_type="cuda", dtype=torch.float16, enabled=use_amp):
                loss = nn.functional.smooth_l1_loss(model(images), y[rows].to(device))
            scaler.scale(loss).backward()
            scaler.unscale_(optimizer)
            norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm=2.0)
            scaler.step(optimizer)
            scaler.update()
            scheduler.step()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            assert time.perf_counter() > began
            print(
                f"{step} loss {loss.item():.5f} norm {float(norm):.4f} lr {scheduler.get_last_lr()[0]:.5f} scale {scaler.get_scale():g}"
            )
    for handle in handles:
        handle.remove()
    print(sizes)
    print("peak", torch.cuda.max_memory_allocated(), "names", list(model.state_dict())[:3])
    torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
