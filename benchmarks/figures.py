"""The figures of the documentation, from a bench on a computed web.

    python benchmarks/figures.py [FOLDER]     # default: docs/images

Every strategy hunts for every topic of the web; drawn is the share of the reachable relevant pages found against
downloads, mean over topics: all strategies in found.svg, the best ones by name; each with breadth-first and the bound
in strategies/NAME.svg.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from wolfspider.bench.draw.svg import FAINT, INK, PALETTE, SOFT, Figure
from wolfspider.bench.measure.bounds import curve
from wolfspider.bench.measure.state_models import Sample, build
from wolfspider.bench.run.runner import Bench, BenchResults, run
from wolfspider.learn.page_states import CLASSES, WORDS
from wolfspider.strategies import all_strategies
from wolfspider.web.worlds.world import open_web

WEB, PAGES, SEED = "synthetic:pages=20000,seed=1", 1000, 1
PLAIN = "breadth-first"
OUT = Path("build/figures.json")  # with the cells beside it
MODEL = Path("build/figures-states.npz")
STEP = 5  # downloads between two points of a curve


def share(rows: Iterable[dict[str, Any]], reachable: dict[str, int]) -> Any:
    """Mean over topics of the share found after each download."""
    curves = [np.asarray(curve(row["found"], PAGES)) / reachable[row["topic"]] for row in rows]
    return np.mean(curves, axis=0)[STEP - 1 :: STEP]


def empty(title: str) -> Figure:
    return Figure(title, "downloads", "share of the reachable relevant pages", y_range=(0, 1))


def draw(results: BenchResults, folder: Path) -> None:
    reachable = {row["topic"]: row["reachable"] for row in results.rows}
    bounds = [{"topic": bound["topic"], "found": bound["upper"]} for bound in results.bounds]
    upper = share(bounds, reachable)
    means = {
        name: share((row for row in results.rows if row["strategy"] == name), reachable)
        for name in dict.fromkeys(row["strategy"] for row in results.rows)
    }
    downloads = np.arange(STEP, PAGES + 1, STEP)
    everything = empty(f"{len(reachable)} topics on {WEB}")
    everything.line(downloads, upper, "upper bound", dashed=True, colour=INK)
    best = sorted(means, key=lambda name: -means[name].mean())
    others = best[len(PALETTE) :]  # there are fewer colours than strategies
    for place, name in enumerate(others):
        everything.line(downloads, means[name], "" if place else f"the {len(others)} others", colour=FAINT)
    for name, colour in zip(best, PALETTE, strict=False):
        everything.line(downloads, means[name], name, colour=colour)
    save(everything, folder / "found.svg")
    for name, mean in means.items():
        figure = empty(f"{name} on {WEB}")
        figure.line(downloads, upper, "upper bound", dashed=True, colour=INK)
        if name != PLAIN:
            figure.line(downloads, means[PLAIN], PLAIN, colour=SOFT)
        figure.line(downloads, mean, name, colour=PALETTE[0])
        save(figure, folder / "strategies" / f"{name}.svg")


def save(figure: Figure, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(figure.svg(), encoding="utf-8")


def states() -> str:
    """What foragers see pages by: the words of a computed web are its own, so they need a model of it."""
    MODEL.parent.mkdir(parents=True, exist_ok=True)
    if not MODEL.exists():
        world = open_web(WEB)
        build(world, MODEL, Sample(2_000, SEED, world.start), CLASSES, WORDS, lambda done, total: None)
    return str(MODEL)


if __name__ == "__main__":
    names = tuple(all_strategies())
    bench = Bench((WEB,), names, PAGES, seed=SEED, settings={"foragers": {"model": states()}})
    draw(run(bench, OUT), Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images"))
