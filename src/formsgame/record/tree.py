"""The moves of a game as a flat tree: nodes are numbers, 0 the start, in parallel lists."""

from __future__ import annotations

from collections.abc import Iterator

from formsgame.notation import format_cell
from formsgame.position import Move, Position
from formsgame.rules import MAX_SIDE

#: Parent of a node that was deleted.
DELETED = -2

_CELLS = {
    format_cell(column, row): (column, row) for column in range(MAX_SIDE) for row in range(MAX_SIDE)
}


def parse_move(text: str) -> Move:
    """Return the move a text says, as `Move.parse` does, but quickly where it is as written."""
    if isinstance(text, str):
        names = text.partition("-")
        source, target = _CELLS.get(names[0]), _CELLS.get(names[2])
        if source and target:
            return Move._from_cells(source, target)
    return Move.parse(text)


class Tree:
    """Moves and what is said of them. Node n is the state after `moves[n]`; node 0 is the start.

    Numbers are never used twice, so that whoever keeps one can tell that its node was deleted.
    `children` maps the moves that follow to their nodes, the continuation first. Notes are kept
    only where there are any.
    """

    __slots__ = (
        "_path",
        "_positions",
        "children",
        "comments",
        "glyphs",
        "moves",
        "openings",
        "parents",
        "plies",
        "start",
    )

    def __init__(self, start: Position) -> None:
        self.start = start
        self.parents = [-1]
        self.moves: list[Move | None] = [None]
        self.plies = [0]
        self.children: list[dict[Move, int]] = [{}]
        #: Text after a move (of node 0: before the first), and before the first of a variation.
        self.comments: dict[int, str] = {}
        self.openings: dict[int, str] = {}
        self.glyphs: dict[int, tuple[int, ...]] = {}
        # The positions from the start to the node asked for last: walking the tree along its
        # lines costs one ply a step, and no node keeps a position of its own.
        self._path = [0]
        self._positions = [start]

    def position(self, node: int) -> Position:
        """Return the position at a node."""
        path, positions = self._path, self._positions
        steps = []
        last, ply = node, self.plies[node]
        while ply >= len(path) or path[ply] != node:
            steps.append(node)
            node = self.parents[node]
            ply -= 1
        if steps:
            del path[ply + 1 :], positions[ply + 1 :]
        for step in reversed(steps):
            move = self.moves[step]
            assert move is not None
            path.append(step)
            positions.append(positions[-1].play_unchecked(move))
        return positions[self.plies[last]]

    def play(self, node: int, move: Move) -> int:
        """Return the node after a move, made if it is new; raises `IllegalMoveError`."""
        child = self.children[node].get(move)
        if child is None:
            after = self.position(node).play(move)
            child = self.add(node, move)
            ply = self.plies[child]
            self._path[ply:] = [child]
            self._positions[ply:] = [after]
        return child

    def add(self, node: int, move: Move) -> int:
        """Return a new node for a move known to be legal and new there."""
        child = len(self.moves)
        self.parents.append(node)
        self.moves.append(move)
        self.plies.append(self.plies[node] + 1)
        self.children.append({})
        self.children[node][move] = child
        return child

    def line(self, node: int = 0) -> list[int]:
        """Return the nodes that continue from a node, the first move of each."""
        nodes = []
        while children := self.children[node]:
            node = next(iter(children.values()))
            nodes.append(node)
        return nodes

    def end(self) -> int:
        """Return the last node of the main line."""
        line = self.line()
        return line[-1] if line else 0

    def walk(self, node: int = 0) -> Iterator[int]:
        """Yield a node and all after it, each before those that follow, the continuation first."""
        waiting = [node]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(self.children[node].values()))

    def reorder(self, node: int, place: int) -> None:
        """Put a node at a place (0 the continuation) among those that follow the same move."""
        parent = self.parents[node]
        items = [item for item in self.children[parent].items() if item[1] != node]
        move = self.moves[node]
        assert move is not None
        items.insert(place, (move, node))
        self.children[parent] = dict(items)
        self.settle(parent)

    def delete(self, node: int) -> set[int]:
        """Delete a node and all after it; returns their numbers."""
        move, parent = self.moves[node], self.parents[node]
        assert move is not None
        ply = self.plies[node]
        if ply < len(self._path) and self._path[ply] == node:
            del self._path[ply:], self._positions[ply:]
        gone = set(self.walk(node))
        del self.children[parent][move]
        for each in gone:
            self.parents[each] = DELETED
            self.moves[each] = None
            self.children[each] = {}
            for notes in (self.comments, self.openings, self.glyphs):
                notes.pop(each, None)
        self.settle(parent)
        return gone

    def settle(self, node: int) -> None:
        """Move a starting comment of what now is the continuation into its comment.

        A record has no place for text between a move and its continuation but the comment of the
        former.
        """
        first = next(iter(self.children[node].values()), 0)
        if opening := self.openings.pop(first, ""):
            self.comments[first] = f"{opening} {self.comments.get(first, '')}".strip(" ")

    def copy(self) -> Tree:
        """Return a tree of its own with the same nodes under the same numbers."""
        tree = Tree(self.start)
        tree.parents = self.parents[:]
        tree.moves = self.moves[:]
        tree.plies = self.plies[:]
        tree.children = [dict(children) for children in self.children]
        tree.comments = dict(self.comments)
        tree.openings = dict(self.openings)
        tree.glyphs = dict(self.glyphs)
        return tree
