"""What can be chosen about a synthetic web: `synthetic:pages=50000,seed=1,hard=1`."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from wolfspider.core.errors import Problem
from wolfspider.core.params import build, param
from wolfspider.web.worlds.synthetic.english_words import TOPICS_IN_ENGLISH

SEEDS = ("directory", "relevant", "cold")
ENGLISH = "english"
LANGUAGES = ("invented", ENGLISH)
MOST_REWIRED = 200_000
PAGES_PER_TOPIC = 15


@dataclass(frozen=True, slots=True)
class WebParams:
    pages: int = param(50_000, "Pages of the web; nothing is stored for those not visited.", low=1_000, high=10_000_000)
    seed: int = param(1, "Another seed, another web.", low=0, high=2**63 - 1)
    hard: bool = param(
        False, "No links between the communities of a topic: a crawler must tunnel through other topics."
    )
    mischief: bool = param(
        True, "Dead links, redirects, traps, mirrors, failures, slow hosts, documents that are no HTML."
    )
    links: int = param(1, "How many times as many content links an ordinary page has.", low=1, high=20)
    news: bool = param(False, "Add a news site: articles for 18 days, lists that change, revisions.")
    articles: int = param(
        1200, "Articles that the news site publishes in a day, on the mean of a week.", low=10, high=10_000
    )
    listed: int = param(
        0,
        "Articles that a list of the news site shows at most; a day's archive then has pages. 0: 30 or 40, and all of "
        "a day.",
        low=0,
        high=1_000,
    )
    older: int = param(
        7,
        "Older articles that an article of the news site links to, two in seven of them from anywhere.",
        low=0,
        high=28,
    )
    days: int = param(18, "Days for which the news site publishes from the beginning of a crawl.", low=1, high=400)
    monday: str = param("2005-03-07", "The day on which a crawl of this web begins, YYYY-MM-DD: a Monday.")
    rewired: bool = param(
        False, f"Permute the ends of all links (up to {MOST_REWIRED} pages): scale-free, no small world."
    )
    topics: int = param(64, "Topics, a multiple of 8 (8 families).", low=8, high=128)
    words: str = param(
        "invented",
        f"The language of the pages: one that is made up, or English ({len(TOPICS_IN_ENGLISH)} topics).",
        choices=LANGUAGES,
    )
    seeds: str = param(
        "directory",
        "Where a task starts: a directory page of the topic and a page of another topic; three relevant pages; "
        "or, cold, the home page of a portal.",
        choices=SEEDS,
    )

    def __post_init__(self) -> None:
        _begins(self.monday)
        if self.topics % 8:
            raise Problem(f"topics must be a multiple of 8, not {self.topics}.")
        if self.words == ENGLISH and self.topics != len(TOPICS_IN_ENGLISH):
            raise Problem(f"topics must be {len(TOPICS_IN_ENGLISH)} with words={ENGLISH}, not {self.topics}.")
        if self.pages < PAGES_PER_TOPIC * self.topics:
            raise Problem(
                f"pages={self.pages} is too few for topics={self.topics}: "
                f"ask for {PAGES_PER_TOPIC * self.topics} pages or more, or for fewer topics."
            )
        if self.rewired and self.pages > MOST_REWIRED:
            raise Problem(f"A rewired web is held in memory: pages must be at most {MOST_REWIRED}, not {self.pages}.")

    @property
    def epoch(self) -> float:
        """When a crawl of this web begins."""
        return _begins(self.monday)

    def spec(self) -> str:
        """The shortest text that gives the same web again."""
        named = [
            f"{field.name}={int(value) if isinstance(value, bool) else value}"
            for field in dataclasses.fields(self)
            if (value := getattr(self, field.name)) != field.default or field.name in ("pages", "seed")
        ]
        return "synthetic:" + ",".join(named)


def _begins(monday: str) -> float:
    try:
        day = datetime.strptime(monday, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise Problem(f"monday is a day such as 2005-03-07, not {monday!r:.40}.") from None
    if day.weekday() or not 1990 <= day.year < 2100:
        raise Problem(f"monday must be a Monday from 1990 on, and {monday} is none.")
    return day.timestamp()


def monday_of(now: float) -> str:
    """The Monday before a moment, as `monday` is written."""
    day = datetime.fromtimestamp(now, UTC)
    return f"{day - timedelta(days=day.weekday()):%Y-%m-%d}"


def as_of(spec: str, now: float) -> str:
    """The same web, its news dated as if it were this moment there; unless the text says which Monday it is of."""
    params = parse(spec)
    if not params.news or "monday=" in spec:
        return spec
    return dataclasses.replace(params, monday=monday_of(now)).spec()


def parse(spec: str) -> WebParams:
    """Read `synthetic:KEY=VALUE,...`; every mistake is a sentence."""
    name, _, rest = spec.partition(":")
    if name != "synthetic":
        raise Problem(f"A synthetic web is written synthetic:KEY=VALUE,..., not {spec!r}.")
    settings: dict[str, str] = {}
    for piece in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = piece.partition("=")
        if not equals:
            raise Problem(f"{piece!r} in {spec!r} has no value: write KEY=VALUE, as in synthetic:pages=50000,seed=1.")
        if key in settings:
            raise Problem(f"{key} is given twice in {spec!r}.")
        settings[key.strip()] = value
    if settings.get("words") == ENGLISH:
        settings.setdefault("topics", str(len(TOPICS_IN_ENGLISH)))
    try:
        return build(WebParams, settings)
    except Problem as problem:
        raise Problem(f"{spec}: {problem}") from None
