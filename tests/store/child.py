"""A crawl in a process of its own, to be killed: `python child.py RUN STEPS`. Prints each page once it is committed."""

from __future__ import annotations

import sys
from pathlib import Path

from wolfspider.store.folder import is_run
from wolfspider.store.sqlite import create, open_run
from wolfspider.testing.rehearsal import Rehearsal


def main(folder: Path, steps: int) -> None:
    if is_run(folder):
        store = open_run(folder)
    else:
        store = create(folder, {"of": "a child"}, info={"software": "test"})
    rehearsal = Rehearsal(store, pages=20)
    for _ in range(steps):
        told = set(store.newest("host1.test", 100))
        going = rehearsal.step()
        for url in set(store.newest("host1.test", 100)) - told:
            print(url, flush=True)
        rehearsal.snapshot()
        store.sync()
        if not going:
            break
    store.close()
    print("done", flush=True)


main(Path(sys.argv[1]), int(sys.argv[2]))
