"""Games as documents: a tree of moves with headers, comments and glyphs, and their record."""

from formsgame.record.game import Game, Node, read_games, write_games

__all__ = ["Game", "Node", "read_games", "write_games"]
