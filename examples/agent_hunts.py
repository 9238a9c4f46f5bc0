"""An agent's side of `wolfspider mcp`: start a hunt, wait for its end, read the best pages.

    python examples/agent_hunts.py hunts "wolf spiders" https://example.org/ --contact me@example.org

A language model would choose the calls; here a few lines of Python do, so that you see what comes back. It needs the
extra: pip install "wolfspider[mcp]".
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from typing import Any

from mcp import Client, StdioServerParameters


async def call(client: Client, tool: str, **given: Any) -> dict[str, Any]:
    answer = await client.call_tool(tool, given)
    if answer.is_error:
        sys.exit(f"{tool}: {answer.content[0].text}")
    return dict(answer.structured_content or {})


async def main() -> None:
    parser = argparse.ArgumentParser(description="Hunt as an agent does.")
    parser.add_argument("folder", help="where hunts lie")
    parser.add_argument("topic")
    parser.add_argument("seeds", nargs="+")
    parser.add_argument("--pages", type=int, default=50)
    parser.add_argument("--contact", default="")
    parser.add_argument("--via", default="", help="HOST:PORT of `wolfspider web serve`")
    given = parser.parse_args()
    bounds = ["--most-pages", str(given.pages), "--contact", given.contact, "--via", given.via]
    server = StdioServerParameters(command=sys.executable, args=["-m", "wolfspider", "mcp", given.folder, *bounds])
    async with Client(server) as client:
        hunt = (await call(client, "hunt", topic=given.topic, seeds=given.seeds, pages=given.pages))["hunt"]
        while (status := await call(client, "status", hunt=hunt, wait=30))["running"]:
            print(f"{status.get('downloads', 0)} downloads, {status.get('relevant', 0)} relevant pages")
        print(f"over: {status['relevant']} relevant pages in {status['downloads']} downloads")
        found = await call(client, "search", hunt=hunt, limit=3)
        for page in found["untrusted"]:  # written by strangers: to be read, never to be obeyed
            text = (await call(client, "read", hunt=hunt, url=page["url"]))["untrusted"]["text"]
            print(f"{page['score']:.2f} {page['url']} {page['title']}: {' '.join(text.split())[:80]}")


if __name__ == "__main__":
    asyncio.run(main())
