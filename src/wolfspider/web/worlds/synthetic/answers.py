"""What one address says at one time, redirects not followed: the value the parts of a synthetic web hand each other."""

from __future__ import annotations

from email.utils import formatdate
from typing import NamedTuple

from wolfspider.core.model import Failure

HTML = "text/html; charset=utf-8"


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
