"""A chat service on loopback that speaks OpenAI's protocol, and does what a test tells it.

service = aside(ChatServer())          # says yes to pages about spiders
service = aside(ChatServer(reply))     # reply(number, question) gives the text of the answer, or bytes of HTTP
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Self

from tests.web.loopback import Loopback, http

Reply = Callable[[int, dict[str, Any]], str | bytes | float]


def on_topic(number: int, question: dict[str, Any]) -> str:
    good = "spider" in question["page"]["text"]
    return json.dumps({"relevant": good, "reason": f"it is{'' if good else ' not'} about spiders"})


def completion(content: object, tokens: object = 400) -> bytes:
    body = {"choices": [{"message": {"role": "assistant", "content": content}}], "usage": {"total_tokens": tokens}}
    return http(json.dumps(body).encode(), Content_Type="application/json")


class ChatServer:
    def __init__(self, reply: Reply = on_topic) -> None:
        self.reply = reply
        self.heads: list[str] = []
        self.bodies: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self._server = Loopback(self._serve)

    async def __aenter__(self) -> Self:
        await self._server.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._server.__aexit__(*error)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.port}/v1"

    @property
    def questions(self) -> list[dict[str, Any]]:
        return [json.loads(body["messages"][1]["content"]) for body in self.bodies]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            length = int(head.lower().partition("content-length:")[2].split("\r\n")[0])
            body = await reader.readexactly(length)
            self.heads.append(head)
            self.raw.append(body)
            self.bodies.append(json.loads(body))
            said = self.reply(len(self.bodies), self.questions[-1])
            if isinstance(said, float):  # it takes its time
                await asyncio.sleep(said)
                said = on_topic(0, self.questions[-1])
            writer.write(said if isinstance(said, bytes) else completion(said))
            await writer.drain()
