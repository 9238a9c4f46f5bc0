"""A run to export, with pages that are hostile to every format."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import wolfspider
from small_web import PAGES, SPIDERS, SmallWeb, page
from wolfspider.web.server.serve import serve

HOSTILE = "../../etc/passwd <script>alert(1)</script> ![x](http://evil.test/y) ]]> & CON \0"
WEB = SmallWeb(
    {
        **PAGES,
        "http://a.test/good": page("Good", SPIDERS, "/deep", "/", "/hostile"),
        "http://a.test/hostile": page(
            HOSTILE.replace("<", "&lt;"),
            f"{SPIDERS} ![x](http://evil.test/y) &lt;script&gt; [a]: http://evil.test",
            head='<meta name="tdm-reservation" content="1"><link rel="canonical" href="http://a.test/h">',
        ),
    },
    {"http://a.test/old": "http://a.test/good"},
)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formats") / "run"

    async def crawl() -> None:
        async with serve(WEB) as served:
            settings: dict[str, Any] = {
                "topic": "wolf spiders",
                "delay": 0.0,
                "adapt": 0.0,
                "tries": 1,
                "disk_floor": 0,
            }
            hunt = wolfspider.crawl("http://a.test/", out=folder, via=f"127.0.0.1:{served.port}", **settings)
            await asyncio.wait_for(hunt.run(), 60)

    asyncio.run(crawl())
    return folder
