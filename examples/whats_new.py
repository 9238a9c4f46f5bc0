"""What is new about a topic since the last time: to be run once an hour, say, by cron.

    python examples/whats_new.py run https://example.org/news --topic "harbour, ferries" --contact me@example.org

The first call begins a run; each later one goes on with it for some more downloads. Only relevant pages that the run
did not have before are printed, a line of JSON each, for whatever sends your messages.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from pathlib import Path

import wolfspider


async def main() -> None:
    parser = argparse.ArgumentParser(description="What is new about a topic since the last time.")
    parser.add_argument("run")
    parser.add_argument("url")
    parser.add_argument("--topic", required=True)
    parser.add_argument("--more", type=int, default=100, help="downloads of each call")
    parser.add_argument("--contact", default="")
    parser.add_argument("--via", default="", help="HOST:PORT of `wolfspider web serve`")
    given = parser.parse_args()
    run = Path(given.run)
    spent = run.with_name(f"{run.name}.spent")  # a file beside the run: downloads so far
    budget = (int(spent.read_text()) if spent.exists() else 0) + given.more
    if spent.exists():
        hunt = wolfspider.resume(run, pages=budget)
    else:
        asked = {"topic": given.topic, "contact": given.contact, "via": given.via}
        hunt = wolfspider.crawl(given.url, out=run, pages=budget, **asked)
    async for found in hunt:
        if found.relevant:
            print(json.dumps({"title": found.title, "url": found.url, "score": round(found.score, 2)}))
    spent.write_text(str(budget))


if __name__ == "__main__":
    asyncio.run(main())
