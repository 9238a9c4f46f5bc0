"""Scrapy as somebody would write it who wants it fast: parsed by selectolax, everything dispensable taken out.

    python scrapy_tuned.py CONCURRENCY SEED...

Links that the spider has seen never become a Request, so that no fingerprint is computed for them. Prints one line of
JSON: how many pages came, and how many characters of text they had.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import urljoin, urlsplit

from scrapy import Request, Spider
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from seldom_garbage import search_seldom
from selectolax.lexbor import LexborHTMLParser

SETTINGS = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "LOG_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "TELNETCONSOLE_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "HTTPPROXY_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_ENABLED": False,
    "REDIRECT_ENABLED": False,
    "METAREFRESH_ENABLED": False,
    "REFERER_ENABLED": False,
    "DEPTH_STATS_VERBOSE": False,
    "DOWNLOAD_DELAY": 0,
    "DOWNLOADER_STATS": False,
    "SPIDER_MIDDLEWARES_BASE": {},
    "EXTENSIONS_BASE": {},
}


class Tuned(Spider):
    name = "tuned"

    def __init__(self, seeds: list[str], **options: Any) -> None:
        super().__init__(**options)
        self.seeds = seeds
        self.servers = tuple(sorted({f"http://{urlsplit(seed).netloc}/" for seed in seeds}))
        self.seen = set(seeds)
        self.pages = self.characters = 0

    async def start(self) -> AsyncIterator[Request]:
        for seed in self.seeds:
            yield Request(seed, dont_filter=True)

    def parse(self, response: Response) -> Iterator[Request]:
        tree = LexborHTMLParser(response.body)
        base = response.url
        links = []
        for href in {(node.attributes["href"] or "").partition("#")[0] for node in tree.css("a[href], area[href]")}:
            url = urljoin(base, href)
            if url.startswith(self.servers) and url not in self.seen:
                self.seen.add(url)
                links.append(url)
        title = tree.css_first("title")
        tree.strip_tags(["script", "style"])
        text = tree.body.text(separator=" ") if tree.body else ""
        self.pages += 1
        self.characters += len(text)
        priority = self.told(response, title.text() if title else "", text, links)
        for url in links:
            yield Request(url, dont_filter=True, priority=priority)

    def told(self, response: Response, title: str, text: str, links: list[str]) -> int:
        """What else is done with a page; the priority of its links."""
        return 0


def crawl(kind: type[Tuned], concurrency: int, seeds: list[str]) -> None:
    search_seldom()
    limits = {"CONCURRENT_REQUESTS": concurrency, "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency}
    process = CrawlerProcess(SETTINGS | limits)
    crawler = process.create_crawler(kind)
    process.crawl(crawler, seeds=seeds)
    process.start()
    spider: Any = crawler.spider
    print(json.dumps({"pages": spider.pages, "characters": spider.characters}))


if __name__ == "__main__":
    crawl(Tuned, int(sys.argv[1]), sys.argv[2:])
