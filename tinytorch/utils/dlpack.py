"""Memory shared by DLPack, as in torch.utils.dlpack."""

from tinytorch._lookup import face

__getattr__, __dir__ = face(__name__, {"tinytorch": "from_dlpack to_dlpack"})
