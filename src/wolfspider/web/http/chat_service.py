"""One question to a chat service that speaks as OpenAI's does (POST .../chat/completions), and its answer as a text.

The person named the service, so it may lie in a private network; nothing else is asked for through this guard, and no
redirect is followed. Answers are bounded in bytes and time. What goes wrong is a value, with how long to wait. The key
goes into one header of the request, and nowhere else.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from wolfspider.core.model import host_of
from wolfspider.core.plain_text import plainly
from wolfspider.web.http.client import failure_of
from wolfspider.web.http.guard import Guard
from wolfspider.web.http.http_library import aiohttp

DEADLINE = 60.0  # seconds for a question and its answer
MOST_BYTES = 1_000_000  # of an answer
LONGEST_WAIT = 600.0  # seconds, whatever the service asks for
_ENDPOINT = "/chat/completions"
_CHUNK = 1 << 16
_LASTING = (401, 402, 403, 404, 405, 410)  # asking again will not help
_FORM = (400, 422)  # it may not know a parameter
_HINTS = {
    401: " Is the key right? It is read from WOLFSPIDER_TEACHER_KEY.",
    402: " It wants to be paid first.",
    403: " Is the key right? It is read from WOLFSPIDER_TEACHER_KEY.",
    404: " Is the address right, and the name of the model (--teacher-model)?",
    429: " It is asked too often.",
}
_CAUSES = {  # by the kind of a failure
    "dns": ". Is its address (--teacher) right?",
    "connect": ". Does it run, and are its address and port (--teacher) right?",
    "tls": ". Is it asked by https (--teacher), and does it speak that?",
}


class ChatReply(NamedTuple):
    content: str  # what the model says
    tokens: int | None  # that the service counted, question and answer together


class ChatTrouble(NamedTuple):
    """Why there is no answer."""

    sentence: str
    wait: float = 0.0  # seconds that the service wants to be left alone
    lasting: bool = False  # asking again will not help
    counts: bool = True  # may the question have cost something?


def endpoint(url: str) -> str:
    """The address that questions go to, of the address of a service."""
    base = url.partition("?")[0].rstrip("/")
    return base if base.endswith(_ENDPOINT) else base + _ENDPOINT


class ChatService:
    """To be made and closed inside a running loop."""

    def __init__(self, url: str, model: str, key: str, agent: str, deadline: float = DEADLINE) -> None:
        self._url, self._model, self._deadline = endpoint(url), model, deadline
        self._guard = Guard(allow_private=True, named=[host_of(url)])
        self._form = 0  # which of the forms of a question the service understands
        headers = {"User-Agent": agent, "Accept": "application/json", "Accept-Encoding": "identity"}
        self._secret = {"Authorization": f"Bearer {key}"} if key else {}
        self._session = aiohttp.ClientSession(
            headers=headers,
            connector=self._guard.connector(2),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def ask(self, system: str, question: str, most_tokens: int) -> ChatReply | ChatTrouble:
        """Never raises for anything that a service can do. A service that does not know a parameter is asked again
        without it."""
        if refused := self._guard.refuses(self._url):
            return ChatTrouble(f"{self._url} may not be asked: {refused.detail}.", lasting=True, counts=False)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": question}]
        forms = _forms({"messages": messages} | ({"model": self._model} if self._model else {}), most_tokens)
        while True:
            status, answer = await self._post(forms[self._form])
            if status not in _FORM or self._form + 1 >= len(forms):
                return answer
            self._form += 1

    async def _post(self, body: Mapping[str, Any]) -> tuple[int, ChatReply | ChatTrouble]:
        try:
            async with (
                asyncio.timeout(self._deadline),
                self._session.post(self._url, json=body, headers=self._secret, allow_redirects=False) as response,
            ):
                if response.status != 200:
                    return response.status, _refused(response.status, response.headers.get("Retry-After", ""))
                if response.headers.get("Content-Encoding", "identity").lower() != "identity":
                    return 0, ChatTrouble("its answer is packed, though that was not asked for")
                return 200, _read(await _content(response))
        except TimeoutError:
            return 0, ChatTrouble(f"no answer within {self._deadline:g} s")
        except (aiohttp.ClientError, OSError, ValueError) as error:
            failure = failure_of(error)
            counts = failure.kind not in ("dns", "connect", "tls", "blocked")
            return 0, ChatTrouble(failure.detail + _CAUSES.get(failure.kind, ""), counts=counts)


def _forms(question: dict[str, Any], most: int) -> list[dict[str, Any]]:
    """From what most services understand to what the others do."""
    return [
        {**question, "max_tokens": most, "temperature": 0, "response_format": {"type": "json_object"}},
        {**question, "max_tokens": most},
        {**question, "max_completion_tokens": most},
    ]


async def _content(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    while len(content) <= MOST_BYTES and (chunk := await response.content.read(_CHUNK)):
        content += chunk
    return bytes(content)


def _refused(status: int, retry_after: str) -> ChatTrouble:
    wait = min(float(retry_after), LONGEST_WAIT) if retry_after.isdecimal() and len(retry_after) < 10 else 0.0
    sentence = f"it answers with {status}.{_HINTS.get(status, '')}"
    return ChatTrouble(sentence, wait, status in _LASTING or 300 <= status < 400, counts=False)


def _read(body: bytes) -> ChatReply | ChatTrouble:
    """Of all that an answer holds, the text of its first choice, and the tokens."""
    if len(body) > MOST_BYTES:
        return ChatTrouble(f"its answer has more than {MOST_BYTES:,} bytes")
    try:
        answer: Any = json.loads(body)
        content: Any = answer["choices"][0]["message"]["content"]
    except (ValueError, RecursionError, LookupError, TypeError):
        return ChatTrouble("its answer is not what such a service gives")
    if not isinstance(content, str):
        return ChatTrouble("its answer has no text")
    usage = answer.get("usage")
    tokens = usage.get("total_tokens") if isinstance(usage, dict) else None
    return ChatReply(content, tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None)


def told(service: str, trouble: ChatTrouble) -> str:
    """A sentence for people."""
    end = "" if trouble.sentence.endswith((".", "?")) else "."
    return plainly(f"The teacher {service} gives no answer: {trouble.sentence}{end}")
