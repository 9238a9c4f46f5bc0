"""What a news site publishes, and when.

The rate of new articles follows the day and the week: 1400 a day on weekdays, 700 on others (or in that proportion as
many as the web's `articles` says), with a peak at 22 h GMT. Its integral is known in closed form hour by hour, so
article i has its time by inversion, t_i = L^-1(i + u_i): in order, and without simulating what came before. A week of
articles lies behind the beginning of a crawl, 18 days (or as many as `days` says) before its end.

Every third article continues a story, mostly a recent one, and with it stays in its section. One new story in a
hundred is breaking news: for six hours its section gets twice its share, and the additional articles continue that
story.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, field
from itertools import accumulate

from wolfspider.web.worlds.synthetic.counter import key_for, mix, unit

HOUR, DAY = 3600.0, 86400.0
DAYS_BEFORE, DAYS = 7, 18
SECTIONS, SUBSECTIONS = 20, 10
LISTS = SECTIONS * SUBSECTIONS
ARTICLES = 1200  # a day, on the mean of a week
_WEEKDAY, _WEEKEND, _SWING, _PEAK = 1400.0, 700.0, 0.6, 22
_CONTINUES, _FARTHEST, _STORY_POWER = 0.35, 400, 0.2  # Zipf 1.2
_BREAKING, _BREAKS_FOR = 0.01, 6 * HOUR
_NOISE = 0.20
_FADES = 6 * HOUR
_REVISED_EVERY, _REVISED_LATER, _MOST_REVISIONS = 12 * HOUR, 7 * DAY, 50


class Rhythm:
    """The expected number of articles up to a time, and its inverse. Times in seconds from a Monday, 0 h GMT."""

    def __init__(self, articles: int = ARTICLES) -> None:
        self.hourly = [self._rate(hour) * articles / ARTICLES for hour in range(7 * 24)]
        self.sums = list(accumulate(self.hourly, initial=0.0))

    @staticmethod
    def _rate(hour: int) -> float:
        daily = _WEEKDAY if hour // 24 < 5 else _WEEKEND
        return daily / 24 * (1 + _SWING * math.cos(2 * math.pi * (hour % 24 - _PEAK) / 24))

    def expected(self, time: float) -> float:
        weeks, rest = divmod(time / HOUR, len(self.hourly))
        hour = int(rest)
        return weeks * self.sums[-1] + self.sums[hour] + (rest - hour) * self.hourly[hour]

    def when(self, number: float) -> float:
        weeks, rest = divmod(number, self.sums[-1])
        hour = min(bisect_right(self.sums, rest), len(self.hourly)) - 1
        return (weeks * len(self.hourly) + hour + (rest - self.sums[hour]) / self.hourly[hour]) * HOUR


@dataclass(slots=True)
class NewsArchive:
    """All articles of the run: some 31,000. Everything by number of article, oldest first."""

    times: list[float] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)  # the sub-section, 0..199; its section is lists[i] % 20
    topics: list[int] = field(default_factory=list)
    stories: list[int] = field(default_factory=list)  # the article that began it
    ranks: list[float] = field(default_factory=list)  # the higher the more prominent, at any time
    by_list: list[list[int]] = field(default_factory=lambda: [[] for _ in range(LISTS)])
    by_section: list[list[int]] = field(default_factory=lambda: [[] for _ in range(SECTIONS)])
    by_story: dict[int, list[int]] = field(default_factory=dict)

    def count(self, now: float) -> int:
        """Articles published at a time."""
        return bisect_right(self.times, now)


class Newsroom:
    def __init__(self, seed: int, topics: int, epoch: float, articles: int = ARTICLES, days: int = DAYS) -> None:
        self.topics = topics
        self.origin = epoch - DAYS_BEFORE * DAY
        self.end = epoch + days * DAY
        self.rhythm = Rhythm(articles)
        self._key, self._revision_key, main = (key_for(seed, name) for name in ("articles", "revisions", "main topics"))
        self.main_topics = [mix(main + number) % topics for number in range(LISTS)]
        edges = [(rank + 1) ** 0.2 for rank in range(LISTS + 1)]  # Zipf 0.8 in closed form
        self._shares = [(edges[rank + 1] - edges[rank]) / (edges[-1] - 1) for rank in range(LISTS)]

    def publish(self) -> NewsArchive:
        """Work through the whole run once."""
        archive = NewsArchive()
        breaking: deque[int] = deque()
        section_shares = [sum(self._shares[section::SECTIONS]) for section in range(SECTIONS)]
        for number in range(int(self.rhythm.expected(self.end - self.origin))):
            root = mix(self._key + number)
            time = self.origin + self.rhythm.when(number + unit(root))
            while breaking and archive.times[breaking[0]] < time - _BREAKS_FOR:
                breaking.popleft()
            before = self._continued(root, number)
            if before is None:
                joined = (
                    b
                    for turn, b in enumerate(breaking)
                    if unit(mix(root + 16 + turn)) < section_shares[archive.lists[b] % SECTIONS]
                )
                before = next(joined, None)
            self._file(archive, root, number, time, before)
            if before is None and unit(mix(root + 5)) < _BREAKING:
                breaking.append(number)
        return archive

    def _continued(self, root: int, number: int) -> int | None:
        """The earlier article whose story this one continues."""
        if unit(mix(root + 1)) >= _CONTINUES:
            return None
        u = unit(mix(root + 2))
        back = math.ceil((u * ((_FARTHEST + 1) ** -_STORY_POWER - 1) + 1) ** (-1 / _STORY_POWER))
        return number - back if back <= number else None

    def _file(self, archive: NewsArchive, root: int, number: int, time: float, before: int | None) -> None:
        if before is None:
            list_ = min(int((unit(mix(root + 3)) * ((LISTS + 1) ** 0.2 - 1) + 1) ** 5), LISTS) - 1
            bits = mix(root + 4)
            topic = self.main_topics[list_] if unit(bits) >= _NOISE else (bits & 0x7FF) * self.topics >> 11
            story = number
        else:
            list_, topic, story = archive.lists[before], archive.topics[before], archive.stories[before]
        archive.times.append(time)
        archive.lists.append(list_)
        archive.topics.append(topic)
        archive.stories.append(story)
        archive.ranks.append(math.log(1.0 - unit(mix(root + 6))) + time / _FADES)
        archive.by_list[list_].append(number)
        archive.by_section[list_ % SECTIONS].append(number)
        archive.by_story.setdefault(story, []).append(number)

    def revisions(self, number: int, age: float) -> list[float]:
        """Ages at which an article was revised, up to this age: twice on the first day on average, weekly later."""
        root = mix(self._revision_key + number)
        hazard, ages = 0.0, []
        for turn in range(_MOST_REVISIONS):
            hazard -= math.log(1.0 - unit(mix(root + turn)))
            first_day = DAY / _REVISED_EVERY
            when = hazard * _REVISED_EVERY if hazard < first_day else DAY + (hazard - first_day) * _REVISED_LATER
            if when > age:
                break
            ages.append(when)
        return ages
