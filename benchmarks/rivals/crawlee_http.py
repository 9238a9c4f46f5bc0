"""Crawlee's HttpCrawler with a handler that parses by selectolax; links and text, nothing stored.

    python crawlee_http.py CONCURRENCY SEED...

Links that were seen are not handed to its queue again. Prints one line of JSON: how many pages came, and how many
characters of text they had.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from urllib.parse import urljoin, urlsplit

from crawlee import ConcurrencySettings
from crawlee.configuration import Configuration
from crawlee.crawlers import HttpCrawler, HttpCrawlingContext
from crawlee.storage_clients import MemoryStorageClient
from seldom_garbage import search_seldom
from selectolax.lexbor import LexborHTMLParser


class Reader:
    def __init__(self, seeds: list[str]) -> None:
        self.servers = tuple(sorted({f"http://{urlsplit(seed).netloc}/" for seed in seeds}))
        self.seen = set(seeds)
        self.pages = self.characters = 0

    async def read(self, context: HttpCrawlingContext) -> None:
        body = await context.http_response.read()
        tree = LexborHTMLParser(body)
        base = context.request.loaded_url or context.request.url
        hrefs = {(node.attributes["href"] or "").partition("#")[0] for node in tree.css("a[href], area[href]")}
        found = {url for href in hrefs if (url := urljoin(base, href)).startswith(self.servers)} - self.seen
        self.seen |= found
        title = tree.css_first("title")
        tree.strip_tags(["script", "style"])
        text = tree.body.text(separator=" ") if tree.body else ""
        self.pages += 1
        self.characters += len(text)
        self.told(context, body, title.text() if title else "", text, sorted(found))
        if found:
            await context.add_requests(sorted(found))

    def told(self, context: HttpCrawlingContext, body: bytes, title: str, text: str, links: list[str]) -> None:
        """What else is done with a page."""


async def crawl(concurrency: int, reader: Reader, seeds: list[str]) -> None:
    """Its governor of concurrency is held at one figure, for on a single busy core it would turn it down."""
    crawler = HttpCrawler(
        configuration=Configuration(purge_on_start=False),
        storage_client=MemoryStorageClient(),
        concurrency_settings=ConcurrencySettings(
            min_concurrency=concurrency, desired_concurrency=concurrency, max_concurrency=concurrency
        ),
        request_handler=reader.read,
        max_request_retries=0,
        use_session_pool=False,
        retry_on_blocked=False,
        configure_logging=False,
    )
    await crawler.run(seeds)


def main(concurrency: int, reader: Reader, seeds: list[str]) -> None:
    search_seldom()
    logging.disable()
    asyncio.run(crawl(concurrency, reader, seeds))
    print(json.dumps({"pages": reader.pages, "characters": reader.characters}))


if __name__ == "__main__":
    main(int(sys.argv[1]), Reader(sys.argv[2:]), sys.argv[2:])
