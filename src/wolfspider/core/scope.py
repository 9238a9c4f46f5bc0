"""The scope of a crawl: rules that say which addresses belong to it.

A rule names a host, the beginning of an address, or a pattern with `*`.

    example.org              that host and those below it, at any port unless it names one
    example.org/news         addresses that begin so, http or https
    *.example.org/*?print=*  `*` stands for anything

A pattern without a slash (`*.example.org`, `*.pdf`) may match the host alone, or the whole address.

The last rule that matches an address decides. Patterns are matched in linear time, whatever they are: rules come from
people, addresses from strangers. An address or a host that a person asked the run to forget is out of scope for good,
whatever the rules say.

A page's author has a say as well. A page may ask robots to follow none of its links (`nofollow` or `none` in a meta tag
or in the header X-Robots-Tag), and a single link may be marked as one that the author does not vouch for
(`rel="nofollow"`, `"ugc"` or `"sponsored"`). `Nofollow` says which of these wishes a crawl obeys. All pages of a crawl
pass through `Scope.cut`, wherever they come from: the network, the archive of the run, a recorded web.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from itertools import compress
from operator import attrgetter
from typing import Any, NamedTuple

from wolfspider.core.errors import Problem
from wolfspider.core.model import Failure, Link, Page, host_of, with_links

REMEMBERED = 100_000  # addresses whose answer is kept
LONGEST = 500  # characters of an address that is remembered: few have more, and they take memory
UNENDORSED = frozenset(("nofollow", "ugc", "sponsored"))  # words of `rel`: the author does not vouch for the target
FORGOTTEN = Failure("excluded", "forgotten")  # what becomes of an address that the run was asked to forget
_url, _rel = attrgetter("url"), attrgetter("rel")


class Nofollow(StrEnum):
    """Which wishes of a page's author a crawl obeys."""

    OBEY = "obey"  # what the page asks of robots, and the marks of single links
    PAGES = "pages"  # what the page asks of robots; marks of single links are no reason not to follow them
    IGNORE = "ignore"

    def links(self, page: Page) -> tuple[Link, ...]:
        """The links of a page that may be followed."""
        if self is Nofollow.IGNORE:
            return page.links
        if "nofollow" in page.robots:
            return ()
        if self is Nofollow.PAGES or not any(map(_rel, page.links)):
            return page.links
        return tuple(link for link in page.links if not link.rel or UNENDORSED.isdisjoint(link.rel.split()))


class Rule(NamedTuple):
    text: str

    @classmethod
    def read(cls, text: str) -> Rule:
        bare = text.strip().split("://", 1)[-1]
        if not bare or len(bare) > 2000:
            raise Problem(f"A rule is a host, the beginning of an address or a pattern with *, not {text[:80]!r}.")
        host, slash, rest = bare.partition("/")
        return cls(host.lower() + slash + rest)

    def matches(self, url: str) -> bool:
        bare = _bare(url)
        if "*" in self.text:
            parts = self.text.split("*")
            return _matches_pattern(parts, bare) or ("/" not in self.text and _matches_pattern(parts, self._host(bare)))
        if "/" in self.text:
            return bare.startswith(self.text)
        host = self._host(bare)
        return host == self.text or host.endswith("." + self.text)

    @property
    def names_hosts(self) -> bool:
        """Does it mind nothing but the host of an address?"""
        return "*" not in self.text and "/" not in self.text

    def _host(self, bare: str) -> str:
        """The host of an address, with its port if the rule names one."""
        host = bare.split("/", 1)[0]
        return host if ":" in self.text else host.split(":", 1)[0]


def _bare(url: str) -> str:
    return url.split("://", 1)[-1]


def _matches_pattern(parts: list[str], text: str) -> bool:
    first, *middle, last = parts
    if not text.startswith(first):
        return False
    end = len(first)  # of what is matched
    for part in middle:
        start = text.find(part, end)
        if start < 0:
            return False
        end = start + len(part)
    return len(text) - len(last) >= end and text.endswith(last)


class Scope:
    """The rules in force. `within` narrows a crawl from the start, as a bench does to the hosts of its web."""

    def __init__(
        self,
        include: tuple[str, ...] = (),
        exclude: tuple[str, ...] = (),
        within: Callable[[str], bool] | None = None,
        nofollow: Nofollow = Nofollow.OBEY,
    ) -> None:
        self.within, self.nofollow = within, nofollow
        self.forgotten: frozenset[str] = frozenset()  # addresses and hosts
        self.open = not include
        self.rules = [(True, Rule.read(text)) for text in include] + [(False, Rule.read(text)) for text in exclude]
        self._given = tuple(self.rules)
        self._work_out_anew()

    def _work_out_anew(self) -> None:
        """Because the rules are others now, or more answers are remembered than may be."""
        self._known: dict[str, bool] = {}  # pages of a site show the same links again and again
        self._hosts: dict[str, bool] | None = {} if all(rule.names_hosts for _, rule in self.rules) else None

    def allows(self, url: str) -> bool:
        known = self._known.get(url)
        return self._found_out(url) if known is None else known

    def _found_out(self, url: str) -> bool:
        """The same for an address that nobody asked for lately."""
        if len(self._known) >= REMEMBERED or (self._hosts is not None and len(self._hosts) >= REMEMBERED):
            self._work_out_anew()
        forgotten = self.forgotten and self.forgot(url)
        known = not forgotten and (self.within is None or self.within(url)) and self._ruled(url)
        if len(url) <= LONGEST:
            self._known[url] = known
        return known

    def forgot(self, url: str) -> bool:
        """Was the run asked to forget this address, or its host?"""
        return bool(self.forgotten) and (url in self.forgotten or host_of(url) in self.forgotten)

    def refusal(self, url: str) -> Failure:
        """What becomes of a visit to an address that is not allowed."""
        return FORGOTTEN if self.forgot(url) else Failure("excluded", "out of the crawl's scope")

    def _ruled(self, url: str) -> bool:
        """What the rules say of an address. Where they mind hosts alone, that holds for all addresses of its host."""
        if self._hosts is None:
            return self._last_match(url)
        host = url.split("://", 1)[-1].partition("/")[0]
        known = self._hosts.get(host)
        if known is None:
            known = self._hosts[host] = self._last_match(url)
        return known

    def _last_match(self, url: str) -> bool:
        return next((allowed for allowed, rule in reversed(self.rules) if rule.matches(url)), self.open)

    def of_files(self) -> Scope:
        """The same rules for what pages need beside their text: images, styles, scripts."""
        made = Scope(nofollow=self.nofollow)
        made.open, made.rules, made.forgotten = self.open, list(self.rules), self.forgotten
        made._work_out_anew()
        return made

    def cut(self, page: Page) -> Page:
        """A page without the links that the crawl does not follow."""
        links = self.nofollow.links(page)
        urls = list(map(_url, links))
        allowed = list(map(self._known.get, urls))
        if None in allowed:
            asked = zip(urls, allowed, strict=True)
            allowed = [self.allows(url) if known is None else known for url, known in asked]
        kept = links if all(allowed) else tuple(compress(links, allowed))
        return page if len(kept) == len(page.links) else with_links(page, kept)

    @property
    def narrowed(self) -> bool:
        """Has a person excluded something since the crawl began, and not taken it back?"""
        return any(not allowed and (allowed, rule) not in self._given for allowed, rule in self.rules)

    def forget(self, names: frozenset[str]) -> None:
        """What the run was asked to forget, once it is known: addresses and hosts."""
        self.forgotten = names
        self._work_out_anew()

    def exclude(self, rule: Rule) -> None:
        self.rules.append((False, rule))
        self._work_out_anew()

    def include(self, rule: Rule) -> None:
        """Take an exclusion back; a rule that was never excluded becomes an exception to those that were."""
        if (False, rule) in self.rules:
            self.rules = [kept for kept in self.rules if kept != (False, rule)]
        else:
            self.rules.append((True, rule))
        self._work_out_anew()

    def state(self) -> dict[str, Any]:
        return {"open": self.open, "rules": [[allowed, rule.text] for allowed, rule in self.rules]}

    def restore(self, state: Mapping[str, Any]) -> None:
        self.open = bool(state["open"])
        self.rules = [(bool(allowed), Rule(text)) for allowed, text in state["rules"]]
        self._work_out_anew()
