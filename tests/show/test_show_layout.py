"""Nothing is cut off, nothing overlaps, every letter has a glyph, the top card is large: measured for every screen."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PIL import Image, ImageDraw

from mind_box.show import fonts, pictures, seat_screen, table_screen
from mind_box.show.canvas import Canvas, Mark
from mind_box.show.gallery import SEAT_SIZES, seats_shown
from mind_box.show.icons import CARDS
from mind_box.show.samples import SAMPLES
from mind_box.show.sentences import saying
from mind_box.show.words import LANGUAGES, words_for

MARGIN = 40


class _Moved:
    """A pen that draws everything further right and down, so that what would be cut off shows in the margin."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def bitmap(self, xy: tuple[int, int], *args: object, **kwargs: object) -> None:
        self._draw.bitmap((xy[0] + MARGIN, xy[1] + MARGIN), *args, **kwargs)  # type: ignore[arg-type]

    def __getattr__(self, shape: str) -> Callable[..., None]:
        def moved(box: tuple[int, int, int, int], *args: object, **kwargs: object) -> None:
            getattr(self._draw, shape)(tuple(edge + MARGIN for edge in box), *args, **kwargs)

        return moved


class WideCanvas(Canvas):
    """The same canvas with a margin all around that takes what would be cut off."""

    def __init__(self, size: tuple[int, int]) -> None:
        super().__init__(size)
        self.image = Image.new("1", (size[0] + 2 * MARGIN, size[1] + 2 * MARGIN))
        self._draw = _Moved(ImageDraw.Draw(self.image))  # type: ignore[assignment]

    @property
    def inside(self) -> Image.Image:
        return self.image.crop((MARGIN, MARGIN, MARGIN + self.width, MARGIN + self.height))


def every_canvas(language: str) -> Iterator[tuple[str, Canvas]]:
    """Each screen of a language, drawn with whatever ``Canvas`` the modules have."""
    words = words_for(language)
    for name, view in SAMPLES.items():
        yield f"table {name}", table_screen.draw_table(view, words, (128, 64))
    for name, view, seat in seats_shown():
        for size in SEAT_SIZES:
            yield f"{size[1]} {name}", seat_screen.draw_seat(view, seat, words, size)


@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_is_drawn_beyond_the_edge(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = {name: canvas.image for name, canvas in every_canvas(language)}
    monkeypatch.setattr(table_screen, "Canvas", WideCanvas)
    monkeypatch.setattr(seat_screen, "Canvas", WideCanvas)
    for name, canvas in every_canvas(language):
        assert isinstance(canvas, WideCanvas)
        inside = canvas.inside
        assert inside.tobytes() == plain[name].tobytes(), name
        canvas.image.paste(0, (MARGIN, MARGIN, MARGIN + canvas.width, MARGIN + canvas.height))
        assert canvas.image.getbbox() is None, f"{name}: {canvas.image.getbbox()} is outside"


def test_the_measure_of_the_edge_would_notice_a_lost_pixel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_screen, "Canvas", WideCanvas)
    canvas = WideCanvas((128, 64))
    canvas.text(125, 60, "Ég", fonts.WORD8)
    canvas.image.paste(0, (MARGIN, MARGIN, MARGIN + 128, MARGIN + 64))
    assert canvas.image.getbbox() is not None


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_loses_its_end(language: str) -> None:
    for name, canvas in every_canvas(language):
        assert canvas.shortened == [], name


def test_a_picture_depends_on_nothing_but_the_view() -> None:
    """So nothing can move by itself while the View stands still (R18)."""
    drawn: dict[tuple[str, str], bytes] = {}
    for seed in range(3):
        order = [(name, language) for name in SAMPLES for language in LANGUAGES]
        random.Random(seed).shuffle(order)
        for name, language in order:
            picture = pictures.table_picture(SAMPLES[name], words_for(language)).tobytes()
            assert drawn.setdefault((name, language), picture) == picture, name


def _meet(a: Mark, b: Mark) -> bool:
    return a.box[0] < b.box[2] and b.box[0] < a.box[2] and a.box[1] < b.box[3] and b.box[1] < a.box[3]


def _ink_meets(a: Mark, b: Mark) -> bool:
    """Whether two marks' ink may touch. An accent and a descender may share rows: their boxes may meet by 2 rows."""
    if not _meet(a, b):
        return False
    rows = min(a.box[3], b.box[3]) - max(a.box[1], b.box[1])
    return rows > 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_two_things_lie_over_each_other(language: str) -> None:
    for name, canvas in every_canvas(language):
        for i, a in enumerate(canvas.marks):
            for b in canvas.marks[i + 1 :]:
                assert not _ink_meets(a, b), f"{name}: {a} and {b}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_letter_reaches_into_the_number_of_cards(language: str) -> None:
    """Not by the two rows that an accent and a descender may share elsewhere: it is a number, and stands for long."""
    beside = 0
    for name, canvas in every_canvas(language):
        counters = [mark for mark in canvas.marks if mark.what.startswith(CARDS) and mark.box[2] == canvas.width]
        for counter in counters if canvas.width == 128 and not name.startswith("table") else ():
            touched = [mark for mark in canvas.marks if mark is not counter and _meet(mark, counter)]
            assert not touched, f"{name}: {touched} in {counter}"
            beside += canvas.height == 32
    assert beside > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pictures_outside_a_game_fit(language: str) -> None:
    """Names and questions of the self-test too, the longest that can come."""
    words = words_for(language)
    lamp = words.say("seat {n} lamp", n=8)
    answers = words.say("Star: yes, seat: no")
    questions = [words.say("{name} lit?", name=lamp), words.say("All lamps lit?"), words.say("Did it sound?")]
    texts = [
        *(f"{question} {answers}" for question in questions),
        words.say("Let go of {name}", name=words.say("seat {n}", n=8)),
        words.say("Show a card to the reader"),
        words.say("{n} faults, first: {what}", n=12, what="seat 8 button"),
        words.say("Look at: {what}", what="seat 8 button, seat-screen 8"),
        "table-screen",
    ]
    for size in ((128, 64), (128, 32), (64, 128)):
        canvases = [pictures.notice(text, size) for text in texts]
        canvases.append(pictures.notice(words.say("The Mind"), size, "star"))
        canvases.append(pictures.notice(words.say("Off. Unplug after 10 s"), size, "power"))
        for canvas in canvases:
            assert canvas.shortened == []
            for i, mark in enumerate(canvas.marks):
                left, top, right, bottom = mark.box
                assert left >= 0 and top >= 0 and right <= size[0] and bottom <= size[1], mark
                assert not any(_ink_meets(mark, other) for other in canvas.marks[i + 1 :])


def _messages() -> set[str]:
    letters: set[str] = set("0123456789 –−+±·…,:;!?¿¡/WR")
    for language in LANGUAGES:
        for _, canvas in every_canvas(language):
            for mark in canvas.marks:
                letters.update(mark.what)
    return letters


def test_every_letter_has_a_glyph_in_every_face() -> None:
    from mind_box.show.icons import INLINE

    letters = _messages() - set(INLINE)
    assert set("éèàêçÉñ¿¡íóáúÁäöüßÜÄ’") - letters <= set("ÁÜßÄú"), "the samples show every kind of letter"
    for face in fonts.FACES:
        missing = fonts.mask("￾", face)[0].tobytes()
        for letter in sorted(letters | set("éèàêçÉÈñÑ¿¡íóáúÁäöüßÜÄÖœ’")):
            if not letter.isspace():
                assert fonts.mask(letter, face)[0].tobytes() != missing, f"{letter!r} in {face.file}"


def test_the_top_card_is_at_least_40_pixels_high_where_play_goes_on() -> None:
    checked = 0
    for name, view in SAMPLES.items():
        if view.phase not in ("play", "vote") or view.blind:
            continue
        canvas = table_screen.draw_table(view, words_for("en"), (128, 64))
        for pile in view.piles:
            if pile:
                text = str(pile[-1]).lstrip("WR")
                heights = [m.box[3] - m.box[1] for m in canvas.marks if m.what == text]
                assert max(heights) >= 40, f"{name}: {text} is {heights} high"
                checked += 1
    assert checked > 20


@pytest.mark.parametrize("sample", ["play-widest", "stop", "stop-lift", "vote", "play-unknown-card", "play-star-off"])
def test_the_top_card_fills_the_screen_and_stands_still_while_something_is_said(sample: str) -> None:
    for number in range(1, 101):
        view = replace(SAMPLES[sample], piles=((number,),))
        canvas = table_screen.draw_table(view, words_for("en"), (128, 64))
        card = max(canvas.marks, key=lambda m: m.box[3] - m.box[1])
        assert (card.what, card.box[0], card.box[1]) == (str(number), 1, 8)
        assert card.box[3] - card.box[1] >= 48
        assert canvas.shortened == []
        assert not any(_ink_meets(a, b) for i, a in enumerate(canvas.marks) for b in canvas.marks[i + 1 :])


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("seats", [2, 8])
def test_the_column_beside_the_widest_cards_has_room_for_all_that_may_stand_there(language: str, seats: int) -> None:
    players = tuple(range(1, seats + 1))
    for name in ("play-widest", "stop", "stop-lift", "vote", *(n for n in SAMPLES if n.startswith("play-") and
                 SAMPLES[n].notices and len(SAMPLES[n].piles) == 1)):  # fmt: skip
        for number in (44, 100):
            view = replace(SAMPLES[name], piles=((number,) * 64,), seats=players, remaining=64, lives=5, stars=3)
            canvas = table_screen.draw_table(view, words_for(language), (128, 64))
            assert canvas.shortened == [], name
            assert not any(_ink_meets(a, b) for i, a in enumerate(canvas.marks) for b in canvas.marks[i + 1 :]), name
            assert all(m.box[2] <= 128 and m.box[3] <= 64 for m in canvas.marks), name


@pytest.mark.parametrize("sample", ["play-extreme-hundred", "play-extreme-unknown-card", "vote-extreme"])
def test_both_top_cards_of_extreme_fit_whatever_they_are(sample: str) -> None:
    for up in range(1, 51):
        for down in (51, 60, 74, 88, 94, 99, 100):
            view = replace(SAMPLES[sample], piles=((up,), (down,)))
            canvas = table_screen.draw_table(view, words_for("de"), (128, 64))
            assert canvas.shortened == []
            tops = [m for m in canvas.marks if m.box[3] - m.box[1] >= 40]
            assert [m.what for m in tops] == [str(up), str(down)]
            assert tops[0].box[2] + 2 <= tops[1].box[0]
            assert not any(_meet(a, b) for i, a in enumerate(canvas.marks) for b in canvas.marks[i + 1 :])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_table_screen_that_stands_upright_says_the_same_in_its_own_shape(language: str) -> None:
    for name, view in SAMPLES.items():
        canvas = table_screen.draw_table(view, words_for(language), (64, 128))
        assert canvas.image.size == (64, 128) and canvas.image.getbbox(), name
        assert canvas.shortened == [], name
        for i, mark in enumerate(canvas.marks):
            left, top, right, bottom = mark.box
            assert left >= 0 and top >= 0 and right <= 64 and bottom <= 128, f"{name}: {mark}"
            assert mark.cap == 0 or mark.cap >= SMALLEST_WORD, f"{name}: {mark}"
            assert not any(_ink_meets(mark, other) for other in canvas.marks[i + 1 :]), f"{name}: {mark}"
        said = " ".join(mark.what for mark in canvas.marks)
        if view.menu is None and view.story is None:
            wanted = saying(view, words_for(language))
            assert all(word in said for word in wanted.what.split()), name
        if view.phase == "play" and not view.blind and view.menu is None:
            tops = [str(pile[-1]).lstrip("WR") for pile in view.piles if pile]
            assert all(any(m.what == t and m.cap >= SMALLEST_CARD for m in canvas.marks) for t in tops), name


SMALLEST_WORD, SMALLEST_CARD = 8, 26
"""Rows that make 16 and 30 arc minutes on 2.42 inch: docs/sizes.md has them computed."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_and_every_top_card_can_be_read_from_its_seat(language: str) -> None:
    for name, view in SAMPLES.items():
        canvas = table_screen.draw_table(view, words_for(language), (128, 64))
        for mark in canvas.marks:
            assert mark.cap == 0 or mark.cap >= SMALLEST_WORD, f"{name}: {mark}"
        if view.phase in ("focus", "play", "vote", "reveal") and not (view.blind and view.phase != "reveal"):
            for pile in view.piles if view.reason != "level" and view.asking is None and view.menu is None else ():
                tops = [mark.cap for mark in canvas.marks if pile and mark.what == str(pile[-1]).lstrip("WR")]
                assert not pile or max(tops) >= SMALLEST_CARD, name


@pytest.mark.parametrize("language", LANGUAGES)
def test_stopped_extreme_fits_whoever_plays_and_whatever_lies_there(language: str) -> None:
    samples = [n for n in SAMPLES if n.startswith(("stop-extreme", "error-extreme", "star-extreme", "check-at-end-e"))]
    for name in samples:
        for seats in (2, 4, 5, 8):
            for piles in (((44,), (100,)), ((), (100,)), ((48,), ()), ((), ())):
                for hands in ("known", "unknown"):
                    view = replace(SAMPLES[name], seats=tuple(range(1, seats + 1)), piles=piles, hands=hands,
                                   remaining=64, lives=5, stars=3, aside=(18, 24, 100), star_left=3)  # fmt: skip
                    canvas = table_screen.draw_table(view, words_for(language), (128, 64))
                    assert canvas.shortened == [], name
                    pairs = [(a, b) for i, a in enumerate(canvas.marks) for b in canvas.marks[i + 1 :]]
                    assert not any(_ink_meets(a, b) for a, b in pairs), name
                    assert all(m.box[2] <= 128 and m.box[3] <= 64 for m in canvas.marks), name
                    assert all(m.cap == 0 or m.cap >= SMALLEST_WORD for m in canvas.marks), name
