"""Many cards aside on the page of ``mind-box try``, in Chromium: they take no more room, and stay readable."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.page.browsing import Tried, quick_box, visit


@pytest.fixture(scope="module")
def tried(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tried]:
    tried = Tried(tmp_path_factory.mktemp("aside"), quick_box(2, hands="known"), "--partners", "person")
    yield tried
    tried.close()


LOSS = """(aside) => import("/pile.js").then(({drawCloth}) => {
    const state = structuredClone(window.mindBox.state), late = aside.slice(-2);
    Object.assign(state.view, {phase: "lost", aside});
    state.view.ended = {level: 7, pile: [1, 2, 90], aside, early: 90, late, paid: true, reward: null};
    drawCloth(state);
    const link = document.querySelector("#link"), path = link.querySelector("path"), long = path.getTotalLength();
    const {left, top} = link.getBoundingClientRect();
    const cards = [...document.querySelectorAll("#aside .card")].map((card) => card.getBoundingClientRect());
    link.style.pointerEvents = "auto";
    const crossed = aside.filter((_, i) => {
        for (let at = 0; at <= long; at += 1) {
            const {x, y} = path.getPointAtLength(at), [px, py] = [x + left, y + top], c = cards[i];
            const within = px > c.left + 2 && px < c.right - 2 && py > c.top + 2 && py < c.bottom - 2;
            if (within && document.elementFromPoint(px, py) === path) return true;
        }
    });
    link.style.pointerEvents = "";
    return [document.querySelector("#table").scrollHeight, cards.length, crossed];
})"""
"""A loss at this level with these cards aside: the height of the table, and the cards that the line to the first late
one is drawn across."""


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1920, 1080)])
def test_many_cards_aside_make_no_longer_page(browser: Browser, tried: Tried, width: int, height: int) -> None:
    for visitor in visit(browser, tried, viewport={"width": width, "height": height}):
        if visitor.view()["phase"] == "lobby":
            visitor.start(2)
        few, _, _ = visitor.page.evaluate(LOSS, [3, 5])
        for many in range(2, 25):
            tall, drawn, crossed = visitor.page.evaluate(LOSS, list(range(3, 3 + 3 * many, 3)))
            assert drawn == many and crossed == [] and tall <= few + height / 100, f"{many} aside: {tall}, {few} before"
