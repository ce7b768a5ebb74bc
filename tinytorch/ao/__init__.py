"""Architecture optimization, as in torch.ao: quantization is what there is of it here."""

from tinytorch._faces import face

__getattr__, __dir__ = face(__name__)
