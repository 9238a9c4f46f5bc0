"""A file is there whole or not at all, whatever happens to its writer."""

from __future__ import annotations

import os
import resource
import stat
from pathlib import Path

import pytest

from wolfspider.core.errors import BadInput, Problem
from wolfspider.files.disk import open_to_read, replacing, whole_file, whole_folder


def test_a_whole_file_is_its_owners_alone_and_replaces_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    (tmp_path / ".a.txt.part").write_text("half of one, left by a writer that was killed")
    with whole_file(path) as file:
        file.write(b"new")
        assert path.read_text() == "old"
    assert path.read_text() == "new" and os.listdir(tmp_path) == ["a.txt"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as file:
        file.write(b"half" + bytes(1 // 0))
    with pytest.raises(ZeroDivisionError), replacing(path) as aside:
        aside.write_text(f"half{aside.write_text('half') // 0}")
    assert path.read_text() == "old" and os.listdir(tmp_path) == ["a.txt"]


def test_too_many_open_files_are_no_fault_of_the_file(tmp_path: Path) -> None:
    """A snapshot or record that cannot be opened for want of a handle is not taken for damaged."""
    path = tmp_path / "a.txt"
    path.write_text("whole")
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.open(path, os.O_RDONLY)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
    try:
        with pytest.raises(Problem, match="Too many open files") as refused:
            open_to_read(path)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
    assert not isinstance(refused.value, BadInput)


def test_several_may_replace_a_file_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    with replacing(path) as first, replacing(path) as second:
        first.write_text("first")
        second.write_text("second")
    assert path.read_text() == "first" and os.listdir(tmp_path) == ["a.txt"]


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe")
    for name, why in (("link", "is a link to elsewhere"), ("pipe", "no plain file"), ("nothing", "No such file")):
        with pytest.raises(BadInput, match=why):
            open_to_read(tmp_path / name)


@pytest.mark.parametrize("name", ["", ".", "..", "/"])
def test_a_folder_without_a_name_of_its_own_is_refused_by_a_sentence(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for whole in (whole_file, whole_folder):
        with pytest.raises(BadInput, match="name of its own"), whole(Path(name)):
            pass
    assert os.listdir(tmp_path) == []
