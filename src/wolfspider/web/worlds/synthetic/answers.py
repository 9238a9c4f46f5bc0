"""What one address of a synthetic web answers at one time, redirects not followed, and what goes wrong on the way.

Trouble is slow hosts, failures that pass and hosts that often fail. Failures depend on the page and on which ten
minutes it is, so that asking again later helps.
"""

from __future__ import annotations

import math
from email.utils import formatdate
from typing import NamedTuple

from wolfspider.core.model import Failure
from wolfspider.web.worlds.synthetic.counter import key_for, mix, unit
from wolfspider.web.worlds.synthetic.web_params import WebParams
from wolfspider.web.worlds.synthetic.words import normal

HTML = "text/html; charset=utf-8"
TIMEOUT = 30.0
_BYTES_PER_SECOND = 1e6
_MEDIAN, _SIGMA = 0.3, 0.8
_PARETO, _SLOWEST = 1.5, 50.0
_TRANSIENT, _FAILING_HOSTS, _FAILS = 0.01, 0.02, 0.5
_SPELL = 600.0
_WITH_ROBOTS = 0.05


class PageAnswer(NamedTuple):
    status: int
    type: str = HTML
    body: bytes = b""
    location: str = ""
    modified: float | None = None
    failure: Failure | None = None
    seconds: float = 0.0
    url: str = ""  # the canonical address, where the one asked for may be another spelling

    def headers(self) -> dict[str, str]:
        if not self.status:
            return {}
        headers = {"content-type": self.type, "content-length": str(len(self.body))}
        if self.modified is not None:
            headers["last-modified"] = formatdate(self.modified, usegmt=True)
        if self.location:
            headers["location"] = self.location
        return headers


NOT_FOUND = PageAnswer(404, body=b"<html><head><title>404</title></head><body><p>Not found.</p></body></html>")


class Trouble:
    def __init__(self, params: WebParams) -> None:
        self.on = params.mischief
        self._latency_key, self._slow_key, self._failure_key, self._failing_key, self._robots_key = (
            key_for(params.seed, name) for name in ("latency", "slow hosts", "failures", "failing hosts", "robots")
        )

    def seconds(self, host: int | None, entity: int, size: int) -> float:
        """How long an answer takes: latency, and bytes at 1 MB/s. Without a host: as of a well-run one."""
        if not self.on:
            return _MEDIAN + size / _BYTES_PER_SECOND
        luck = 0.0 if host is None else unit(mix(self._slow_key + host))
        factor = min(_SLOWEST, math.pow(1.0 - luck, -1.0 / _PARETO))
        return _MEDIAN * math.exp(_SIGMA * normal(mix(self._latency_key + entity))) * factor + size / _BYTES_PER_SECOND

    def failing(self, host: int | None) -> bool:
        return self.on and host is not None and unit(mix(self._failing_key + host)) < _FAILING_HOSTS

    def failure(self, host: int | None, entity: int, now: float) -> Failure | None:
        if not self.on:
            return None
        bits = mix(mix(self._failure_key + entity) + int(now // _SPELL))
        if unit(bits) >= (_FAILS if self.failing(host) else _TRANSIENT):
            return None
        return Failure("timeout", f"no answer within {TIMEOUT:g} s") if bits & 1 else Failure("status", "503")

    def forbidden(self, host: int, sections: int) -> int:
        """The section that robots.txt closes, 0 for none."""
        bits = mix(self._robots_key + host)
        return 1 + (bits & 0x7FF) % sections if self.on and sections and unit(bits) < _WITH_ROBOTS else 0
