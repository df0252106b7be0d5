"""The mind of a ghost (R43): pure, no clock, no chance of its own, and of the table only what everyone sees.

One ``Estimate`` serves all ghosts of a game, for all of them see the same cards: it is kept in the journal (six plain
fields) and for the next game with the same seats::

    estimate = Estimate.beginning(pace=0.7, reaction=0.5, learns=True)  # seconds a number; the reader's own figure
    seed = ...                                                # drawn once a game, in the journal

When play begins (a lift), after each card laid on any pile, and after undo, each ghost plans anew, with a count that
grows::

    due = plan(view, hands[seat], estimate, Kind.HUMAN, since, seed=seed, seat=seat, count=count)

``since`` is the play time in milliseconds (R35) at that lift or card; ``due.due`` is one too, so a vote that stands
play time still moves nothing. A View is what ``plan`` takes; any record with those fields will do: no hand is in one.
Of several ghosts the plan with the least ``rank`` is laid first; the others plan anew after it. In blind play a ghost
plans after each lift and its own cards only, with the same count until then.

When a person lays a card in play (before the rules have moved)::

    gap = lesson(view, card)
    if gap is not None:
        estimate = estimate.learn(gap, seconds)               # of play since the last card on any pile, or the lift

Not for a ghost's card that a person shows, nor for a wait that began with a lift after a stop or a power cut. A card
that turns out to be early was laid in order all the same: unknown hands could not tell, and it teaches as much.
"""

from mind_box.ghost.estimate import LONG, PACE, REACTION, Estimate
from mind_box.ghost.kinds import Kind
from mind_box.ghost.mind import Plan, Seen, lesson, plan

__all__ = ["LONG", "PACE", "REACTION", "Estimate", "Kind", "Plan", "Seen", "lesson", "plan"]
