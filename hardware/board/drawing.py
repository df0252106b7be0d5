"""The drawing for whoever solders, read from the board file: a page on which a line of the list lights its parts."""

from __future__ import annotations

import html
import json

from board import bill, design
from board.saved import Pad, Saved

STYLE = """
body{font:15px sans-serif;margin:1em;display:flex;gap:1.5em;color:#222;background:#fff}
svg{flex:0 0 58vw;height:auto;position:sticky;top:1em;align-self:flex-start} table{border-collapse:collapse}
td,th{padding:.25em .5em;border-bottom:1px solid #ccc;text-align:left;vertical-align:top} tr{cursor:pointer}
tr.on{background:#ffe08a} .done td{color:#888;text-decoration:line-through} .b{fill:#dfe7dc;stroke:#345;stroke-width:.12}
.on .b{fill:#ffb000} .p{fill:#a88a3a} .one{fill:#c33} .d{fill:#fff} text{font:1.2px sans-serif;text-anchor:middle;fill:#123}
.n{font-size:1.9px;font-weight:bold;fill:#7a1020}
@media print,(max-width:900px){body{display:block} svg{position:static;width:100%}}
"""
SCRIPT = """
const rows=[...document.querySelectorAll('tr[data-refs]')];
function light(row){rows.forEach(r=>r.classList.toggle('on',r===row));
 document.querySelectorAll('g[id]').forEach(g=>g.classList.toggle('on',row.dataset.refs.split(',').includes(g.id)))}
rows.forEach(r=>{r.onclick=e=>{if(e.target.type==='checkbox')r.classList.toggle('done',e.target.checked);light(r)}});
"""


def page(board: Saved) -> str:
    """The whole page, with nothing from anywhere else."""
    rows = []
    for sort, found in sorted(bill.lines().items(), key=lambda item: height(item[1][0])):
        refs = ",".join(p.ref for p in found)
        names = ", ".join(p.value if p.ref[0] == "J" else p.ref for p in found)
        cells = "".join(f"<td>{html.escape(x)}</td>" for x in (str(len(found)), sort.what, names, sort.note))
        rows.append(f'<tr data-refs="{refs}"><td><input type="checkbox"></td>{cells}</tr>')
    head = "<tr><th></th><th>number</th><th>part</th><th>where</th><th>note</th></tr>"
    words = (
        "Low parts first, from the top of the list: click a line to see where its parts go. The red pad is number 1: of a diode "
        "the ring, of the large capacitor plus. The board from above; parts go in from this side, the socket PI from below."
    )
    return "\n".join([
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Mind box carrier: where each part goes</title>',
        f"<style>{STYLE}</style>", svg(board),
        f"<div><h1>Where each part goes</h1><p>{words}</p><table>{head}", *rows, "</table></div>",
        f"<script>{SCRIPT}</script></html>\n",
    ])  # fmt: skip


def height(part: design.Part) -> int:
    """The order in which parts are soldered: what is lowest first."""
    order = ("Resistor", "DO-35", "C_Disc", "PinHeader_2x02", "DO-15", "TO-220", "CP_", "Fuse", "JST", "PinHeader")
    return next(i for i, key in enumerate(order) if key in part.footprint)


def svg(board: Saved) -> str:
    """The board from above: parts with their pads, names as they are printed."""
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-1 -1 {design.WIDTH + 2} {design.HEIGHT + 2}">']
    out.append(f'<rect class="b" style="fill:#f4f7f1" width="{design.WIDTH}" height="{design.HEIGHT}"/>')
    for (x, y), diameter in board.cut_out:
        out.append(f'<circle class="d" stroke="#345" stroke-width=".12" cx="{x:g}" cy="{y:g}" r="{diameter / 2:g}"/>')
    for part in board.parts:
        pads = [p for p in board.pads if p.ref == part.ref]
        xs, ys = [p.at[0] for p in pads], [p.at[1] for p in pads]
        x0, y0, w, h = min(xs) - 1.2, min(ys) - 1.2, max(xs) - min(xs) + 2.4, max(ys) - min(ys) + 2.4
        shape = f'<rect class="b" x="{x0:.2f}" y="{y0:.2f}" width="{w:.2f}" height="{h:.2f}" rx=".6"/>'
        title = html.escape(part.value if part.ref[0] == "J" else f"{part.ref} {part.value}")
        out.append(f'<g id="{part.ref}"><title>{title}</title>{shape}{"".join(_pad(p) for p in pads)}')
        if part.ref[0] not in "HJT":
            out.append(f'<text x="{x0 + w / 2:.2f}" y="{y0 + h / 2 + 0.4:.2f}">{part.ref}</text>')
        out.append("</g>")
    for words in board.words:
        if not words.below:
            kind = "n" if words.height > 1.5 else ""
            out.append(
                f'<text class="{kind}" x="{words.at[0]:g}" y="{words.at[1] + 0.5:g}">{html.escape(words.text)}</text>'
            )
    return "\n".join([*out, "</svg>"])


def _pad(pad: Pad) -> str:
    kind = "one" if pad.number == "1" else "p"
    w, h = pad.size
    tip = html.escape(json.dumps(pad.net, ensure_ascii=False)) if pad.net else ""
    hole = f'<circle class="d" cx="{pad.at[0]:g}" cy="{pad.at[1]:g}" r="{pad.drill / 2:g}"/>'
    ring = f'<ellipse class="{kind}" cx="{pad.at[0]:g}" cy="{pad.at[1]:g}" rx="{w / 2:g}" ry="{h / 2:g}"><title>{tip}</title></ellipse>'
    return ring + hole
