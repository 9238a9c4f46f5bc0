"""A live crawl that is recorded can be replayed; killed and resumed, it is still one recording."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.live.hunting import SECONDS, Hosts, crawl_command, go_on, hunt, run

from wolfspider.core.model import Page
from wolfspider.files.failpoints import VARIABLE
from wolfspider.web.server.serve import serve
from wolfspider.web.worlds.recording.playback import SUMMARY, read_recording
from wolfspider.web.worlds.recording.replayed import RecordedCrawl


def test_a_live_crawl_is_recorded_and_goes_on_where_it_was(tmp_path: Path) -> None:
    async def main() -> Any:
        async with serve(Hosts(3, 5)) as server:
            first = await hunt(
                server.port, "http://h0.test/", pages=8, out=tmp_path / "run", record=str(tmp_path / "rec")
            )
            assert len(read_recording(tmp_path / "rec").times) == 8
            return first, await go_on(tmp_path / "run", pages=12)

    first, then = asyncio.run(asyncio.wait_for(main(), SECONDS))
    replay = RecordedCrawl(tmp_path / "rec")
    assert len(replay.recording.times) == 12
    for url, page in (first.pages | then.pages).items():
        again = replay.look(url, replay.end).page
        assert isinstance(again, Page)
        assert (again.digest, again.final_url, again.title) == (page.digest, page.final_url, page.title)
        assert [link.url for link in again.links] == [link.url for link in page.links]
    assert replay.recording.seeds == ["http://h0.test/"]
    assert replay.states.states.shape[1] == 50
    assert replay.states.states.any()


def test_a_crawl_that_is_killed_is_one_recording_when_it_has_gone_on(
    tmp_path: Path, aside: Callable[[Any], Any]
) -> None:
    server = aside(serve(Hosts(3, 8)))
    record = tmp_path / "rec"
    words = crawl_command(server.port, tmp_path / "run", "http://h0.test/", pages=24, deadline=30, record=record)
    assert run(words, env={VARIABLE: "run-told:6"}).returncode == -signal.SIGKILL
    assert not (record / SUMMARY).exists()
    done = run(words)
    assert done.returncode == 0, done.stderr
    read = read_recording(record)
    assert 12 <= len(read.times) == len(set(read.visits)) <= 24, "only the newest may be lost"
    assert len(set(read.urls)) == len(read.urls)
    assert (record / SUMMARY).exists()
