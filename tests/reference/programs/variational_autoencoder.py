"""A variational autoencoder of vectors that lie near a curve."""

import math

import torch
from torch import nn, optim
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(7)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
FloatTensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor


class VAE(nn.Module):
    def __init__(self, width=20, hidden=32, latent=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(width, hidden), nn.LeakyReLU(0.1, inplace=True))
        self.heads = nn.ModuleDict({"mu": nn.Linear(hidden, latent), "logvar": nn.Linear(hidden, latent)})
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.ELU(), nn.Linear(hidden, width))
        self.apply(self._init_weights)

    @staticmethod
    def _init_weights(module):
        if type(module) is nn.Linear:
            nn.init.xavier_uniform_(module.weight, gain=nn.init.calculate_gain("leaky_relu", 0.1))
            nn.init.zeros_(module.bias)

    def encode(self, x):
        h = self.encoder(x)
        return self.heads["mu"](h), self.heads["logvar"](h)

    def reparameterize(self, mu, logvar):
        std = torch.exp(0.5 * logvar)
        eps = torch.randn_like(std)
        return mu + eps * std

    def forward(self, x):
        mu, logvar = self.encode(x)
        z = self.reparameterize(mu, logvar)
        return torch.sigmoid(self.decoder(z)), mu, logvar


def loss_function(recon_x, x, mu, logvar):
    """Reconstruction and KL divergence summed over all elements and the batch (Kingma and Welling, 2014)."""
    BCE = F.binary_cross_entropy(recon_x, x, reduction="sum")
    KLD = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return BCE + KLD, KLD


def curve(count):
    t = torch.linspace(0, 2 * math.pi, count).unsqueeze(1)
    places = torch.arange(20).type(FloatTensor) / 3
    clean = 0.5 + 0.45 * torch.sin(t + places) * torch.cos(places - t)
    return (clean + 0.02 * torch.randn(count, 20)).clamp_(0, 1)


def main():
    data = TensorDataset(curve(400))
    train_set, test_set = random_split(data, [320, 80], generator=torch.Generator().manual_seed(0))
    train_loader = DataLoader(train_set, batch_size=64, shuffle=True, drop_last=True)
    test_loader = DataLoader(test_set, batch_size=80)
    model = VAE().to(device)
    optimizer = optim.Adam(model.parameters(), lr=1e-2, betas=(0.9, 0.99), amsgrad=True)
    scheduler = optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    for epoch in range(1, 9):
        model.train()
        total = divergence = 0.0
        for (batch,) in train_loader:
            batch = batch.to(device)
            optimizer.zero_grad(set_to_none=True)
            recon, mu, logvar = model(batch)
            loss, kld = loss_function(recon, batch, mu, logvar)
            loss.backward()
            total += loss.detach().item()
            divergence += float(kld)
            optimizer.step()
        model.eval()
        with torch.no_grad():
            (batch,) = next(iter(test_loader))
            mu, logvar = model.encode(batch.to(device))
            recon = torch.sigmoid(model.decoder(mu))
            held_out = loss_function(recon, batch, mu, logvar)[0].item() / len(batch)
        scheduler.step(held_out)
        print(
            f"epoch {epoch}: {total / 320:.4f}, of which KL {divergence / 320:.4f}; held out {held_out:.4f}"
        )
    with torch.no_grad():
        sample = torch.sigmoid(model.decoder(torch.randn(4, 3, device=device))).cpu()
        print("samples", [f"{x:.4f}" for x in sample.mean(dim=1).numpy()])


if __name__ == "__main__":
    main()
