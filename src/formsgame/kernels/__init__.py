"""The rules on arrays, compiled: boards and moves, playouts, perft.

`board` is the rules for any size; `playout` and `perft` use it; `bits` is the same rules on
64-bit words for boards up to 8 x 8, where leaves are counted by the hundred million.
"""
