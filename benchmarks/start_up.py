"""What it costs to start: `import wolfspider` and `wolfspider --help` beside a bare interpreter, in one run.

    python benchmarks/start_up.py [--rounds 15]

Every round starts each of them once, in turn, so that a machine that is busy slows all of them alike; the least of all
rounds counts, since everything else a machine does only adds to it. The last line has the ratios. Exit code 1 if
importing takes more than 6 times, or help more than 15 times, as long as the bare interpreter.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time

MOST_IMPORT, MOST_HELP = 6.0, 15.0
CALLS = {
    "bare": ("-c", "pass"),
    "import": ("-c", "import wolfspider"),
    "help": ("-m", "wolfspider", "--help"),
    "crawl_help": ("-m", "wolfspider", "crawl", "--help"),
}


def seconds(words: tuple[str, ...]) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - began


def measured(rounds: int) -> dict[str, float]:
    """The least of each call, after one round that nobody counts."""
    times: dict[str, list[float]] = {name: [] for name in CALLS}
    for _ in range(rounds + 1):
        for name, words in CALLS.items():
            times[name].append(seconds(words))
    return {name: min(each[1:]) for name, each in times.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    least = measured(parser.parse_args().rounds)
    ratios = {name: took / least["bare"] for name, took in least.items() if name != "bare"}
    for name, took in least.items():
        print(f"{name:12} {1000 * took:6.1f} ms")
    good = ratios["import"] <= MOST_IMPORT and ratios["help"] <= MOST_HELP
    told = " ".join(f"{name}={ratio:.1f}" for name, ratio in ratios.items())
    print(f"start_up {told} most_import={MOST_IMPORT:g} most_help={MOST_HELP:g} good={int(good)}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
