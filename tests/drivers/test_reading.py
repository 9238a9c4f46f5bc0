"""However many answers are there to be read, a deadline is kept."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter

from wolfspider.core.model import Failure, Fetch, Page
from wolfspider.drivers.reading import IN_ONE_GO, ReadHere
from wolfspider.web.page.taming import LARGE

HTML = {"content-type": "text/html"}


def fetched(number: int, size: int = 0) -> Fetch:
    url = f"http://a.test/{number}"
    body = f"<title>{number}</title><p>{'spiders ' * (size // 8)}</p>"
    return Fetch(url, url, 200, HTML, body.encode())


def test_a_deadline_is_late_by_two_pages_at_most_however_many_are_to_be_read() -> None:
    late: list[str] = []  # pages that were read between the deadline and its being kept

    async def main() -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + 0.2

        def takes_a_while(fetch: Fetch) -> Page | Failure:
            if loop.time() >= end:
                late.append(fetch.url)
            time.sleep(0.02)
            return Failure("empty")

        async def keeps_its_deadline() -> int:
            try:
                async with asyncio.timeout_at(end):
                    await asyncio.Event().wait()
            except TimeoutError:
                return len(late)
            raise AssertionError

        read = ReadHere(takes_a_while)
        waiting = asyncio.create_task(keeps_its_deadline())
        await asyncio.gather(*(read(fetched(number)) for number in range(60)), waiting)
        assert len(late) > 10 and waiting.result() <= 2

    asyncio.run(asyncio.wait_for(main(), 60))


def test_small_pages_that_are_there_together_are_read_in_one_go_for_a_bounded_time() -> None:
    now, passes = 0.0, 0
    read_in: list[int] = []  # for each page, in which pass of the loop it was read

    def takes_a_third(fetch: Fetch) -> Page | Failure:
        nonlocal now
        now += IN_ONE_GO / 3
        read_in.append(passes)
        return Failure("empty")

    async def main() -> None:
        nonlocal passes
        read = ReadHere(takes_a_third, lambda: now)
        reading = asyncio.gather(*(read(fetched(number)) for number in range(10)))
        while not reading.done():
            passes += 1
            await asyncio.sleep(0)

    asyncio.run(asyncio.wait_for(main(), 60))
    assert sorted(Counter(read_in).values()) == [1, 3, 3, 3]


def test_a_large_page_is_read_beside_the_loop_and_all_give_what_they_are() -> None:
    readers: dict[str, threading.Thread] = {}

    class Noticing(dict[str, str]):
        """Headers that notice who reads them."""

        def __init__(self, url: str) -> None:
            super().__init__(HTML)
            self.url = url

        def get(self, name: str, default: str = "") -> str:  # type: ignore[override]
            readers[self.url] = threading.current_thread()
            return super().get(name, default)

    async def main() -> list[Page | Failure]:
        read = ReadHere()
        fetches = [fetched(number, LARGE if number % 2 else 100) for number in range(6)]
        return await asyncio.gather(
            *(read(Fetch(one.url, one.url, 200, Noticing(one.url), one.body)) for one in fetches)
        )

    pages = asyncio.run(asyncio.wait_for(main(), 60))
    assert [page.title for page in pages if isinstance(page, Page)] == [str(number) for number in range(6)]
    aside = {url for url, reader in readers.items() if reader is not threading.main_thread()}
    assert aside == {f"http://a.test/{number}" for number in (1, 3, 5)}
