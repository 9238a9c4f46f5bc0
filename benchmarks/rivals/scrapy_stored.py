"""The tuned Scrapy spider, which also stores and scores its pages as wolfspider does, and takes the best links first.

python scrapy_stored.py CONCURRENCY FOLDER TOPIC SEED...
"""

from __future__ import annotations

import sys
from pathlib import Path

from keeping import Keeper
from scrapy.http import Response
from scrapy_tuned import Tuned, crawl


class Stored(Tuned):
    name = "stored"
    keeper: Keeper

    def told(self, response: Response, title: str, text: str, links: list[str]) -> int:
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in _pairs(response)]
        score = self.keeper.keep(response.url, response.status, headers, response.body, title, text, links)
        return round(1000 * score)


def _pairs(response: Response) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, values in response.headers.items() for value in values]


if __name__ == "__main__":
    Stored.keeper = Keeper(Path(sys.argv[2]), sys.argv[3])
    crawl(Stored, int(sys.argv[1]), sys.argv[4:])
    Stored.keeper.close()
