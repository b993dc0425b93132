"""The search on boards that no word holds agrees with full searches and with that on words."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

import formsgame as fg
import naive
import shapes
from formsgame.solver import Solver, search, tables, wide
from formsgame.solver.clock import Clock
from formsgame.solver.tables import Table

BOTH = (fg.STANDARD, fg.ADVANCED)
#: Boards from small to the largest, on which forms are put anywhere.
SIZES = [(3, 3), (1, 9), (4, 17), (11, 6), (10, 10), (18, 18), (26, 26)]


def no_limit() -> Clock:
    return Clock(None, None, None)


def package(board: naive.Board) -> fg.Position:
    return fg.Position.parse(naive.format_board(board))


def boards(rules: fg.Rules, most: int, seed: str) -> list[naive.Board]:
    """Small forms, at edges, in corners and away from them, of games that go on."""
    generator = random.Random(f"{seed} {rules.name}")
    found: list[naive.Board] = []
    while len(found) < 60:
        rows, columns = generator.choice(SIZES)
        high, across = generator.randint(1, min(rows, 4)), generator.randint(1, min(columns, 4))
        part = shapes.random_board(rules.name, high, across, generator)
        down = generator.choice([0, rows - high, generator.randint(0, rows - high)])
        right = generator.choice([0, columns - across, generator.randint(0, columns - across)])
        stones = {(x + right, y + down): stone for (x, y), stone in part.stones.items()}
        board = naive.Board(rules.name, rows, columns, stones, part.side)
        small = most if rules is fg.STANDARD or rows * columns < 110 else most - 2
        if 3 <= len(stones) <= small and naive.winner(board) is None:
            found.append(board)
    return found


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_a_naive_search_agrees(rules: fg.Rules) -> None:
    known: dict[str, bool] = {}
    asked = [Table.empty(rules), tables.build_table(rules, 3)]
    memories = [wide.Memory(1) for _ in asked]
    for board in boards(rules, 6, "naive"):
        position = package(board)
        wins = naive.mover_wins(board, known)
        for table, memory in zip(asked, memories, strict=True):
            if len(board.stones) <= table.levels:
                continue
            for of in (memory, wide.Memory(1)):
                found = wide.WideSearch(position, table, of)
                assert found.run(no_limit()) == (search.WIN if wins else search.LOSS), position
                if wins:
                    after = naive.play(board, naive.parse_move(str(found.winning_move())))
                    assert not naive.mover_wins(after, known), position


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_the_search_on_words_agrees(rules: fg.Rules) -> None:
    generator = random.Random(f"words {rules.name}")
    words = Solver(rules, memory_mb=8)
    memory = wide.Memory(4)
    compared = 0
    while compared < 40:
        size = generator.choice([(3, 4), (4, 4), (2, 7), (3, 6), (1, 12)])
        form = shapes.blob(*size, generator)
        position = package(shapes.paint(rules.name, *size, form, generator))
        if position.is_over or sum(position.counts.values()) <= words.table.levels:
            continue
        compared += 1
        winner = words.winner(position, no_limit())
        found = wide.WideSearch(position, words.table, memory)
        won = found.run(no_limit()) == search.WIN
        assert (winner is position.side_to_move) == won, position
        if won:
            after = position.play(found.winning_move())
            assert words.winner(after, no_limit()) is position.side_to_move, position


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_when_all_positions_collide_the_results_stay(rules: fg.Rules) -> None:
    known: dict[str, bool] = {}
    for board in boards(rules, 6, "colliding"):
        memory = wide.Memory(1)
        memory.make_room(4)
        memory.positions = np.zeros((search.WAYS, 4), np.uint64)
        memory.numbers = np.zeros((search.WAYS, 3), np.uint32)
        found = wide.WideSearch(package(board), Table.empty(rules), memory)
        won = found.run(no_limit()) == search.WIN
        assert won == naive.mover_wins(board, known), naive.format_board(board)


def key_of(position: fg.Position) -> bytes:
    memory = wide.Memory(1)
    memory.make_room(8)
    found = wide.WideSearch(position, Table.empty(position.rules), memory)
    return found.key


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_symmetries_change_no_key(rules: fg.Rules) -> None:
    """What turning and mirroring make alike has one key; with standard rules, wherever it lies."""
    for board in boards(rules, 7, "keys"):
        array = package(board).array
        side = fg.BLACK if board.side == naive.BLACK else fg.WHITE
        keys = set()
        for turns, mirror in itertools.product(range(4), (False, True)):
            turned = np.rot90(array, turns)
            turned = np.ascontiguousarray(turned[:, ::-1] if mirror else turned)
            keys.add(key_of(fg.Position.from_array(turned, side, rules)))
            swapped = np.where(turned == 0, 0, 3 - turned).astype(np.uint8)
            keys.add(key_of(fg.Position.from_array(swapped, side.opponent, rules)))
        assert len(keys) == 1
        filled = array != 0
        far = max(array.shape) + len(board.stones)
        if rules is fg.STANDARD:
            keys.add(
                key_of(fg.Position.from_array(array[filled.any(1)][:, filled.any(0)], side, rules))
            )
            assert len(keys) == 1
        elif far + max(array.shape) <= 26:
            # Margins that no slide can feel are all alike.
            for more in (len(board.stones), len(board.stones) + 1):
                wider = np.pad(array, more)
                keys.add(key_of(fg.Position.from_array(wider, side, rules)))
            assert len(keys) <= 2


@pytest.mark.parametrize("rules", BOTH, ids=str)
def test_no_two_positions_share_a_key(rules: fg.Rules) -> None:
    """Positions of one key have the same moves as far as keys can tell, and the same winner."""
    known: dict[str, bool] = {}
    results: dict[bytes, bool] = {}
    followers: dict[bytes, set[bytes]] = {}
    for board in boards(rules, 6, "shared") + boards(rules, 4, "small"):
        key = key_of(package(board))
        wins = naive.mover_wins(board, known)
        assert results.setdefault(key, wins) == wins
        after = {
            key_of(package(naive.apply(board, move).board))
            for move in naive.legal_moves(board)
            if naive.winner(naive.apply(board, move).board) is None
        }
        assert followers.setdefault(key, after) == after, naive.format_board(board)


@pytest.mark.parametrize("rules", BOTH, ids=str)
@pytest.mark.parametrize("size", [12, 18])
def test_games_end_as_found(rules: fg.Rules, size: int) -> None:
    """Of positions that random games pass, what is found to win does win when it is played on."""
    solver = Solver(rules, memory_mb=4)
    played = 0
    for seed in itertools.count():
        if played == 5:
            return
        position = fg.Position.initial(rules, size)
        for move in fg.playout(position, seed=seed).moves:
            position = position.play_unchecked(move)
            if sum(position.counts.values()) <= 24:
                break
        clock = Clock(fg.Limit(nodes=1000), None, None)
        found = None if position.is_over else solver.best_move(position, clock)
        if found is None:
            continue
        winner, _ = found
        generator = random.Random(seed)
        while not position.is_over:
            if position.side_to_move is winner:
                answer = solver.best_move(position, no_limit())
                assert answer is not None
                assert answer[0] is winner
                assert answer[1] is not None
                position = position.play(answer[1])
            else:
                position = position.play(generator.choice(position.legal_moves))
        assert position.winner is winner
        played += 1
