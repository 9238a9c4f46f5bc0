"""What became of an export: how many pages it has, and how many it lacks, and why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from wolfspider.store.damage import PAGES_LOST, remedy
from wolfspider.store.fleet_folder import is_fleet, island_folder


@dataclass
class Exported:
    """The result of an export."""

    folder: Path
    pages: int = 0
    withheld: int = 0  # pages that ask not to be indexed
    duplicates: int = 0  # near-duplicates that were left out on request
    damaged: int = 0  # pages whose record in the archive can't be read: without text, or left out of a WARC
    lost: int = 0  # pages whose rows can't be read, or are not there: left out
    unarchived: int = 0  # pages that never had a record, left out of a WARC

    @property
    def code(self) -> int:
        """The exit code of the command line."""
        return PAGES_LOST if self.damaged or self.lost else 0

    def told(self) -> str:
        parts = [f"{self.pages:,} page{'s' * (self.pages != 1)}."]
        if self.withheld:
            parts.append(f"{self.withheld:,} more left out, asking not to be indexed (noindex).")
        if self.duplicates:
            parts.append(f"{self.duplicates:,} more left out, nearly equal to others (--dedup).")
        if self.unarchived:
            parts.append(f"{self.unarchived:,} more left out, never archived.")
        if self.damaged:
            parts.append(f"The archive is damaged at {self.damaged:,} of them: without text, or left out.")
        if self.lost:
            parts.append(f"{self.lost:,} more left out, because the database is damaged there.")
        if self.code:
            fleet = is_fleet(self.folder)
            parts.append(remedy(island_folder(self.folder, 0) if fleet else self.folder))
            if fleet:
                parts.append("So with each of its islands.")
        return " ".join(parts)
