# Traces, and writes into the memory of, the process that started it.
# scale: failing
import ctypes
import os

system = ctypes.CDLL(None)
for number in (1, os.getppid()):
    system.ptrace(16, number, 0, 0)
    try:
        open(f"/proc/{number}/mem", "wb").write(b"x")
    except OSError:
        pass
for call in (lambda: os.setuid(0), lambda: os.chroot("/tmp"), lambda: system.mount(b"none", b"/tmp", b"tmpfs", 0, None)):
    try:
        call()
    except OSError:
        pass
