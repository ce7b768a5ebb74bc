"""Which calls of the kernel a sandbox refuses, as the program that bubblewrap loads: Linux's seccomp in classic BPF.

Refused is what a submission could leave for the next one to find, what takes memory that is counted nowhere, what makes a new
namespace or looks into another process, and what none of it needs.
"""

import errno
import platform
import struct

from autograder.course import CourseError

# Each call's number on x86-64, and on aarch64.
REFUSED = {
    # the kernel's key rings, which outlive a process, and its log, which tells of others
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219), "syslog": (103, 116),
    # memory and messages that belong to no process
    "memfd_create": (319, 279), "shmget": (29, 194), "shmat": (30, 196), "shmctl": (31, 195),
    "msgget": (68, 186), "msgsnd": (69, 189), "msgrcv": (70, 188), "msgctl": (71, 187),
    "semget": (64, 190), "semop": (65, 193), "semtimedop": (220, 192), "semctl": (66, 191),
    "mq_open": (240, 180), "mq_unlink": (241, 181), "vmsplice": (278, 75),
    # namespaces, mounts and roots
    "unshare": (272, 97), "setns": (308, 268), "mount": (165, 40), "umount2": (166, 39),
    "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428), "move_mount": (429, 429),
    "fsopen": (430, 430), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433),
    "mount_setattr": (442, 442), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    # other processes
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "perf_event_open": (298, 241), "bpf": (321, 280),
    "userfaultfd": (323, 282), "setsid": (112, 157), "personality": (135, 92),
    # a queue of calls that no filter sees
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    # who has read, locked or watches a file that all sandboxes share
    "mincore": (27, 232), "fadvise64": (221, 223), "readahead": (187, 213), "flock": (73, 32),
    "inotify_init": (253, None), "inotify_init1": (294, 26), "inotify_add_watch": (254, 27),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263),
}  # fmt: skip
# The C library does without these where they are missing.
MISSING = {"clone3": (435, 435), "preadv2": (327, 286), "pwritev2": (328, 287)}
NEWEST = 446  # of Linux 5.13: of what is newer nothing is known here, and nothing is there
# Calls that are refused with some arguments: the number of the argument, and which of its bits or values.
CLONE, FCNTL, IOCTL, PRCTL, PRLIMIT, SOCKET = (56, 220), (72, 25), (16, 29), (157, 167), (302, 261), (41, 198)
NAMESPACES = 0x7E020000  # CLONE_NEW*
LOCKS = (5, 6, 7, 36, 37, 38, 1024, 1025, 1026)  # F_*LK, F_OFD_*, F_*LEASE, F_NOTIFY
TYPED = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
DUMPABLE = 4  # PR_SET_DUMPABLE, which would hide how much memory is used
LOCAL = 1  # AF_UNIX

LOAD, EQUAL, MORE, ANY, RETURN = 0x20, 0x15, 0x25, 0x45, 0x06  # BPF: of a word, jump if, return
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000  # SECCOMP_RET_*
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16  # their positions in a filter's input
MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}  # AUDIT_ARCH_*


def machine() -> tuple[int, int]:
    """The column of this machine's numbers, and its name in the kernel's audit."""
    if platform.machine() not in MACHINES:
        known = " and ".join(MACHINES)
        raise CourseError(f"sandboxes are made for {known}, and this machine is {platform.machine()}")
    return MACHINES[platform.machine()]


def numbers() -> dict[str, int]:
    """The calls that are always refused, by their numbers on this machine."""
    column, _ = machine()
    calls = {name: pair[column] for name, pair in (REFUSED | MISSING).items()}
    return {name: number for name, number in calls.items() if number is not None}


def program() -> bytes:
    """The filter for this machine's processor. x32 and later calls have numbers above the newest; i386 is killed."""
    column, architecture = machine()
    refused, missing = REFUSE | errno.EPERM, REFUSE | errno.ENOSYS
    lines = [(LOAD, 0, 0, ARCHITECTURE), (EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL)]
    lines += [(LOAD, 0, 0, NUMBER), (MORE, 0, 1, NEWEST), (RETURN, 0, 0, missing)]
    for name, number in numbers().items():
        lines += [(EQUAL, 0, 1, number), (RETURN, 0, 0, missing if name in MISSING else refused)]
    for call, argument, tests in (
        (CLONE, 0, [(ANY, 0, 1, NAMESPACES)]),
        (FCNTL, 1, [(EQUAL, 0, 1, value) for value in LOCKS]),
        (IOCTL, 1, [(EQUAL, 0, 1, value) for value in TYPED]),
        (PRCTL, 0, [(EQUAL, 0, 1, DUMPABLE)]),
        (PRLIMIT, 0, [(EQUAL, 1, 0, 0)]),
        (SOCKET, 0, [(EQUAL, 1, 0, LOCAL)]),
    ):
        body = [(LOAD, 0, 0, ARGUMENTS + 8 * argument)]  # its lower half
        body += [line for test in tests for line in (test, (RETURN, 0, 0, refused))]
        lines += [(EQUAL, 0, len(body) + 1, call[column]), *body, (RETURN, 0, 0, ALLOW)]
    return b"".join(struct.pack("HBBI", *line) for line in [*lines, (RETURN, 0, 0, ALLOW)])
