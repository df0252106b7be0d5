"""What to say: for every state of the View two short lines, what is the matter and what to do now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mind_box.game.cards import Card, Variant
from mind_box.game.figures import REWARDS, house_rule
from mind_box.game.values import dataclass
from mind_box.show import unseen
from mind_box.show.telling import of_a_star
from mind_box.show.words import Words, mark
from mind_box.table.menu import Item
from mind_box.table.notices import Notice
from mind_box.table.view import GhostLaid, LastError, View, ViewPhase


@dataclass(frozen=True, slots=True)
class Saying:
    """The two lines at the foot of a screen."""

    what: str
    how: str = ""
    aside: tuple[Card, ...] = ()
    """Cards to put aside, told in the second line as far as they fit."""
    loud: bool = False
    """Something is wrong, or went wrong: the lines are shown dark on light."""


REFUSED: dict[Notice, tuple[str, str]] = {
    "unknown_card": (mark("Card not read"), mark("Show it once more")),
    "missed": (mark("A card lay unseen"), mark("Lift it, lay it anew")),
    "clear_tray": (mark("An old pile lies here"), mark("Take it off first")),
    "not_in_deck": (mark("Not in this deck"), mark("Put that card away")),
    "already_on_pile": (mark("Already on the pile"), mark("Nothing changed")),
    "already_aside": (mark("Already aside"), mark("Nothing changed")),
    "already_dealt": (mark("Already dealt"), mark("Take another card")),
    "not_dealt": (mark("In nobody’s hand"), mark("Put that card away")),
    "not_your_choice": (mark("Not that card"), mark("Lowest ▲ or highest ▼")),
    "star_full": (mark("All are aside already"), mark("Keep that card")),
    "hand_full": (mark("That hand is full"), mark("Choose another seat")),
    "no_star": (mark("No star left"), mark("Go on without")),
    "too_few_players": (mark("2 players at least"), mark("Hold buttons together")),
    "too_many_players": (mark("Too many for the box"), mark("Menu: fewer ghosts")),
    "not_covered": (mark("Reader not covered"), mark("So no ghosts here")),
    "at_limit": (mark("Not possible"), mark("Nothing changed")),
}
"""Refusals that are put right in the same way everywhere."""

NEWS: dict[Notice, str] = {
    "star_off": mark("Star called off"),
    "undone": mark("Taken back"),
    "corrected": mark("Corrected"),
    "resumed": mark("Power was off"),
    "reader_back": mark("Reader is back"),
    "screen_back": mark("Screen is back"),
    "device_back": mark("Working again"),
    "journal_back": mark("Saving again"),
    "deck_original": mark("Deck: original"),
    "deck_extreme": mark("Deck: Extreme"),
    "sound_on": mark("Sound: on"),
    "sound_off": mark("Sound: off"),
}
"""News that replace the first line and leave what to do as it was."""

FAULTS: dict[str, tuple[str, str]] = {
    "reader": (mark("Card reader lost"), mark("Check its plug")),
    "reader-setting": (mark("Scanner set wrongly"), mark("CR, USA, no prefix")),
    "buttons": (mark("Buttons lost"), mark("Check the wiring")),
    "lamps": (mark("Lamps lost"), mark("Check the wiring")),
    "journal": (mark("Game is not saved!"), mark("Check the SD card")),
}

VARIANTS: dict[Variant, str] = {
    "classic": mark("Classic"),
    "reverse": mark("Reverse"),
    "fifty": mark("From 50"),
    "tens": mark("Tens"),
    "extreme": mark("Extreme"),
}

MENU: dict[Item, str] = {
    "undo": mark("Undo"),
    "level-done": mark("Level done"),
    "all-hands": mark("All hands"),
    "count": mark("Only count"),
    "life-up": mark("Life +1"),
    "life-down": mark("Life −1"),
    "star-up": mark("Star +1"),
    "star-down": mark("Star −1"),
    "story": mark("Story"),
    "end-game": mark("End game"),
    "shut-down": mark("Shut down"),
    "start": mark("Start"),
    "variant": mark("Variant"),
    "deck": mark("Deck"),
    "hands": mark("Hands"),
    "stars": mark("Stars"),
    "blind": mark("Blind"),
    "ghosts": mark("Ghosts"),
    "language": mark("Language"),
    "sound": mark("Sound"),
    "self-test": mark("Self-test"),
    "update": mark("Update"),
}

PARTS = (mark("life lamp {n}"), mark("star lamp {n}"), mark("seat {n} lamp"))
"""What the self-test calls the lamps; it says them through ``Words``."""

HANDS = mark("Hands on the buttons")
LIFT = mark("Let go together")


def saying(view: View, words: Words) -> Saying:
    """The lines for this View: why nothing moves first, then a question, then what is wrong, then the phase."""
    say = words.say
    if "saving" in view.faults:
        return saving(words)
    if view.asking == "level-done":
        return Saying(say(LIFT) if lifting(view) else say(HANDS), say("★: no"))
    if view.asking is not None:
        return Saying(say("Hold ★ again: yes"), say("Tap ★: no"))
    return refusal(view, words) or fault(view, words) or _news(view, words)


def saving(words: Words) -> Saying:
    """The disk does not answer, and until it does nothing that was done is shown."""
    return Saying(words.say("Still saving"), words.say("Wait for the SD card"), loud=True)


def refusal(view: View, words: Words) -> Saying | None:
    """What was refused, and how to put it right; it stands for as long as its notice does."""
    say = words.say
    for code in view.notices:
        if code in REFUSED:
            what, how = REFUSED[code]
            return Saying(say(what), say(how), loud=True)
        if code == "no_game":
            if view.phase == "lobby":
                return Saying(say("No game yet"), say("Hold your buttons"), loud=True)
            return Saying(say("The game is over"), _to_lobby(view, words), loud=True)
        if code == "not_with_ghosts":
            return Saying(say("Ghosts cannot do that"), _to_lobby(view, words), loud=True)
        if code == "paused":
            if view.phase == "reveal":
                return Saying(say("The check is running"), say("Wait for its end"), loud=True)
            if choosing(view):
                return Saying(say("Not yet"), say("First show your choice"), loud=True)
            return Saying(say("Play is paused"), say("Take it back; hands first"), loud=True)
    return None


def fault(view: View, words: Words) -> Saying | None:
    """The device that is missed most. A screen is told of once only: the game goes on without it."""
    for name, (what, how) in FAULTS.items():
        if any(fault.split(" ")[0] == name for fault in view.faults):
            return Saying(words.say(what), words.say(how), loud=True)
    for name in view.faults:
        kind, _, number = name.partition(" ")
        if kind in ("seat-screen", "table-screen") and ("screen_lost" in view.notices or view.phase == "lobby"):
            seat = kind == "seat-screen"
            what = words.say("Screen {seat} lost", seat=number) if seat else words.say("Table screen lost")
            return Saying(what, words.say("Check its plug"), loud=True)
    return None


def _news(view: View, words: Words) -> Saying:
    plain = _PHASES[view.phase](view, words)
    for code in view.notices:
        if code in NEWS:
            if view.phase == "play":
                return Saying(words.say(NEWS[code]))
            wanted = view.phase in ("lobby", "won") or bool(
                view.star_left
            )  # the game goes on with this, before all else
            how = plain.what if wanted or view.reason == "stop" else plain.how or plain.what
            if code == "undone" and view.seats and not wanted:
                how = words.say("Match your cards to it")
            return Saying(words.say(NEWS[code]), how)
    return plain


def choosing(view: View) -> bool:
    """Known hands, after a star in extreme: the table waits for the cards that seats choose (R23), not for hands."""
    return view.reason == "star" and view.hands == "known" and bool(view.star_left)


def lifting(view: View) -> bool:
    """All hands were down and are to be lifted now: the table waits for the hands that are still down."""
    if choosing(view):
        return False
    return bool(view.waiting) and set(view.waiting) <= set(view.hands_down)


def too_early(view: View, words: Words) -> str:
    """Which card was laid too early, and whether it has been paid for before; empty without an error."""
    error, ghost = view.last_error, view.ghost
    if error is None:
        return ""
    if ghost is not None and error.early == ghost.card:
        return words.say("{card}, seat {seat}: too early", card=error.early, seat=ghost.seat)
    if not error.paid:
        return words.say("{card} again: no ♥ lost", card=error.early)
    return words.say("{card} was too early", card=error.early)


def late_cards(view: View, words: Words) -> str:
    """Unknown hands after an error: which other cards are late too, and are to be shown."""
    error = view.last_error
    which = next((i for i, pile in enumerate(view.piles) if error is not None and error.early in pile), 0)
    pile, direction = view.piles[which], view.directions[which]
    if direction == "out":
        return words.say("Nearer 50? Show it too")
    if not pile:  # an error without a pile is no game's, but may be an imported one's
        return ""
    number = str(pile[-1]).lstrip("WR")
    if direction == "down":
        return words.say("Above {card}? Show it too", card=number)
    return words.say("Below {card}? Show it too", card=number)


def reward(view: View, words: Words) -> str:
    """What the level just done brought, in signs and few words; empty when nothing."""
    match view.ended.reward if view.ended is not None else None:
        case "star":
            return "+1★"
        case "life":
            return "+1♥"
        case "void" if REWARDS.get(done(view)) == "life":
            return words.say("♥ is full")
        case "void":
            return words.say("no stars") if view.no_stars else words.say("★ is full")
    return ""


def why_ended(view: View, words: Words, cards: Callable[[Sequence[Card]], str]) -> str:
    """The error that the level's last card brought, which the View's own fields have forgotten; empty without one.

    ``cards`` writes the late ones.
    """
    ended = view.ended
    if ended is None or not ended.late:
        return ""
    if not ended.paid:
        return words.say("{cards} after {card}: no ♥ lost", cards=cards(ended.late), card=ended.early)
    return words.say("{cards} after {card}: −1♥", cards=cards(ended.late), card=ended.early)


def done(view: View) -> int:
    """The last level completed in this game."""
    return view.level if view.phase == "won" else view.level - 1


def _lobby(view: View, words: Words) -> Saying:
    n = len(view.hands_down)
    if n == 0:
        return Saying(words.say("Hold your buttons"), words.say("for 2 s, then let go"))
    n += view.ghosts_to_come or 0
    players = words.many("{n} player", "{n} players", n)
    if n == 1:
        return Saying(players, words.say("One more at least"))
    if house_rule(n):
        return Saying(words.say("{players}: house rule", players=players), words.say("After 2 s, let go"))
    return Saying(players, words.say("After 2 s, let go"))


def _deal(view: View, words: Words) -> Saying:
    if view.ended is not None:
        return Saying(level_done(view, words), words.say("Card for seat {seat}", seat=view.next_seat))
    if view.next_seat in view.ghosts:
        return Saying(words.say(unseen.AT_TABLE[view.unseen_at]), words.say("then face down in its row"))
    return Saying(words.say("Next card to the reader"), words.say("★: take one back"))


def level_done(view: View, words: Words) -> str:
    """The last level completed; while that has just happened, what its last card cost and what it brought."""
    gained = reward(view, words)
    error = view.phase == "won" and view.ended is not None and view.ended.paid  # else it has a line of its own
    dear = error or "star_used" in view.notices
    if not gained:
        text = words.say("Level {level} done", level=done(view))
    elif dear:
        text = words.say("Level {level}: {reward}", level=done(view), reward=gained)
    else:
        text = words.say("Level {level} done: {reward}", level=done(view), reward=gained)
    if error:
        return f"−1♥. {text}"
    return f"−1★. {text}" if dear else text


def _focus(view: View, words: Words) -> Saying:
    say = words.say
    if lifting(view):
        return Saying(say(LIFT))
    error = view.last_error
    if error is not None and (view.reason == "error" or {"error", "late"}.intersection(view.notices)):
        return _error(view, error, words)
    if view.reason == "level":
        if view.ended is not None:
            what = level_done(view, words)
        elif view.hands == "known":
            return Saying(say("All cards are dealt"), say(HANDS))
        else:
            lines = (_deal_out(view, words), say(HANDS))
            return Saying(*lines if view.level == 1 else lines[::-1])  # what is dealt stands where it stood before
        return Saying(what, _deal_out(view, words))
    if view.reason == "star":
        return _star(view, words)
    if view.reason == "resume":
        return Saying(say("Power was off"), say(HANDS))
    return Saying(say(HANDS))


def _deal_out(view: View, words: Words) -> str:
    return words.many("Deal {n} card each", "Deal {n} cards each", view.level)


def _error(view: View, error: LastError, words: Words) -> Saying:
    what = too_early(view, words)
    if view.hands == "known" or view.phase == "reveal" or view.blind:
        return Saying(what, aside=error.aside, loud=True)
    return Saying(what, late_cards(view, words), loud=True)


def ghost_card(ghost: GhostLaid, words: Words) -> str:
    """Whose card lies now, and which it is, if anybody may see it."""
    if ghost.card is None:
        return words.say("Seat {seat}", seat=ghost.seat)
    return words.say("Seat {seat}: {card}", seat=ghost.seat, card=ghost.card)


def star_card(view: View, words: Words) -> str:
    """Unknown hands, or a choice: which card each puts aside for a star."""
    if len(view.directions) > 1:
        return words.say("Lowest ▲ or highest ▼")
    if view.directions[0] == "down":
        return words.say("Highest card aside")
    if view.directions[0] == "out":
        return words.say("Nearest to 50 aside")
    return words.say("Lowest card aside")


def _star(view: View, words: Words) -> Saying:
    if view.star_left:
        return Saying(star_card(view, words), words.say("Each shows one card"))
    return Saying(words.say("Star cards are aside"), words.say(HANDS))


def _play(view: View, words: Words) -> Saying:
    if view.ghost is not None:
        return Saying(ghost_card(view.ghost, words), words.say("Card {n} of its row", n=view.ghost.place))
    if view.check == "at_end":
        return Saying(words.say("All laid? Show the pile,"), words.say("first card first"))
    return Saying("")


def _vote(_view: View, words: Words) -> Saying:
    return Saying(words.say("Yes: all press"), words.say("No: ★"))


def _reveal(view: View, words: Words) -> Saying:
    if view.last_error is not None and {"error", "late"}.intersection(view.notices):
        return _error(view, view.last_error, words)
    if view.check == "as_played":
        return Saying(words.say("The pile is checked"), words.say("card by card"))
    return Saying(words.say("Show the next card"), words.say("in the order laid"))


def _won(view: View, words: Words) -> Saying:
    lobby = _to_lobby(view, words)
    return Saying(lobby) if view.blind else Saying(words.say("Blind? All hands, 2 s"), lobby)


def _lost(view: View, words: Words) -> Saying:
    what = of_a_star(view, words) or too_early(view, words) or words.say("No life left")
    return Saying(what, _to_lobby(view, words))


def _to_lobby(view: View, words: Words) -> str:
    """How a game that is over is left: hands do it too, where they do not begin the blind challenge."""
    goes_blind = view.phase == "won" and not view.blind
    return words.say("★: back to the lobby") if goes_blind else words.say("★, or hands 2 s: lobby")


_PHASES: Mapping[ViewPhase, Callable[[View, Words], Saying]] = {
    "lobby": _lobby,
    "deal": _deal,
    "focus": _focus,
    "play": _play,
    "vote": _vote,
    "reveal": _reveal,
    "won": _won,
    "lost": _lost,
}
