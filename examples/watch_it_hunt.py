"""Hunt for a topic and print each relevant page as soon as it is safe on disk.

    python examples/watch_it_hunt.py https://example.org/ "wolf spiders" --contact me@example.org --out run

Killed at any moment and started again it goes on where it was.
"""

from __future__ import annotations

import argparse
import asyncio

import wolfspider


def heard(event: wolfspider.events.Event) -> None:
    """Every event of the crawl comes by here; most of them are of no interest to us."""
    if isinstance(event, wolfspider.events.Ended):
        print(f"over after {event.downloads} downloads: {event.reason}")


async def main() -> None:
    parser = argparse.ArgumentParser(description="Hunt for a topic.")
    parser.add_argument("url")
    parser.add_argument("topic")
    parser.add_argument("--contact", default="")
    parser.add_argument("--pages", type=int, default=100)
    parser.add_argument("--out")
    parser.add_argument("--via", default="", help="HOST:PORT of `wolfspider web serve`")
    given = vars(parser.parse_args())
    hunt = wolfspider.crawl(given.pop("url"), out=given.pop("out"), on_event=heard, **given)
    async for found in hunt:
        if found.relevant:
            print(f"{found.score:.2f} {found.url} {found.title}")


if __name__ == "__main__":
    asyncio.run(main())
