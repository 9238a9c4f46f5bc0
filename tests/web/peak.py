"""What reading a body takes, measured in a process of its own: the peak of memory only ever rises within one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# VmHWM, because what getrusage tells a child begins with what its parent had.
_CHILD = """
import re, sys, time
from importlib import import_module
from pathlib import Path

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

read = import_module(sys.argv[1]).entries
body = Path(sys.argv[2]).read_bytes()
before, began = peak(), time.process_time()
read(body, "https://example.org/x")
print((peak() - before) // 1024, time.process_time() - began)
"""


def cost_of_reading(module: str, body: bytes, folder: Path) -> tuple[int, float]:
    """MiB beyond the body itself, and seconds of the processor, of `module.entries(body, ...)`."""
    path = folder / "body"
    path.write_bytes(body)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    told = subprocess.run(
        [sys.executable, "-c", _CHILD, module, str(path)],
        capture_output=True,
        check=True,
        timeout=120,
        env=environment,
    )
    megabytes, seconds = told.stdout.split()
    return int(megabytes), float(seconds)
