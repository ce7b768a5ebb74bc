"""Soon."""

__all__ = []
