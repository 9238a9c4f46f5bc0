"""Rows that only grow: a file torn anywhere still gives all that was whole, and never more than it holds."""

from __future__ import annotations

import gzip
import random
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from wolfspider.core.errors import BadInput, Problem
from wolfspider.web.worlds.recording import tape
from wolfspider.web.worlds.recording.tape import Reel, Tape


def rows_of(path: Path) -> list[Any]:
    return [row for rows in Reel(path).rows() for row in rows]


def end_of(path: Path) -> int:
    reel = Reel(path)
    for _ in reel.rows():
        pass
    return reel.end


def written(path: Path, pieces: int, rows: int = 5) -> list[Any]:
    """Pieces of rows; all rows."""
    whole = Tape(path, 0)
    made = [[piece, row, "x" * row, [1.5, None]] for piece in range(pieces) for row in range(rows)]
    for number, row in enumerate(made):
        whole.write(row)
        if number % rows == rows - 1:
            whole.flush()
    whole.close()
    return made


def test_what_is_written_is_read(tmp_path: Path) -> None:
    made = written(tmp_path / "rows.gz", 7)
    assert rows_of(tmp_path / "rows.gz") == made
    assert len(gzip.decompress((tmp_path / "rows.gz").read_bytes()).splitlines()) == len(made)


def test_a_file_torn_at_any_byte_gives_its_whole_pieces_and_can_be_continued(tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    made = written(path, 3)
    data = path.read_bytes()
    for cut in range(len(data)):
        path.write_bytes(data[:cut])
        found = rows_of(path)
        assert found == made[: len(found)]
        assert len(found) % 5 == 0
        assert (cut < len(data) / 4) <= (len(found) < 10)
    path.write_bytes(data[:-3])
    again = Tape(path, end_of(path))
    again.write(["more"])
    again.close()
    assert rows_of(path) == [*made[:10], ["more"]]


def test_zeros_behind_the_end_are_what_a_dead_machine_left(tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    made = written(path, 2)
    end = path.stat().st_size
    with path.open("ab") as file:
        file.write(bytes(1 << 20))
    assert rows_of(path) == made
    assert end_of(path) == end


def test_damage_is_said_wherever_it_is(tmp_path: Path) -> None:
    path = tmp_path / "rows.gz"
    made = written(path, 3)
    data = path.read_bytes()
    for place in range(0, len(data), 3):
        path.write_bytes(data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :])
        try:
            found = rows_of(path)
        except BadInput:
            continue
        assert (
            found == made[: len(found)]
        )  # a byte of a head that says nothing, or one that makes the last piece endless


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no gzip at all", "is no gzip"),
        (gzip.compress(b"[1]\n{]\n"), "no JSON"),
        (gzip.compress(b"[" * 100_000 + b"\n"), "no JSON|grows"),
        (gzip.compress(b"[1]\n[2]"), "a line that is cut"),
        (gzip.compress(b"[1]\n" * 5_000_000), "grows out of all bounds"),
        (gzip.compress(b"[1]\n" * 200_000, 0), "more rows in one piece"),
        (gzip.compress(b"[" + b"[]," * 400_000 + b"0]\n", 0), "a line without an end"),
        (gzip.compress(random.Random(1).randbytes(1 << 25).replace(b"\n", b" "), 0), "a line without an end"),
        (gzip.compress(b"\xff\xfe\n"), "no JSON"),
    ],
    ids=range(9),  # the bytes of a gzip tell the time, so they are no names
)
def test_hostile_files_are_refused_in_bounds(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "rows.gz").write_bytes(content)
    with pytest.raises(BadInput, match=says):
        rows_of(tmp_path / "rows.gz")


def test_a_small_file_of_many_empty_rows_takes_little_memory(tmp_path: Path) -> None:
    """What a stranger's file can make of the reader: it grows nearly as much as it may."""
    noise = b'["' + random.Random(1).randbytes(40_000).hex().encode() + b'"]\n'
    content = gzip.compress(noise + b"[[],[],[],[]]\n" * 300_000)
    assert len(content) < 130_000
    (tmp_path / "rows.gz").write_bytes(content)
    tracemalloc.start()
    with pytest.raises(BadInput, match="more rows in one piece"):
        rows_of(tmp_path / "rows.gz")
    assert tracemalloc.get_traced_memory()[1] < 40_000_000
    tracemalloc.stop()


def test_the_fullest_piece_that_is_written_is_read(tmp_path: Path) -> None:
    whole = Tape(tmp_path / "rows.gz", 0)
    made: list[Any] = [[]] * (tape.PIECE // 2 - 1) + [["x" * (tape.LONGEST_LINE - 5)]]
    for row in made:
        whole.write(row)
    whole.close()
    assert rows_of(tmp_path / "rows.gz") == made
    with pytest.raises(Problem, match="cannot take a row"):
        Tape(tmp_path / "rows.gz", 0).write(["x" * tape.LONGEST_LINE])


def test_rows_wait_for_a_piece_and_no_longer_than_patience(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "rows.gz"
    whole = Tape(path, 0)
    whole.write(["x" * 100])
    assert path.stat().st_size == 0
    whole.write(["x" * tape.PIECE])
    assert len(rows_of(path)) == 2
    monkeypatch.setattr(tape, "PATIENCE", -1.0)
    whole.write([1])
    assert len(rows_of(path)) == 3
    whole.close()


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="cannot be written"):
        Tape(tmp_path, 0)
    with pytest.raises(BadInput, match="cannot be read"):
        rows_of(tmp_path / "none.gz")


def test_rows_that_shrink_to_nothing_can_be_read(tmp_path: Path) -> None:
    whole = Tape(tmp_path / "rows.gz", 0)
    row = ["p", [7] * 200_000]
    whole.write(row)
    whole.close()
    assert rows_of(tmp_path / "rows.gz") == [row]
