"""A site with every trap that sites set without meaning to: a crawl of it shows what they cost.

6,000 honest articles, a quarter of them about gardens, and a list of them in pages. Around them: a calendar without
end, session ids in half of all links, a shop whose filters can be combined in any way, a mirror of all articles on
another host, twins (http and https, with www and without), a page that answers for everything that is not there, and
a link that leads one folder deeper each time. The traps speak of gardens too. On wish there is a tarpit as well: pages
without end that have nothing in common but that they speak of nothing, with links that promise gardens. The same look
always gives the same answer.
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import SplitResult, urlsplit

from wolfspider.core.model import Fetch
from wolfspider.core.randomness import generator
from wolfspider.core.topic import Task, Topic
from wolfspider.web.worlds.world import Servable

HOST, MIRROR = "www.garden.test", "mirror.garden.test"
HOSTS = (HOST, "garden.test", MIRROR)
ARTICLES, LISTED = 6_000, 25
TOPIC = ("rose", "tulip", "hedge", "lawn", "compost", "soil", "prune", "seedling", "bulb", "trellis", "mulch", "shrub")
OTHERS = ("engine", "bridge", "ledger", "harbour", "violin", "planet", "sailor", "copper", "market", "winter", "letter")
FILTERS = {"color": 6, "size": 5, "sort": 4, "shade": 7, "view": 9}
SECONDS = 0.2
_ARTICLE = re.compile(r"/articles/[a-z]+-[a-z]+-(\d+)")
_LIST = re.compile(r"/articles/list/(\d+)")
_CALENDAR = re.compile(r"/calendar/(\d+)/(\d+)/(\d+)")


class TrapSite(Servable):
    """Served, or looked at in a simulation."""

    name = "trap-site"
    start = 1_700_000_000.0

    def __init__(self, seed: int = 1, pit: bool = False) -> None:
        self.seed, self.pit = seed, pit
        self.path_of = lru_cache(ARTICLES)(self._path_of)

    def owns(self, host: str) -> bool:
        return host in HOSTS

    @property
    def settled(self) -> float:
        return self.start

    def task(self) -> Task:
        relevant = frozenset(f"http://{HOST}{self.path_of(number)}" for number in range(0, ARTICLES, 4))
        return Task(Topic(tuple(TOPIC[:4]), "how to tend a garden"), (f"http://{HOST}/",), relevant)

    def honest(self, url: str) -> str | None:
        """What an honest page is, however its address is spelled; None for what is part of a trap."""
        parts = urlsplit(url)
        if parts.netloc == MIRROR:
            return None
        if (article := _ARTICLE.fullmatch(parts.path)) and int(article[1]) < ARTICLES:
            return f"article {int(article[1])}"
        listed = _LIST.fullmatch(parts.path)
        if listed and int(listed[1]) < ARTICLES // LISTED:
            return f"list {int(listed[1])}"
        return parts.path if parts.path in ("/", "/shop", "/guide/") and not parts.query else None

    def look(self, url: str, now: float) -> Fetch:
        body = self._page(urlsplit(url)).encode()
        return Fetch(url, url, 200, {"content-type": "text/html; charset=utf-8"}, body, seconds=SECONDS, at=now)

    def _page(self, parts: SplitResult) -> str:
        path, query = parts.path, parts.query
        if (article := _ARTICLE.fullmatch(path)) and int(article[1]) < ARTICLES:
            return self._article(int(article[1]), query)
        if (listed := _LIST.fullmatch(path)) and int(listed[1]) < ARTICLES // LISTED:
            return self._list(int(listed[1]))
        if month := _CALENDAR.fullmatch(path):
            return self._calendar(*map(int, month.groups()))
        if path == "/shop":
            return self._shop(query)
        if path.startswith("/guide/") and not path.removeprefix("/guide/").replace("more/", ""):
            return _document("Guide", self._words("guide", 120, 0.5), [("more/", "more on lawns")])
        if self.pit and path.startswith("/pit/"):
            return self._babble(path)
        if path == "/":
            return _document("Garden", self._words("home", 40, 0.2), self._menu())
        return _document("Not found", self._words("lost", 60, 0.3), [("/", "home")])

    def _article(self, number: int, query: str) -> str:
        rng = generator(self.seed, "links", number)
        share = 0.5 if number % 4 == 0 else 0.05
        near = [(number + step) % ARTICLES for step in (4, 8, 1)]  # of the same subject, and the next one
        links = [(self.path_of(to), self._title(to)) for to in (*near, *(rng.randrange(ARTICLES) for _ in range(7)))]
        mark = f"?visit={generator(self.seed, 'visit', number, query).getrandbits(48):012x}"
        links = [(f"{path}{mark}" if place % 2 else path, title) for place, (path, title) in enumerate(links)]
        links.append((f"https://garden.test{self.path_of(near[0])}", self._title(near[0])))
        links.append((f"http://{MIRROR}{self.path_of(near[1])}", self._title(near[1])))
        links.append(
            (f"/old/{rng.choice(TOPIC)}/{rng.choice(TOPIC)}-{rng.choice(OTHERS)}", f"more on {rng.choice(TOPIC)}")
        )
        if self.pit:
            links.append((f"/pit/{rng.choice(OTHERS)}/{number}", f"stories of the {rng.choice(TOPIC)}"))
        return _document(self._title(number), self._words(f"article {number}", 200, share), [*self._menu(), *links])

    def _list(self, page: int) -> str:
        listed = range(page * LISTED, (page + 1) * LISTED)
        links = [(self.path_of(number), self._title(number)) for number in listed]
        links.append((f"/articles/list/{(page + 1) % (ARTICLES // LISTED)}", "next"))
        return _document(f"Articles, page {page}", self._words(f"list {page}", 20, 0.2), [*self._menu(), *links])

    def _calendar(self, year: int, month: int, day: int) -> str:
        around = [
            (year, month, day % 28 + 1),
            (year, month % 12 + 1, day),
            (year + 1, month, day),
            (year - 1, month, day),
        ]
        links = [(f"/calendar/{y}/{m}/{d}", f"garden days {d} {m} {y}") for y, m, d in around]
        words = self._words("calendar", 150, 0.5)
        return _document("Garden calendar", f"{year} {month} {day} {words}", links)

    def _shop(self, query: str) -> str:
        chosen = dict(pair.partition("=")[::2] for pair in query.split("&") if "=" in pair)
        links = []
        for name, count in FILTERS.items():
            for value in range(count if name != "view" else 3):
                wanted = chosen | {name: str(value if name != "view" else int(chosen.get("view", "0")) % 1000 + value)}
                links.append(
                    ("/shop?" + "&".join(f"{k}={v}" for k, v in sorted(wanted.items())), f"{name} {value} roses")
                )
        return _document("Garden shop", f"{' '.join(chosen.values())} {self._words('shop', 180, 0.5)}", links)

    def _babble(self, path: str) -> str:
        rng = generator(self.seed, "pit", path)
        names = [f"{rng.choice(OTHERS)}/{rng.choice(OTHERS)}-{rng.randrange(1_000_000)}" for _ in range(8)]
        links = [(f"/pit/{name}", f"{rng.choice(TOPIC)} {rng.choice(TOPIC)}") for name in names]
        return _document(" ".join(rng.choices(OTHERS, k=4)), self._words(path, 600, 0), links)

    def _menu(self) -> list[tuple[str, str]]:
        return [
            ("/", "home"),
            ("/articles/list/0", "articles"),
            ("/calendar/2026/11/16", "garden calendar"),
            ("/shop", "garden shop"),
            ("/guide/", "guide"),
        ]

    def _path_of(self, number: int) -> str:
        rng = generator(self.seed, "slug", number)
        return f"/articles/{rng.choice(TOPIC if number % 4 == 0 else OTHERS)}-{rng.choice(OTHERS)}-{number}"

    def _title(self, number: int) -> str:
        words = TOPIC if number % 4 == 0 else OTHERS
        return " ".join(generator(self.seed, "title", number).choices(words, k=4))

    def _words(self, what: str, count: int, share: float) -> str:
        """Words for this, of which a share is of the topic."""
        rng = generator(self.seed, "words", what)
        return " ".join(
            rng.choice(TOPIC) if rng.random() < share else f"{rng.choice(OTHERS)}{rng.randrange(60)}"
            for _ in range(count)
        )


def _document(title: str, text: str, links: list[tuple[str, str]]) -> str:
    listed = "".join(f'<li><a href="{href}">{anchor}</a></li>' for href, anchor in links)
    return f"<!doctype html><title>{title}</title><body><h1>{title}</h1><p>{text}</p><ul>{listed}</ul>"
