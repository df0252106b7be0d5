"""Golden pictures for every screen and language, drawn through the real driver into the models of the chips."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from mind_box.devices.oled.i2c import I2CInterface, SharedBus
from mind_box.devices.oled.panel import Panel
from mind_box.show.gallery import screens
from mind_box.show.sheets import write_screens
from mind_box.show.words import LANGUAGES, words_for
from mind_box.virtual.i2c_bus import ModelBus
from mind_box.virtual.oled_chip import OledChip, SH1106Chip, SSD1306Chip
from tests.show.make_goldens import DOCS, for_the_docs, read

pytestmark = pytest.mark.slow

CHIPS: dict[str, type[OledChip]] = {"ssd1306": SSD1306Chip, "sh1106": SH1106Chip}


class Glass:
    """A panel with its driver; what the driver sends is what an eye sees."""

    def __init__(self, driver: str, height: int) -> None:
        """``height`` of its pictures; 128: of 64 rows, turned by a quarter."""
        rows, self._upright = min(height, 64), height > 64
        self.chip = CHIPS[driver](height=rows)
        interface = I2CInterface(SharedBus("i2c-1", lambda _: ModelBus({0x3C: self.chip})), 0x3C)
        self._panel = Panel(driver, interface, height=rows, rotate=int(self._upright))
        self._panel.initialise()
        self._panel.light(None)

    def show(self, picture: Image.Image) -> Image.Image:
        self._panel.update(self._panel.pack(picture))
        seen = self.chip.picture()
        return seen.transpose(Image.Transpose.ROTATE_90) if self._upright else seen


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_screen_is_as_it_was_looked_at(language: str) -> None:
    golden = read(language)
    drawn = dict(screens(words_for(language)))
    assert list(drawn) == list(golden), "screens came or went: make goldens, and look at them"
    changed = [name for name, picture in drawn.items() if picture.tobytes() != golden[name].tobytes()]
    assert changed == [], "make goldens, and look at them"


@pytest.mark.parametrize(
    ("driver", "languages"),
    # the driver does not know languages: the second chip gets one, to save time
    [("ssd1306", LANGUAGES), ("sh1106", LANGUAGES[1:2])],
)
def test_what_the_driver_sends_is_the_golden_picture(driver: str, languages: tuple[str, ...]) -> None:
    glass = {height: Glass(driver, height) for height in (128, 64, 32)}
    shown: set[tuple[int, bytes]] = set()
    for language in languages:
        golden = read(language)
        for name, picture in screens(words_for(language)):
            content = (picture.height, picture.tobytes())
            if content in shown:  # a screen without words, of an earlier language
                continue
            shown.add(content)
            seen = glass[picture.height].show(picture)
            assert seen.tobytes() == golden[name].tobytes(), f"{language} {name}"


def test_the_sheets_in_the_docs_are_of_today() -> None:
    for name, image in for_the_docs().items():
        with Image.open(DOCS / f"{name}.png") as shown:
            assert shown.convert("L").tobytes() == image.convert("L").tobytes(), f"{name}: make goldens"


def test_the_command_writes_every_screen_enlarged_and_one_contact_sheet(tmp_path: Path) -> None:
    count = write_screens(tmp_path / "new" / "folder")
    files = sorted((tmp_path / "new" / "folder").rglob("*.png"))
    assert len(files) == count
    assert {f.parent.name for f in files if f.name == "table-play.png"} == set(LANGUAGES)
    with Image.open(tmp_path / "new" / "folder" / "de" / "table-play.png") as image:
        assert image.size == (512, 256)
        small = image.resize((128, 64), Image.Resampling.NEAREST)
        assert small.tobytes() == read("de")["table-play"].tobytes()
    assert (tmp_path / "new" / "folder" / "contact-sheet.png").exists()
