"""Measures of a population of agents that lives on relevance, over the downloads of a crawl: its size, energy, births,
deaths and threshold.

    crawl.listen(energies := Energies())
    ...
    energies.figures()["population"]           # at the downloads of figures()["downloads"]

Births and deaths are counted one by one, so that the smallest and the largest population are exact. Energies and the
threshold are sampled: the strategy notes them from time to time (strategies/energy).
"""

from __future__ import annotations

from array import array
from typing import Any

from wolfspider.bench.measure.folds import Measure
from wolfspider.core.events import Landed, Noted

COLUMNS = ("population", "in_agents", "on_pages", "threshold", "slope", "births", "deaths", "teleports", "moves")


class Energies(Measure):
    """Counts agents one by one, and samples the rest."""

    def __init__(self) -> None:
        super().__init__()
        self.downloads = 0
        self.alive = 0
        self.smallest = self.largest = 0  # since all first agents are born
        self.births = self.deaths = self.clones = self.teleports = self.restarts = 0
        self.extinct: int | None = None  # downloads when the last agent died
        self.at = array("q")  # downloads at each row of the columns
        self.columns = {name: array("d") for name in COLUMNS}

    def landed(self, event: Landed) -> None:
        self.downloads = event.downloads

    def noted(self, event: Noted) -> None:
        match event.kind:
            case "birth":
                self.births += 1
                self.alive += 1
                self.extinct = None
                if event.data.get("parent"):
                    self.clones += 1
                else:
                    self.smallest = self.alive
                self.largest = max(self.largest, self.alive)
            case "death":
                self.deaths += 1
                self.alive -= 1
                self.smallest = min(self.smallest, self.alive)
                if not self.alive:
                    self.extinct = self.downloads
            case "teleport":
                self.teleports += 1
                self.restarts += bool(event.data.get("restart"))
            case "energy":
                self.at.append(self.downloads)
                for name, column in self.columns.items():
                    column.append(event.data[name])

    def figures(self) -> dict[str, Any]:
        return {
            "downloads": list(self.at),
            **{name: list(column) for name, column in self.columns.items()},
            "alive": self.alive,
            "smallest": self.smallest,
            "largest": self.largest,
            "born": self.births,
            "cloned": self.clones,
            "died": self.deaths,
            "teleported": self.teleports,
            "restarted": self.restarts,
            "extinct": self.extinct,
        }
