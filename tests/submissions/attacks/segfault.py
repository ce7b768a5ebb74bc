# Reads at address 0.
# scale: failing
import ctypes

ctypes.string_at(0)
