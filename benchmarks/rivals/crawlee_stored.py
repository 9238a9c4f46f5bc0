"""Crawlee's HttpCrawler, which also stores and scores its pages as wolfspider does; its queue knows no order by score.

python crawlee_stored.py CONCURRENCY FOLDER TOPIC SEED...
"""

from __future__ import annotations

import sys
from pathlib import Path

from crawlee.crawlers import HttpCrawlingContext
from crawlee_http import Reader, main
from keeping import Keeper


class Storing(Reader):
    def __init__(self, seeds: list[str], keeper: Keeper) -> None:
        super().__init__(seeds)
        self.keeper = keeper

    def told(self, context: HttpCrawlingContext, body: bytes, title: str, text: str, links: list[str]) -> None:
        answer = context.http_response
        self.keeper.keep(context.request.url, answer.status_code, answer.headers.items(), body, title, text, links)


if __name__ == "__main__":
    keeper = Keeper(Path(sys.argv[2]), sys.argv[3])
    main(int(sys.argv[1]), Storing(sys.argv[4:], keeper), sys.argv[4:])
    keeper.close()
