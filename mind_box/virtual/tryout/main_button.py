"""The page's main button: the one thing that is to be done now, what it is called, and one line of why.

What it says is what it does. It is decided here, for all browsers alike; a browser sends the act that it showed, and
one that is out of date does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from mind_box.show.sentences import choosing, lifting
from mind_box.show.words import Words, mark
from mind_box.table.view import View
from mind_box.virtual.tryout.place import PERSON
from mind_box.virtual.tryout.room import Room

Act = Literal[
    "none", "sit", "start", "let-go", "deal", "hands", "lift", "stop", "agree", "withdraw", "aside", "check", "again",
    "close-menu", "no", "power",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Main:
    """What the button is now."""

    act: Act
    text: str
    why: str = ""
    seats: list[int] = field(default_factory=list)
    """The seats that ``{seats}`` in ``why`` stands for: their names are known in the browser only."""

    def to_json(self) -> dict[str, Any]:
        """As the page is told it."""
        return {"act": self.act, "text": self.text, "why": self.why, "seats": self.seats}


WHY_HANDS = {
    "level": mark("Everyone puts a hand on the table, all lift it together, and play begins."),
    "stop": mark("Play is stopped. All hands again, and it goes on."),
    "error": mark("A card was too early. Breathe, all hands again, and go on."),
    "star": mark("The star’s cards are aside. All hands again, and go on."),
    "resume": mark("The power was off. All hands again, and the game goes on."),
}


def main_of(room: Room[Any], words: Words) -> Main:
    """What is to be done now in this room."""
    view, say = room.shown, words.say
    if room.machine.power == "off":
        return Main("power", say("Give power back"), say("The box is dark. It goes on where it was."))
    if view is None:
        return Main("none", say("One moment …"), say("The box is starting."))
    if room.players.watching:
        return Main("sit", say("Take a seat"), say("Seat 1 is yours whenever you like."))
    if not room.persons:
        if any(kind == PERSON for kind in room.kinds.values()):
            return Main("none", say("You play from the next game on"), say("This game is played to its end first."))
        return Main("sit", say("Take a seat"), say("Nobody here is a person yet."))
    if view.asking in ("end-game", "shut-down"):
        return Main("no", say("No, go on"), say("Holding the star button again would say yes."))
    if view.menu is not None:
        return Main("close-menu", say("Close the menu"), say("Tap the star button: next item. Hold it: choose."))
    if view.asking == "level-done":
        return _hands(room, view, words, say("All hands, lifted together, close the level. Tap the star button: no."))
    return _PHASES[view.phase](room, view, words)


def _lobby(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if len(room.taken) < room.least:
        return Main("none", say("Start a game"), say("Two play at least: choose who sits at another seat."))
    if any(seat in view.hands_down for seat in room.persons):
        if room.starting:
            return Main("let-go", say("Let go"), say("Hands lie on the buttons: the game begins in two seconds."))
        return Main("let-go", say("Let go"), say("Hands lie on the buttons: when they are lifted, the game begins."))
    return Main("start", say("Start a game"), say("It lays everybody’s hands on the buttons and lifts them."))


def _deal(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if room.rests:
        many = words.many("Everyone gets {n} card.", "Everyone gets {n} cards.", view.level)
        return Main("deal", say("Deal level {level}", level=view.level), many)
    if room.deals_itself:
        return Main("none", say("Dealing …"), say("The box sees each card as it is dealt."))
    return Main("deal", say("Deal"), say("The next card is for the seat whose lamp is lit."))


def _focus(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if room.to_deal:
        if room.deals_itself and not room.rests:
            return Main("none", say("Dealing …"))
        many = words.many("Everyone gets {n} card.", "Everyone gets {n} cards.", view.level)
        return Main("deal", say("Deal level {level}", level=view.level), many)
    due = [seat for seat in room.persons if room.must_show(seat)]
    if due and len(view.piles) > 1:
        why = say("A star: lay your lowest card that goes up, or your highest that goes down.")
        return Main("none", say("Choose a card"), why)
    if due:
        return Main("aside", say("Lay your lowest aside"), say("A star: everyone who holds cards puts one aside."))
    if choosing(view) or room.to_show:
        return Main("none", say("Wait for the others"), say("Still choosing: {seats}."), room.to_show)
    return _hands(room, view, words, say(WHY_HANDS[view.reason or "stop"]))


def _hands(room: Room[Any], view: View, words: Words, why: str) -> Main:
    say = words.say
    if lifting(view):
        return Main("lift", say("Lift together"), say("Play begins when the last hand is lifted."))
    if all(seat in view.hands_down for seat in room.persons if seat in view.seats):
        waiting = [seat for seat in view.seats if seat not in view.hands_down]
        return Main("lift", say("Take the hand back"), say("Hands are still missing: {seats}."), waiting)
    return Main("hands", say("Hands on the table"), why)


def _play(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if view.check == "at_end" and room.tabletop.face_down and not any(room.tabletop.hands.values()):
        return Main("check", say("Show the next card"), say("All cards lie. The pile is shown in the order laid."))
    return Main("stop", say("Stop"), say("There are no turns: lay your lowest card when you feel that it is time."))


def _vote(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    so_far = {"n": len(view.agreed), "all": len(view.seats)}
    if any(seat not in view.agreed for seat in room.persons):
        why = say("A star: all must agree. A tap on the star button calls it off.")
        return Main("agree", say("Agree to the star ({n} of {all})", **so_far), why)
    waiting = [seat for seat in view.seats if seat not in view.agreed]
    return Main("withdraw", say("Withdraw ({n} of {all} agree)", **so_far), say("Still to agree: {seats}."), waiting)


def _reveal(room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if view.check == "at_end" and room.tabletop.face_down:
        return Main("check", say("Show the next card"), say("The pile is shown in the order laid."))
    return Main("none", say("The pile is checked"), say("Card by card, in the order laid."))


def _over(_room: Room[Any], view: View, words: Words) -> Main:
    say = words.say
    if view.phase == "won" and not view.blind:
        why = say("Won! Or go on blind: hold all seat buttons for two seconds.")
        return Main("again", say("New game"), why)
    return Main("again", say("New game"), say("Won!") if view.phase == "won" else say("No life is left. Once more?"))


_PHASES = {
    "lobby": _lobby, "deal": _deal, "focus": _focus, "play": _play, "vote": _vote, "reveal": _reveal, "won": _over,
    "lost": _over,
}  # fmt: skip


def do_main(room: Room[Any], act: str, words: Words, who: object) -> bool:
    """Does what the button said, if that is still what it is. False: it is not."""
    view, machine = room.shown, room.machine
    if act == "none" or act != main_of(room, words).act:
        return False
    persons = room.persons
    match act:
        case "power":
            machine.power_on()
        case "sit":
            if room.players.watching:
                room.players.watch(False)
            if PERSON not in room.kinds.values():
                room.players.sit(1, PERSON)
        case "start" | "hands":
            room.lay_hands(who, starting=act == "start")
        case "let-go" | "lift":
            room.lift_hands()
        case "deal":
            room.deal_on()
        case "stop":
            room.tap(persons[0])
        case "agree" | "withdraw" if view is not None:
            wanted = act == "withdraw"
            room.tap(next(seat for seat in persons if (seat in view.agreed) == wanted))
        case "aside":
            room.lay(next(seat for seat in persons if room.must_show(seat)))
        case "check":
            room.check_next()
        case "close-menu":
            room.tap(persons[0])
        case "no":
            room.tap(0)
        case "again":
            room.new_game()
    return True
