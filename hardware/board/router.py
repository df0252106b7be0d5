"""A maze router for two layers: every net finds its way, nets in each other's way pay until none is. Pure Python.

Negotiated congestion (McMurchie and Ebeling, PathFinder, 1995) on a grid of a quarter of 2.54 mm: a node that several
nets want becomes dearer round by round. The same input gives the same tracks. Millimetres from the board's corner.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterable, Sequence
from math import ceil, hypot

GRID = 0.635
CLEAR = 0.25
"""Between copper of two nets, at the grid's nodes: 0.2 is left where a track passes a round pad between two nodes."""
EDGE = 0.6
VIA, VIA_DRILL = 0.8, 0.4
VIA_COST = 8.0
AGAINST = 0.35
"""What a step against its layer's direction costs more: tracks run along x above and along y below."""
ROUNDS = 80
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
SLANTED = ((1, 1), (1, -1), (-1, 1), (-1, -1))
VIA_KEY = 0.0
Point = tuple[float, float]


class Router:
    """Give it the copper that is there, then ``route``; ``copper`` is what it found."""

    def __init__(self, width: float, height: float, origin: Point) -> None:
        """``origin``: a point that lies on the grid."""
        self.x0, self.y0 = origin[0] % GRID, origin[1] % GRID
        self.width, self.height = width, height
        self.nx, self.ny = int((width - self.x0) / GRID) + 1, int((height - self.y0) / GRID) + 1
        self.size = self.nx * self.ny
        self._shapes: list[tuple[int, float, Point, Point, Sequence[int]]] = []
        """Net, half width, both ends, layers: a pad is a short thick line."""
        self._names: dict[str, int] = {}
        self._groups: dict[str, list[set[int]]] = {}
        self._widths: dict[str, float] = {}
        self._paths: dict[str, list[list[int]]] = {}
        self._stamps: dict[str, dict[float, set[int]]] = {}
        self._history = [0.0] * (2 * self.size)
        self._count: dict[float, list[int]] = {}
        self._owner: dict[float, list[int]] = {}
        self._ends: dict[str, list[tuple[int, Sequence[int]]]] = {}

    # -- what is there

    def solid(self, net: str, half: float, a: Point, b: Point, layers: Sequence[int] = (0, 1)) -> None:
        """Copper of a net, a hole or a hand-laid track, as a line of that half width."""
        number = self._names.setdefault(net, len(self._names) + 1)
        self._shapes.append((number, half, a, b, layers))

    def terminal(self, net: str, at: Point, group: int | None = None) -> None:
        """A pad that the net has to reach; pads of one ``group`` are joined already."""
        node = self.node(at)
        groups = self._groups.setdefault(net, [])
        self._ends.setdefault(net, []).append((node if group is None else -1 - group, (node,)))
        if group is None:
            groups.append({node, node + self.size})

    def node(self, at: Point) -> int:
        """The nearest node above."""
        i, j = round((at[0] - self.x0) / GRID), round((at[1] - self.y0) / GRID)
        return min(max(j, 0), self.ny - 1) * self.nx + min(max(i, 0), self.nx - 1)

    def at(self, node: int) -> tuple[int, float, float]:
        """Layer and place of a node."""
        layer, rest = divmod(node, self.size)
        return layer, round(self.x0 + rest % self.nx * GRID, 4), round(self.y0 + rest // self.nx * GRID, 4)

    # -- routing

    def route(self, widths: dict[str, float], last: str, say: Callable[[str], None]) -> bool:
        """Joins every net; ``last`` gets what room remains, since it is poured. True when none is in another's way."""
        self._widths = widths
        for net in widths:
            self._names.setdefault(net, len(self._names) + 1)
        keys = [VIA_KEY, *sorted(set(widths.values()))]
        self._owner = {key: self._owners((key or VIA) / 2) for key in keys}
        self._count = {key: [0] * (2 * self.size) for key in keys}
        terms = {net: self._terminals(net) for net in widths}
        order = sorted(
            (n for n in widths if n != last and len(terms[n]) > 1), key=lambda n: (self._spread(terms[n]), n)
        )
        todo, dear = order, 0.5
        for turn in range(ROUNDS):
            for net in todo:
                self._stamp(net, -1)
                self._paths[net] = self._connect(net, terms[net], dear)
                self._stamp(net, 1)
            bad = {net: nodes for net in order if (nodes := self._crowded(net))}
            say(f"round {turn + 1}: {len(bad)} of {len(order)} nets in another's way")
            if not bad:
                self._paths[last] = self._connect(last, terms[last], 1e9)
                return True
            for nodes in bad.values():
                for node in nodes:
                    self._history[node] += 1.0
            todo, dear = list(bad), min(dear * 1.4, 60.0)
        return False

    def _terminals(self, net: str) -> list[set[int]]:
        """Each pad or group of joined pads as the nodes where it can be reached."""
        groups: dict[int, set[int]] = {}
        for key, nodes in self._ends.get(net, ()):
            for node in nodes:
                groups.setdefault(key, set()).update((node, node + self.size))
        return list(groups.values())

    def _spread(self, terms: list[set[int]]) -> int:
        xs = [n % self.size % self.nx for t in terms for n in t]
        ys = [n % self.size // self.nx for t in terms for n in t]
        return max(xs) - min(xs) + max(ys) - min(ys)

    def _near(self, a: Point, b: Point, reach: float) -> Iterable[int]:
        """Nodes nearer than that to a line."""
        (ax, ay), (bx, by) = (a[0] - self.x0, a[1] - self.y0), (b[0] - self.x0, b[1] - self.y0)
        length = (bx - ax) ** 2 + (by - ay) ** 2
        for j in range(
            max(0, ceil((min(ay, by) - reach) / GRID)), min(self.ny - 1, int((max(ay, by) + reach) / GRID)) + 1
        ):
            for i in range(
                max(0, ceil((min(ax, bx) - reach) / GRID)), min(self.nx - 1, int((max(ax, bx) + reach) / GRID)) + 1
            ):
                px, py = i * GRID - ax, j * GRID - ay
                t = min(1.0, max(0.0, (px * (bx - ax) + py * (by - ay)) / length)) if length else 0.0
                if hypot(px - t * (bx - ax), py - t * (by - ay)) < reach - 1e-6:
                    yield j * self.nx + i

    def _owners(self, half: float) -> list[int]:
        """For copper of this half width, node by node: 0 free, a net's number where only that net may be, -1 nobody."""
        out = [0] * (2 * self.size)
        for number, thick, a, b, layers in self._shapes:
            for n in self._near(a, b, thick + half + CLEAR):
                for layer in layers:
                    m = n + layer * self.size
                    out[m] = number if out[m] in (0, number) else -1
        for n in range(self.size):
            x, y = self.x0 + n % self.nx * GRID, self.y0 + n // self.nx * GRID
            if min(x, self.width - x, y, self.height - y) < EDGE + half:
                out[n] = out[n + self.size] = -1
        return out

    def _stamp(self, net: str, sign: int) -> None:
        """Counts a net's copper in or out, for every width that may come near."""
        if sign > 0:
            made: dict[float, set[int]] = {key: set() for key in self._count}
            halves: dict[int, float] = {}
            for path in self._paths[net]:
                for n in path:
                    halves[n] = max(halves.get(n, 0.0), self._widths[net] / 2)
                for a, b in itertools.pairwise(path):
                    if abs(a - b) == self.size:
                        halves[a] = halves[b] = VIA / 2
            for key, nodes in made.items():
                for n, half in halves.items():
                    nodes.update(self._around(n, half + (key or VIA) / 2 + CLEAR - 0.04))
            self._stamps[net] = made
        for key, nodes in self._stamps.get(net, {}).items():
            count = self._count[key]
            for n in nodes:
                count[n] += sign
        if sign < 0:
            self._stamps.pop(net, None)

    def _around(self, node: int, reach: float) -> Iterable[int]:
        layer, rest = divmod(node, self.size)
        j, i = divmod(rest, self.nx)
        k = int(reach / GRID)
        for dj in range(-k, k + 1):
            for di in range(-k, k + 1):
                if 0 <= i + di < self.nx and 0 <= j + dj < self.ny and hypot(di, dj) * GRID < reach:
                    yield layer * self.size + (j + dj) * self.nx + i + di

    def _crowded(self, net: str) -> list[int]:
        """Nodes of a net that another one covers too."""
        count, via = self._count[self._widths[net]], self._count[VIA_KEY]
        own, own_via = self._stamps[net][self._widths[net]], self._stamps[net][VIA_KEY]
        out = []
        for path in self._paths[net]:
            out += [n for n in path if count[n] > (n in own)]
            for a, b in itertools.pairwise(path):
                if abs(a - b) == self.size:
                    out += [n for n in (a, b) if via[n] > (n in own_via)]
                elif abs(a - b) not in (1, self.nx):
                    out += [n for n in self._corners(a, b) if count[n] > (n in own)]
        return out

    def _corners(self, a: int, b: int) -> tuple[int, int]:
        """The two nodes beside a slanted step."""
        di = b % self.size % self.nx - a % self.size % self.nx
        return a + di, b - di

    def _connect(self, net: str, terms: list[set[int]], dear: float) -> list[list[int]]:
        """A tree over the net's pads, each joined to the nearest of what is there."""
        if len(terms) < 2:
            return []
        me, width, size, nx, ny, past = self._names[net], self._widths[net], self.size, self.nx, self.ny, self._history
        owner, crowd, via_owner, via_crowd = (
            self._owner[width],
            self._count[width],
            self._owner[VIA_KEY],
            self._count[VIA_KEY],
        )
        left = [set(t) for t in terms]
        tree = left.pop(0)
        paths: list[list[int]] = []
        while left:
            goals = {n: k for k, t in enumerate(left) for n in t}
            dist, came, closed = dict.fromkeys(tree, 0.0), dict[int, int](), set[int]()
            heap = [(0.0, n) for n in sorted(tree)]
            hit = None
            while heap:
                d, n = heapq.heappop(heap)
                if n in closed:
                    continue
                closed.add(n)
                if n in goals:
                    hit = n
                    break
                layer, rest = divmod(n, size)
                j, i = divmod(rest, nx)
                for dx, dy in STRAIGHT:
                    if 0 <= i + dx < nx and 0 <= j + dy < ny:
                        m = n + dy * nx + dx
                        if m not in closed and owner[m] in (0, me):
                            cost = d + 1.0 + (AGAINST if (dx if layer else dy) else 0.0) + past[m] + dear * crowd[m]
                            if cost < dist.get(m, 1e18):
                                dist[m], came[m] = cost, n
                                heapq.heappush(heap, (cost, m))
                for dx, dy in SLANTED:
                    if 0 <= i + dx < nx and 0 <= j + dy < ny:
                        m, p, q = n + dy * nx + dx, n + dx, n + dy * nx
                        if m not in closed and owner[m] in (0, me) and owner[p] in (0, me) and owner[q] in (0, me):
                            cost = d + 1.4142 + past[m] + dear * (crowd[m] + crowd[p] + crowd[q])
                            if cost < dist.get(m, 1e18):
                                dist[m], came[m] = cost, n
                                heapq.heappush(heap, (cost, m))
                m = n - size if layer else n + size
                if m not in closed and owner[m] in (0, me) and via_owner[n] in (0, me) and via_owner[m] in (0, me):
                    cost = d + VIA_COST + past[m] + dear * (via_crowd[n] + via_crowd[m])
                    if cost < dist.get(m, 1e18):
                        dist[m], came[m] = cost, n
                        heapq.heappush(heap, (cost, m))
            if hit is None:
                raise RuntimeError(f"{net}: a pad cannot be reached from {sorted(self.at(n) for n in tree)[:2]}")
            done = left.pop(goals[hit])
            if dear >= 1e9 and dist[hit] >= 1e9:  # only across others: the pour joins it
                tree |= done
                continue
            path = [hit]
            while path[-1] in came:
                path.append(came[path[-1]])
            paths.append(path)
            tree |= done | set(path)
        return paths

    # -- what was found

    def copper(self, net: str) -> tuple[list[tuple[int, Point, Point]], list[Point]]:
        """Tracks as (layer, from, to) and vias of a net."""
        tracks: list[tuple[int, Point, Point]] = []
        vias: list[Point] = []
        for path in self._paths.get(net, ()):
            start, step = path[0], 0
            for a, b in itertools.pairwise(path):
                if abs(a - b) == self.size or (step and b - a != step):
                    if a != start:
                        tracks.append((self.at(start)[0], self.at(start)[1:], self.at(a)[1:]))
                    start = a
                if abs(a - b) == self.size:
                    vias.append(self.at(a)[1:])
                    start, step = b, 0
                else:
                    step = b - a
            if path[-1] != start:
                tracks.append((self.at(start)[0], self.at(start)[1:], self.at(path[-1])[1:]))
        return tracks, sorted(set(vias))
