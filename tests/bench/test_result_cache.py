from __future__ import annotations

from pathlib import Path

import pytest

from wolfspider.bench.run.result_cache import ResultCache, digest_of, write_whole
from wolfspider.core.errors import BadInput


def test_what_is_kept_comes_back_and_damage_is_nothing(tmp_path: Path) -> None:
    store = ResultCache(tmp_path / "cells")
    assert store.get("a") is None
    store.put("a", {"found": [[1, 2]]})
    assert store.get("a") == {"found": [[1, 2]]}
    assert [path.name for path in store.folder.iterdir()] == ["a.json"] if store.folder else False
    for damage in ("", '{"found": [', "[1]", "\x00"):
        (tmp_path / "cells" / "a.json").write_text(damage)
        assert store.get("a") is None


def test_without_a_folder_nothing_is_kept() -> None:
    store = ResultCache(None)
    store.prepare()
    store.put("a", {})
    assert store.get("a") is None


def test_what_cannot_be_written_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"Cannot write .*out\.json"):
        write_whole(tmp_path / "file" / "out.json", "")
    with pytest.raises(BadInput, match="Cannot write to"):
        ResultCache(tmp_path / "file" / "cells").prepare()


def test_digests_do_not_mind_the_order_of_keys() -> None:
    assert digest_of({"a": 1, "b": [2, "\ud800"]}) == digest_of({"b": [2, "\ud800"], "a": 1})
    assert digest_of([1, 2]) != digest_of([2, 1])


def test_what_is_no_file_is_not_replaced_by_one(tmp_path: Path) -> None:
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    write_whole(link, "text")
    assert link.is_symlink() and not link.is_file()
    assert ResultCache.beside(link).folder is None and ResultCache.beside(None).folder is None
    assert ResultCache.beside(tmp_path / "out.json").folder == tmp_path / "out.json.cells"
