"""A table whose pile may lie under a reader: what that sees is sifted before it is a scan. A slot's pass."""

from __future__ import annotations

from typing import Any

from mind_box.game.moves import Move, Refusal
from mind_box.game.state import Game
from mind_box.settings.schema import Config
from mind_box.table.inputs import Input, Scan, TrayEmpty
from mind_box.table.notices import Notice
from mind_box.table.payload import is_tray, parse
from mind_box.table.timing import Outcome
from mind_box.table.tray import Sight, Tray
from mind_box.table.with_ghosts import Haunt, WithGhosts


class OverTray(WithGhosts):
    """A ``Table``. ``away``: seconds that a card must have been out of sight before it can have been laid anew."""

    def __init__(self, game: Game, *, away: float, **more: Any) -> None:
        super().__init__(game, **more)
        self._tray = Tray(game, away)
        self.floor_label = False
        """The label on the tray's floor has been read: that the tray is empty is seen."""

    @classmethod
    def of(cls, config: Config, game: Game, **more: Any) -> OverTray:
        """At a box with these settings."""
        away = max((reader.same_card_seconds for reader in config.reader), default=0.0)
        return cls(game, away=away, times=config.table, haunt=Haunt.of(config), **more)

    def offer_update(self, there: bool) -> None:
        """Whether the lobby's menu offers a new version of the program."""
        self._menu.update = there

    def handle(self, event: Input) -> Outcome:
        outcome = super().handle(event)
        if isinstance(event, TrayEmpty):
            self._tray.emptied()
            self.floor_label |= event.seen
        return outcome

    def _move(self, move: Move, *more: Notice) -> Refusal | None:
        refusal = super()._move(move, *more)
        self._tray.follow(self.game)
        return refusal

    def _scanned(self, event: Scan) -> None:
        if is_tray(event.payload):
            return
        if event.tray:
            card = parse(event.payload, self._enrolled)
            if card is None:  # of an old pile nothing is told
                sight: Sight = "nothing" if self._tray.closed else "laid"
            else:
                sight = self._tray.sight(card, event.at)
            if sight in ("missed", "clear_tray"):
                self._not_taken(sight)
            if sight != "laid":
                return
        super()._scanned(event)
