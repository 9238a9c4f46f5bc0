"""Scrapy as its manual shows it: CrawlSpider with LinkExtractor; links and text, nothing stored.

    python scrapy_links.py CONCURRENCY SEED...

Prints one line of JSON: how many pages came, and how many characters of text they had.
"""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy.crawler import CrawlerProcess
from scrapy.http import Response
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import CrawlSpider, Rule

# Everything that costs time without being asked for is off. Redirects, the filter of duplicates and the queue in
# memory are Scrapy's own defaults.
SETTINGS = {
    "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
    "LOG_ENABLED": False,
    "LOGSTATS_INTERVAL": 0,
    "TELNETCONSOLE_ENABLED": False,
    "MEMUSAGE_ENABLED": False,
    "ROBOTSTXT_OBEY": False,
    "COOKIES_ENABLED": False,
    "HTTPCACHE_ENABLED": False,
    "AUTOTHROTTLE_ENABLED": False,
    "RETRY_ENABLED": False,
    "DOWNLOAD_DELAY": 0,
}


class Links(CrawlSpider):
    name = "links"

    def __init__(self, seeds: list[str], **options: Any) -> None:
        self.seeds = seeds
        self.allowed_domains = sorted({str(urlsplit(seed).hostname) for seed in seeds})
        servers = sorted({urlsplit(seed).netloc for seed in seeds})  # LinkExtractor compares ports too
        self.rules = (Rule(LinkExtractor(allow_domains=servers), callback="read", follow=True),)
        self.pages = self.characters = 0
        super().__init__(**options)

    async def start(self) -> AsyncIterator[Request]:
        for seed in self.seeds:
            yield Request(seed)  # by default seeds are not filtered, and fetched again when a page links to them

    def parse_start_url(self, response: Response, **_: Any) -> None:
        self.read(response)

    def read(self, response: Response) -> None:
        """The cheapest way to a page's text that Scrapy has, though scripts are in it."""
        self.pages += 1
        self.characters += len(response.xpath("string(//body)").get() or "")


def main(concurrency: int, seeds: list[str]) -> None:
    limits = {"CONCURRENT_REQUESTS": concurrency, "CONCURRENT_REQUESTS_PER_DOMAIN": concurrency}
    process = CrawlerProcess(SETTINGS | limits)
    crawler = process.create_crawler(Links)
    process.crawl(crawler, seeds=seeds)
    process.start()
    spider: Any = crawler.spider
    print(json.dumps({"pages": spider.pages, "characters": spider.characters}))


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
