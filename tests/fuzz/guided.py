"""Fuzzing by Atheris, guided by coverage: `python -m tests.fuzz.guided TARGET [option of libFuzzer]...`

Nothing else needs Atheris, so it is not among the locked versions: `pip install atheris`. New inputs go to a folder
that is removed; the one that breaks the target is left in the current folder, by the name that libFuzzer gives it.
"""

from __future__ import annotations

import importlib
import sys
import tempfile

from tests.fuzz.mutations import LARGEST


def main() -> None:
    try:
        atheris = importlib.import_module("atheris")
    except ImportError:
        raise SystemExit("Atheris is not installed: pip install atheris. `make fuzz` works without it.") from None
    with atheris.instrument_imports(include=["wolfspider"]):
        from tests.fuzz.fuzz_targets import TARGETS
        from tests.fuzz.fuzzing import CORPUS
    name, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="guided-") as found:
        folders = [found, str(CORPUS / name)]
        atheris.Setup([sys.argv[0], *folders, f"-max_len={LARGEST}", "-timeout=20", *options], TARGETS[name])
        atheris.Fuzz()


main()
