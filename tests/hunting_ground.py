"""A web in plain English, to be looked at: some hosts write of wolf spiders, most of other things, and links mostly
stay within a subject. What is where follows from the seed alone. Some pages are gone, and robots.txt forbids a folder.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from wolfspider.core.model import Fetch
from wolfspider.web.worlds.world import Servable

TOPIC = "wolf spiders, lycosidae, burrow, hunting, egg sac"
SEED = "http://garden-notes.test/"
_HTML = {"content-type": "text/html; charset=utf-8"}
_SUBJECTS: Mapping[str, tuple[Sequence[str], Sequence[str], str]] = {  # hosts; of what; what is said of it
    "spiders": (
        ("arachnology.test", "field-guide.test", "museum-of-legs.test", "ground-hunters.test", "naturalist-diary.test"),
        (
            "Wolf spiders",
            "Lycosidae",
            "The burrow of a wolf spider",
            "Hunting by night",
            "The egg sac",
            "Spiderlings on her back",
        ),
        (
            "Wolf spiders (Lycosidae) are hunting spiders that live on the ground or in a burrow. The wolf spider sees "
            "well, runs fast and carries the egg sac at her spinnerets; the spiderlings ride on her back. Most "
            "wolf spiders are hunting at night, and a light shows their eyes. "
        ),
    ),
    "gardens": (
        ("garden-notes.test", "hedge-and-meadow.test", "compost-club.test", "city-beds.test"),
        ("Beds in spring", "A hedge for birds", "Compost", "Who lives in the meadow", "Mulch and leaves", "Watering"),
        (
            "A garden with leaves and old wood is full of life: beetles, birds, and now and then a "
            "spider on the ground. "
            "Leave the leaves, water in the morning, and let a corner of the meadow stand until spring. "
        ),
    ),
    "bread": (
        ("slow-dough.test", "oven-letters.test", "rye-and-salt.test", "bakers-table.test"),
        ("A loaf with rye", "Dough overnight", "The oven", "Salt", "Rolls for Sunday", "Starter"),
        "Bread is flour, water, salt and time. The dough rests overnight, is folded twice, and goes into a hot oven. ",
    ),
    "trains": (
        ("night-train.test", "branch-lines.test", "signal-box.test", "platform-nine.test"),
        ("The night train", "A branch line", "Signals", "Sleepers and rails", "Timetables", "The last steam engine"),
        (
            "The line climbs through the valley, past signals and small stations. The train leaves "
            "at night and arrives at dawn. "
        ),
    ),
    "sky": (
        ("small-telescopes.test", "dark-sky.test", "comet-log.test"),
        ("Comets", "A first telescope", "The winter sky", "Saturn", "Meteors in August", "Star maps"),
        (
            "On a clear night a small telescope shows the moons of Jupiter and the rings of Saturn. Let your eyes "
            "get used to the dark. "
        ),
    ),
}
_TURNS = (
    "notes",
    "a guide",
    "questions and answers",
    "observations",
    "an essay",
    "a walk",
    "letters",
    "in detail",
    "for beginners",
)
_NEAR = {"spiders": "gardens", "gardens": "spiders", "bread": "gardens", "trains": "sky", "sky": "trains"}


class HuntingGround(Servable):
    """`each`: pages of a host."""

    name, start = "hunting ground", 1.7e9

    def __init__(self, each: int = 45, seed: int = 1) -> None:
        self._each, self._seed = each, seed
        self._hosts = {host: subject for subject, (hosts, _, _) in _SUBJECTS.items() for host in hosts}
        self._of = {subject: hosts for subject, (hosts, _, _) in _SUBJECTS.items()}

    def look(self, url: str, now: float) -> Fetch:
        host, _, path = url.partition("://")[2].partition("/")
        if path == "robots.txt":
            return Fetch(url, url, 200, {"content-type": "text/plain"}, b"User-agent: *\nDisallow: /private/\n", at=now)
        number = int(path) if path.isdecimal() else 0 if not path else -1
        if host not in self._hosts or not 0 <= number < self._each or (number and number % 17 == 0):
            return Fetch(url, url, 404, {"content-type": "text/plain"}, b"gone", at=now)
        return Fetch(url, url, 200, _HTML, self._page(host, number).encode(), at=now)

    def _page(self, host: str, number: int) -> str:
        rng, subject = random.Random(f"{self._seed} {host} {number}"), self._subject(host, number)
        _, things, text = _SUBJECTS[subject]
        title = (
            f"{rng.choice(things)}: {rng.choice(_TURNS)}"
            if number
            else host.removesuffix(".test").replace("-", " ").title()
        )
        said = text * rng.randrange(2, 6)
        if subject == "gardens" and rng.random() < 0.15:
            said += _SUBJECTS["spiders"][2]
        links = [self._link(rng, subject, host) for _ in range(rng.randrange(6, 14))]
        links += ["/private/attic"] if rng.random() < 0.05 else []
        shown = "".join(f'<li><a href="{to}">{words}</a></li>' for to, words in (self._named(rng, to) for to in links))
        return f"<title>{title}</title><body><h1>{title}</h1><p>{said}</p><ul>{shown}</ul></body>"

    def _subject(self, host: str, number: int) -> str:
        """Hosts write of their own subject mostly."""
        rng = random.Random(f"{self._seed} subject {host} {number}")
        return self._hosts[host] if not number or rng.random() < 0.6 else rng.choice([*_SUBJECTS])

    def _link(self, rng: random.Random, subject: str, host: str) -> str:
        draw = rng.random()
        if draw < 0.4:
            return f"http://{host}/{rng.randrange(self._each)}"
        other = subject if draw < 0.6 else _NEAR[subject] if draw < 0.75 else rng.choice([*_SUBJECTS])
        return f"http://{rng.choice(self._of[other])}/{rng.choice(['', str(rng.randrange(self._each))])}"

    def _named(self, rng: random.Random, to: str) -> tuple[str, str]:
        """What a link is called: what its page is about, as a rule."""
        host, _, path = to.partition("://")[2].partition("/")
        if host not in self._hosts or rng.random() < 0.3:
            return to, rng.choice(("more", "next", "see also", "an older page"))
        return to, rng.choice(_SUBJECTS[self._subject(host, int(path or 0))][1])
