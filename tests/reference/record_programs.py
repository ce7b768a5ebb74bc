"""What the programs in `programs/` print with PyTorch: `python -m tests.reference.record_programs [NAME ...]`.

Each runs in a process of its own. `test_programs.py` runs them with TinyTorch as `torch`, and compares what they print.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
RECORDED = Path(__file__).parent / "recorded" / "programs.json"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}


def printed(name: str, *options: str, **environment: str) -> list[str]:
    """The lines that a program prints; its error is this one's."""
    command = [sys.executable, "-W", "ignore", *options, str(PROGRAMS / f"{name}.py")]
    done = subprocess.run(
        command, env=os.environ | ONE_THREAD | environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


if __name__ == "__main__":
    recorded = json.loads(RECORDED.read_text(encoding="utf-8")) if RECORDED.exists() else {}
    names = sys.argv[1:] or sorted(path.stem for path in PROGRAMS.glob("*.py"))
    recorded |= {name: printed(name) for name in names}
    RECORDED.write_text(json.dumps(recorded, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
