from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from wolfspider.core.errors import BadInput, Problem
from wolfspider.core.model import Page
from wolfspider.core.text import counts, words
from wolfspider.learn.arrays import packed, unpacked
from wolfspider.learn.page_states import MAPPINGS, KeptStates, StateModel, open_states, states_from, train_states

THEMES = ("wolf den pack howl prey", "bread oven flour yeast crust", "sail mast harbour tide anchor")
ENGLISH = "The government of the city said that music, science and the history of the river are important to people."


def page(text: str, digest: str = "") -> Page:
    return Page("http://a.org/", "http://a.org/", words=tuple(words(text)), digest=digest)


def background() -> Iterator[Page]:
    """Pages of three themes, all of them full of the same two words."""
    for number in range(30):
        theme = THEMES[number % 3].split()
        text = ["the of"] * 20 + [word for place, word in enumerate(theme) if (number + place) % 4] * 3
        yield page(" ".join(text))


@pytest.fixture(scope="module")
def model() -> StateModel:
    return train_states(background(), k=3)


def test_a_model_knows_its_themes_and_sets_aside_what_all_pages_share(model: StateModel) -> None:
    assert model.size == 3 and len(model.words) == 16 and model.stop == ("of",)
    states = np.array([model.of(page(theme)) for theme in THEMES])
    assert sorted(states.argmax(axis=1).tolist()) == [0, 1, 2]
    assert (states.max(axis=1) > 0.9).all()


def test_the_faithful_map_is_the_printed_one(model: StateModel) -> None:
    text = page("wolf den bread the")
    posteriors = model.posteriors(counts(text))
    assert posteriors.shape == (4,) and posteriors.sum() == pytest.approx(1, abs=1e-5)
    wanted = np.tanh(40 * (posteriors[:3] - 0.5))
    assert model.mapped("faithful").of(text) == pytest.approx(wanted, abs=1e-4)


def test_one_page_in_five_of_the_background_lies_above_a_threshold(model: StateModel) -> None:
    posteriors = np.array([model.posteriors(counts(each))[:-1] for each in background()])
    assert model.thresholds == pytest.approx(np.percentile(posteriors, 80, axis=0), abs=1e-5)


def test_a_page_of_unknown_words_is_as_near_to_every_cluster(model: StateModel) -> None:
    for text in ("", "of", "zygote quasar"):
        assert model.posteriors(counts(page(text))).tolist() == pytest.approx([0.25] * 4)
        assert (model.mapped("faithful").of(page(text)) < -0.99).all()


@given(st.lists(st.sampled_from(" ".join([*THEMES, "the of unknown"]).split()), max_size=40))
def test_states_are_bounded_and_of_one_shape(model: StateModel, text: list[str]) -> None:
    for mapping in MAPPINGS:
        state = model.mapped(mapping).of(page(" ".join(text)))
        assert state.shape == (model.size,) and state.dtype == np.float32
        assert (np.abs(state) <= 1).all()


def test_known_words_are_tallied(model: StateModel) -> None:
    tally = model.tally(page("the of wolf den nobody knows"))
    assert (tally.words, tally.stopped, tally.known) == (6, 1, 3)
    assert model.tally(page("of wolf nobody knows")).share == 0.5
    assert model.tally(page("")).share == 0.0


def test_the_same_pages_give_the_same_bytes_and_the_bytes_the_same_model(model: StateModel) -> None:
    blob = model.to_bytes()
    assert train_states(background(), k=3).to_bytes() == blob
    again = StateModel.from_bytes(blob)
    assert again.to_bytes() == blob
    for each in background():
        assert again.of(each).tolist() == model.of(each).tolist()


@pytest.mark.parametrize("option", ["tfidf", "scaled", "pooled"])
def test_every_way_to_train_finds_the_themes(option: str) -> None:
    trained = train_states(background(), 3, **{option: True})  # type: ignore[arg-type]
    states = np.array([trained.of(page(theme)) for theme in THEMES])
    assert sorted(states.argmax(axis=1).tolist()) == [0, 1, 2]


def test_only_the_most_telling_words_are_kept() -> None:
    common = train_states(background(), k=3, stop=0, words=15)
    assert len(common.words) == 15 and "of" not in common.words and "the" not in common.words


def test_pages_without_words_are_told_to_be_no_use() -> None:
    with pytest.raises(Problem, match="no words to learn from"):
        train_states([page(""), page("")])


def test_a_map_that_is_not_there() -> None:
    with pytest.raises(Problem, match="Did you mean 'calibrated'"):
        open_states("default", "calibratd")


# States that were kept


def test_kept_states_are_found_by_digest() -> None:
    kept = KeptStates(["a", "b"], np.array([[0.5, -1], [1, 0]]))
    again = KeptStates.from_bytes(kept.to_bytes())
    for states in (kept, again):
        assert states.size == 2
        assert states.of(page("", "b")).tolist() == [1, 0]
        assert states.of(page("", "never seen")).tolist() == [0, 0]
    again.of(page("", "b"))[0] = 9
    assert again.of(page("", "b")).tolist() == [1, 0], "Nobody can change what is kept."


@given(st.lists(st.lists(st.floats(-1, 1, width=32), min_size=3, max_size=3), max_size=9))
def test_kept_states_come_back_exactly(rows: list[list[float]]) -> None:
    states = np.array(rows, np.float32).reshape(len(rows), 3)
    again = KeptStates.from_bytes(KeptStates([f"d{i}" for i in range(len(rows))], states).to_bytes())
    assert again.states.tolist() == states.tolist() and again.size == 3


# Where they come from


def test_states_are_opened_by_name_by_file_and_by_folder(model: StateModel, tmp_path: Path) -> None:
    file = tmp_path / "mine.npz"
    file.write_bytes(model.to_bytes())
    opened = open_states(str(file), "faithful")
    assert opened.of(page("wolf")).tolist() == model.mapped("faithful").of(page("wolf")).tolist()
    (tmp_path / "states.npz").write_bytes(KeptStates(["a"], np.array([[1.0, 0.0]])).to_bytes())
    assert open_states(str(tmp_path), "calibrated").of(page("", "a")).tolist() == [1, 0]
    assert open_states("default", "calibrated") is open_states("default", "calibrated")


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_the_model_that_ships_knows_english(mapping: str) -> None:
    shipped = open_states("default", mapping)
    assert isinstance(shipped, StateModel)
    assert shipped.size == 50 and shipped.mapping == mapping and (shipped.gain, shipped.offset) == (40, 0.5)
    assert shipped.tally(page(ENGLISH)).share == 1
    assert "the" in shipped.stop and "music" in shipped.words
    assert len(shipped.to_bytes()) < 700_000


def test_the_model_that_ships_tells_topics_apart() -> None:
    shipped = open_states("default", "calibrated")
    physics = shipped.of(page("electron atom quantum energy particles nucleus physics radiation"))
    again = shipped.of(page("nuclear electrons atoms energy physicist proton neutron charge"))
    football = shipped.of(page("football league goal club cup season players match stadium team"))
    assert physics @ again > physics @ football


@pytest.mark.parametrize("name", ["nowhere.npz", "folder"])
def test_states_that_are_not_there(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(BadInput, match="states build"):
        open_states(str(tmp_path / name), "calibrated")


def test_one_kind_is_not_taken_for_the_other(model: StateModel) -> None:
    with pytest.raises(BadInput, match="not the states of a recording"):
        KeptStates.from_bytes(model.to_bytes())
    with pytest.raises(BadInput, match="not a model"):
        StateModel.from_bytes(KeptStates([], np.zeros((0, 2))).to_bytes())


# Bytes of strangers


@given(st.binary(max_size=300))
@example(b"")
@example(b"PK\x05\x06" + bytes(18))
def test_bytes_that_are_nothing_are_refused(blob: bytes) -> None:
    with pytest.raises(BadInput, match="no states of pages"):
        states_from(blob)


@settings(max_examples=300)
@given(st.data())
def test_damaged_bytes_are_refused_or_read_but_never_break(model: StateModel, data: st.DataObject) -> None:
    blob = bytearray(model.to_bytes())
    for _ in range(data.draw(st.integers(1, 3))):
        blob[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    try:
        read = states_from(bytes(blob[: data.draw(st.integers(0, len(blob)))] if data.draw(st.booleans()) else blob))
    except BadInput:
        return
    assert (np.abs(read.of(page("wolf"))) <= 1).all()


def changed(model: StateModel, **parts: object) -> bytes:
    arrays = unpacked(model.to_bytes(), 1 << 20)
    return packed({**arrays, **{name: np.asarray(part) for name, part in parts.items()}})


@pytest.mark.parametrize(
    "parts",
    [
        {"weights": np.full(16, np.nan, np.float32)},
        {"weights": np.full(16, -1, np.float32)},
        {"thresholds": np.full(3, np.inf, np.float32)},
        {"thresholds": np.zeros(2, np.float32)},
        {"levels": np.zeros((4, 15), np.uint8)},
        {"levels": np.zeros((1, 16), np.uint8)},
        {"levels": np.uint8(3)},
        {"levels": np.zeros((4, 16), np.float64)},
        {"words": np.frombuffer(b"\n".join([b"wolf"] * 16), np.uint8)},
        {"words": np.frombuffer(b"\xff\xfe", np.uint8)},
        {"about": np.frombuffer(b'{"format": 2, "kind": "model"}', np.uint8)},
        {"about": np.frombuffer(b"[" * 50_000, np.uint8)},
        {"about": np.frombuffer(b"[1]", np.uint8)},
        {"about": np.frombuffer(b'{"format":1,"kind":"model","mapping":"x","gain":1,"offset":1}', np.uint8)},
        {"about": np.frombuffer(b'{"format":1,"kind":"model","mapping":"faithful","gain":NaN,"offset":1}', np.uint8)},
        {"about": np.frombuffer(b'{"format":1,"kind":"kept"}', np.uint8)},
        {"extra": np.array(["objects are no numbers"])},
    ],
)
def test_parts_that_do_not_fit_are_refused(model: StateModel, parts: dict[str, object]) -> None:
    assert changed(model) == model.to_bytes()
    with pytest.raises(BadInput, match="no states of pages"):
        states_from(changed(model, **parts))


def test_kept_states_out_of_bounds_are_refused() -> None:
    with pytest.raises(BadInput, match="out of bounds"):
        states_from(KeptStates(["a"], np.array([[2.0]])).to_bytes())


def npz(content: bytes, says: int | None = None) -> bytes:
    """A file with one part; it may lie about its size."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("about.npy", content)
    blob = buffer.getvalue()
    if says is not None:
        blob = blob.replace(len(content).to_bytes(4, "little"), says.to_bytes(4, "little"))
    return blob


def test_what_says_it_is_huge_takes_no_memory() -> None:
    head = b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999,), }\n"
    for blob in (npz(head), npz(b"x" * 100, says=(1 << 32) - 2), npz(bytes(50_000_000), says=100)):
        with pytest.raises(ValueError, match=r".+"):
            unpacked(blob, 1 << 20)
    with pytest.raises(ValueError, match="too large"):
        unpacked(npz(bytes(5_000_000)), 1 << 20)
