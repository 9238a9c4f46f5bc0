"""The limits of a crawl, each with its bounds: for settings, for commands, and for the crawl itself."""

from __future__ import annotations

from dataclasses import dataclass

from wolfspider.core.params import param

NO_HURRY = 0.0  # downloads a minute: nothing is followed while something better waits
AT_ONCE = 1_000_000.0  # downloads a minute that no crawl makes: with this one it waits for nothing
HURRY = "Downloads a minute, at least, even if lesser links are followed for it; 0: better ones are waited for."
PER_HOUR = "Downloads that may start in an hour, spread over it; 0: no limit."
EVERY = "Seconds in which a page is not downloaded twice: the copy at hand must do; 0: whenever the strategy likes."
MAX_MB = "Megabytes of pages to download, unpacked; what is on its way when they are spent comes on top. 0: no limit."
MAX_TIME = "Seconds that the crawl may take, those of all its sessions together; 0: no limit."
HOST_PAGES = "Downloads from one host; 0: no limit."
CHANCE = (
    "Share of the downloads, such as 0.05, that go to links drawn by chance from those that wait, to show what chance "
    "would have found; 0: none. For strategies that keep one queue of links."
)
ENDLESS = 10**9  # downloads: the budget of what goes on until somebody stops it
DRY = 1.0  # of `until`: not a share, but until the yield has ended
UNTIL = (
    "End when it is enough: dry, when the next 100 downloads will hardly bring a relevant page; or a share, such as "
    "90%, of the relevant pages estimated to be within reach, once ten are found. Either must hold for 400 downloads. "
    "never: go on."
)
OF_HOSTS = ("host_pages", "host_mb", "host_time", "domain_pages", "domain_mb", "domain_time")


@dataclass
class Limits:
    """What a crawl may spend, and how fast. `events.SetLimit` changes the live ones, within their bounds."""

    pages: int = param(
        1000, "Downloads; exceeded only by requests under way when the limit was lowered.", low=0, high=10**12
    )
    slots: int = param(1, "Visits on the wire at the same time.", low=1, high=2000)
    delay: float = param(0.0, "Seconds between two visits to a host.", low=0, high=86_400)
    max_wait: float = param(
        3600.0, "A crawl that could only wait longer than this is over (seconds).", low=0, live=False
    )
    hurry: float = param(AT_ONCE, HURRY, low=0, high=AT_ONCE)
    max_mb: float = param(0.0, MAX_MB, low=0)
    max_time: float = param(0.0, MAX_TIME, low=0)
    until: float = param(0.0, UNTIL, low=0, high=1, words={"dry": DRY, "never": 0.0})
    host_pages: int = param(0, HOST_PAGES, low=0, high=10**12)
    host_mb: float = param(0.0, "Megabytes of the pages of one host; 0: no limit.", low=0)
    host_time: float = param(0.0, "Seconds that the answers of one host take together; 0: no limit.", low=0)
    domain_pages: int = param(0, "Downloads from all hosts of one registered domain; 0: no limit.", low=0, high=10**12)
    domain_mb: float = param(0.0, "Megabytes of the pages of one registered domain; 0: no limit.", low=0)
    domain_time: float = param(0.0, "Seconds that the answers of one registered domain take; 0: no limit.", low=0)
    per_hour: int = param(0, PER_HOUR, low=0, high=10**9)
    every: float = param(0.0, EVERY, low=0, high=10**9)
    chance: float = param(0.0, CHANCE, low=0, high=0.2)
