"""Settings that only wiring can explain: lamps on an expander, screens that would answer together."""

import pytest

from mind_box.settings.loading import ConfigError, parse
from mind_box.settings.schema import pin_name, pin_uses

EXPANDER = '[gpio]\nexpander = "mcp23017"\n'


def test_lamps_may_stand_on_the_expander() -> None:
    config = parse(EXPANDER + "life_lamps = [100, 101, 102, 103, 104]\nstar_lamps = [113, 114, 115]\n")
    assert config.gpio.life_lamps == (100, 101, 102, 103, 104)
    assert pin_name(103) == "expander line 3"
    assert pin_name(17) == "GPIO17"


def test_expander_alone_takes_the_i2c_pins() -> None:
    config = parse(EXPANDER + '[[screen]]\nbus = "i2c-3"\n')
    assert ("gpio.expander i2c-1 (SDA)", 2) in pin_uses(config)
    assert ("gpio.expander i2c-1 (SCL)", 3) in pin_uses(config)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[gpio]\nlife_lamps = [100, 101, 102, 103, 104]", "line 2: gpio.life_lamps: 100 is a line of an expander"),
        (EXPANDER + "seat_buttons = [100, 5, 6, 13]", "gpio.seat_buttons: must be from 0 to 27"),
        (EXPANDER + "buzzer = 100", "gpio.buzzer: must be from 0 to 27"),
        (EXPANDER + "life_lamps = [28, 101, 102, 103, 104]", "use GPIO 2 to 27 (or 100 to 115 on an expander)"),
        (EXPANDER + "life_lamps = [116, 101, 102, 103, 104]", "must be from 0 to 115"),
        (EXPANDER + "life_lamps = [101, 101, 102, 103, 104]", "expander line 1 is used twice"),
        ("[[screen]]\n[[screen]]\nseat = 1\nmux = 0x70\nchannel = 1", "answers together with seat-screen 1"),
        ('[[screen]]\nbus = "spi-0.0"\n[gpio]\nstar_lamps = [10, 18, 4]', "GPIO10 is used twice"),
        (
            '[[screen]]\nbus = "spi-0.0"\n[[screen]]\nseat = 1\nbus = "spi-0.0"\n'
            "[gpio]\nlife_lamps = [17, 27, 22, 4, 14]\nstar_lamps = [25, 18, 15]",
            "spi-0.0 is already another screen's",
        ),
    ],
)
def test_wrong_wiring_is_refused_by_name(text: str, says: str) -> None:
    with pytest.raises(ConfigError) as refusal:
        parse(text)
    assert says in str(refusal.value)
