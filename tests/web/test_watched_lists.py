"""Lists that a watch looks at: which addresses they are asked for at."""

from __future__ import annotations

import asyncio

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.web.seeds.watched_lists import WatchedLists
from wolfspider.web.worlds.world import Request, WebWithout

FEED = b'<rss version="2.0"><channel><item><link>http://a.test/new</link></item></channel></rss>'


class OneFeed:
    """Every address has the same feed, where the crawl allows it to be asked for."""

    async def fetch(self, request: Request) -> Fetch:
        if not request.allows(request.url):
            return Fetch(request.url, request.url, failure=Failure("excluded", "out of the crawl's scope"))
        return Fetch(request.url, request.url, 200, {"content-type": "application/rss+xml"}, FEED)


def test_a_list_may_lie_out_of_scope_but_not_where_the_run_forgot_it() -> None:
    web = WebWithout(OneFeed(), lambda url: "//gone.test/" in url)
    lists = WatchedLists(lambda: web, lambda url: url.startswith("http://a.test/"))
    told = asyncio.run(lists.ask("feed:http://b.test/rss", 0.0))
    assert isinstance(told, Page) and [link.url for link in told.links] == ["http://a.test/new"]
    assert asyncio.run(lists.ask("feed:http://gone.test/rss", 0.0)) == Failure("excluded", "out of the crawl's scope")
