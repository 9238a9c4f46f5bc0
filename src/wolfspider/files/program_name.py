"""How a person can call this program from where they are, so that printed commands can be typed as they stand."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from functools import cache
from pathlib import Path

NAME = "wolfspider"


@cache
def program() -> str:
    """Its name if the shell finds it by that, else the path it was called by."""
    called = Path(sys.argv[0])
    found = shutil.which(NAME)
    if called.name != NAME or not called.is_file() or (found and os.path.realpath(found) == os.path.realpath(called)):
        return NAME
    below = os.path.relpath(called)
    return shlex.quote(str(called) if below.startswith(os.pardir) else below)


def shell_command(*words: object) -> str:
    """A command of this program as a shell takes it: every printed one is made here."""
    return f"{program()} {shlex.join(map(str, words))}"
