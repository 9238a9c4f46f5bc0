"""Reports handed to a service of the person's own, each until it says that it has it.

A report waits in the book until the service answers with a status of 200 to 299. It is tried again after a while that
doubles, up to an hour; what has waited for a week is given up, which is told, and `watch --webhook` tries it once more
when it is started again. That a report is tried is written down before it is sent. So nothing is lost, and what may
have been sent before says so: it has the same `Idempotency-Key` and a higher `X-Wolfspider-Attempt`.

With a secret, requests are signed: `X-Wolfspider-Signature` is `sha256=` and the HMAC, in hexadecimal digits, of the
time in `X-Wolfspider-Timestamp`, a full stop and the body. The address of the service may be a secret itself, so
neither is kept in the run: they are given each time, best by the environment. A watch that had a service and is started
without one goes on to put reports by for it, says so, and sends them when it has it again; `--webhook none` ends that.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import string
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import quote

from wolfspider.core.errors import Problem
from wolfspider.core.failures import in_words
from wolfspider.core.model import Failure, host_of
from wolfspider.watch.book import Book, Report
from wolfspider.web.http.client import Client
from wolfspider.web.http.guard import Guard
from wolfspider.web.seeds.sources import address

FIRST_REST, LONGEST_REST = 10.0, 3600.0  # seconds before another try
PATIENCE = 7 * 86_400.0  # seconds after which a report is given up
# What a service answers that will not take this one report, however often it is asked; others may pass.
REFUSED = frozenset(f"status {status}" for status in (400, 406, 411, 413, 414, 415, 422, 431))
REFUSALS = 3
DEADLINE = 30.0  # seconds for an answer
AT_ONCE = 20  # reports that are sent before the watch looks at other things
FORMS = ("json", "slack")
NONE = "none"  # in place of an address: there is no service any more
_NO_SIGNS = str.maketrans("", "", "<>|")  # these end the address of a link, as spaces do


class Hook(NamedTuple):
    """A service, and how it is spoken to."""

    url: str
    secret: str = ""
    form: str = "json"

    @classmethod
    def read(cls, url: str, secret: str = "", form: str = "json") -> Hook:
        if form not in FORMS:
            raise Problem(f"--webhook-as is {' or '.join(FORMS)}, not {form!r:.40}.")
        return cls(url.lower() if url.lower() in ("", NONE) else address(url), secret, form)

    @property
    def service(self) -> bool:
        """Is there one to hand reports to?"""
        return self.url not in ("", NONE)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    return "sha256=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()


def body_of(report: Report, form: str) -> bytes:
    if form == "json":
        return json.dumps(report.told()).encode()
    mark = {"new": "", "changed": "Changed: ", "alert": "Alarm: "}[report.kind]
    title = _for_slack(report.data.get("title") or report.url)
    url = quote(report.url, safe=string.punctuation.translate(_NO_SIGNS)).replace("&", "&amp;")
    return json.dumps({"text": f"{mark}<{url}|{title}>" if report.kind != "alert" else mark + title}).encode()


def _for_slack(text: str) -> str:
    """Text that cannot become a link or a call of a person."""
    return "".join(" " if sign in "<>|\n" else "&amp;" if sign == "&" else sign for sign in text)


def put_by(book: Book, hook: Hook | None, first: bool = True) -> str:
    """From now on reports wait to be sent, or do not; what a person should hear of that. `first`: was the watch started
    just now? Then a service has its full time again to take what waits."""
    url = hook.url if hook is not None else ""
    with book.writing():
        if url == NONE:
            book.execute("DELETE FROM outbox")
        ((waiting,),) = book.rows("SELECT COUNT(*) FROM outbox WHERE state = 'waits'")
        if first and url:
            book.execute("UPDATE outbox SET since = NULL, next = 0 WHERE state = 'waits'")
        sends = url != NONE and bool(url or waiting or book.remembered("webhook") == "1")
        book.remember("webhook", str(int(sends)))
    book.sends = sends
    if url or not sends or not first:
        return ""
    reports = "1 report waits" if waiting == 1 else f"{waiting:,} reports wait"
    return (
        f"{reports} for the webhook, and so will what is found now: give --webhook again to have them sent, or "
        f"--webhook {NONE} if there is none any more."
    )


class Outbox:
    """To be made and closed inside a running loop."""

    def __init__(self, book: Book, hook: Hook, agent: str, clock: Callable[[], float] = time.time) -> None:
        self._book, self._hook, self._clock = book, hook, clock
        guard = Guard(allow_private=True, named=[host_of(hook.url)])  # the person named it
        self._client = Client(guard, agent)
        with book.writing():
            book.execute("UPDATE outbox SET state = 'waits', next = 0, since = NULL WHERE state = 'given up'")

    async def close(self) -> None:
        await self._client.close()

    async def send(self) -> list[str]:
        """Send what is due, the oldest first; what went wrong, in sentences. If the service is in trouble, all wait."""
        remarks: list[str] = []
        sql = "SELECT number, tries FROM outbox WHERE state = 'waits' AND next <= ? ORDER BY number LIMIT ?"
        async with self._book.in_use:
            (rests,) = self._book.rows("SELECT MAX(next) FROM outbox WHERE state = 'waits' AND since IS NOT NULL")[0]
            due = [] if rests is not None and rests > self._clock() else self._book.rows(sql, self._clock(), AT_ONCE)
        for number, tries in due:
            async with self._book.in_use:
                report = next(iter(self._book.reports(number - 1, 1)))
                with self._book.writing():
                    self._book.execute("UPDATE outbox SET tries = tries + 1 WHERE number = ?", number)
            problem = await self._sent(report, tries + 1)
            async with self._book.in_use:
                with self._book.writing():
                    if not problem:
                        self._book.execute("DELETE FROM outbox WHERE number = ?", number)
                        self._book.execute("UPDATE outbox SET since = NULL WHERE since IS NOT NULL")  # it is back
                    elif problem in REFUSED:
                        remarks += self._refused(number, tries + 1, problem)
                    else:
                        remarks += self._failed(problem)
            if problem and problem not in REFUSED:
                break
        return remarks

    async def _sent(self, report: Report, attempt: int) -> str:
        """Why it could not be handed over; "" if it was."""
        body, timestamp = body_of(report, self._hook.form), str(int(self._clock()))
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": report.id,
            "X-Wolfspider-Attempt": str(attempt),
            "X-Wolfspider-Timestamp": timestamp,
        }
        if self._hook.secret:
            headers["X-Wolfspider-Signature"] = signature(self._hook.secret, timestamp, body)
        status = await self._client.post(self._hook.url, body, headers, DEADLINE)
        if isinstance(status, Failure):
            return in_words(status)
        return "" if 200 <= status < 300 else f"status {status}"

    def _refused(self, number: int, tries: int, problem: str) -> list[str]:
        """The service will not have this one; it holds up no other."""
        state = "given up" if tries >= REFUSALS else "waits"
        self._book.execute(
            "UPDATE outbox SET next = ?, problem = ?, state = ? WHERE number = ?",
            *(self._clock() + FIRST_REST * 2**tries, problem[:300], state, number),
        )
        if state == "waits":
            return []
        return [f"Report {number} for the webhook was refused {tries} times ({problem}) and is given up."]

    def _failed(self, problem: str) -> list[str]:
        """The service is in trouble: all that waits rests, and as long again as the trouble has lasted."""
        now = self._clock()
        self._book.execute("UPDATE outbox SET since = IFNULL(since, ?) WHERE state = 'waits'", now)
        waiting, began = self._book.rows("SELECT COUNT(*), MIN(since) FROM outbox WHERE state = 'waits'")[0]
        rest = min(FIRST_REST + now - began, LONGEST_REST)
        self._book.execute("UPDATE outbox SET next = ?, problem = ? WHERE state = 'waits'", now + rest, problem[:300])
        too_long = "state = 'waits' AND ? - since > ?"
        sql = f"SELECT COUNT(*), MIN(number), MAX(number) FROM outbox WHERE {too_long}"  # noqa: S608
        count, first, last = self._book.rows(sql, now, PATIENCE)[0]
        if count:
            self._book.execute(f"UPDATE outbox SET state = 'given up' WHERE {too_long}", now, PATIENCE)  # noqa: S608
            which, are = (f"Report {first}", "is") if count == 1 else (f"{count:,} reports, {first} to {last},", "are")
            return [f"{which} for the webhook could not be handed over for a week ({problem}) and {are} given up."]
        told = f"The webhook does not take reports ({problem}): {waiting:,} wait, tried again in {rest:.0f} s."
        return [told] * (now == began or rest == LONGEST_REST)
