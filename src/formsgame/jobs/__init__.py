"""One way to run many tasks: a chunked, resumable, cancellable map over any executor.

A job is a function that workers can import, and chunks: plain descriptions of pieces of the work,
some seconds each. A journal keeps every finished chunk, so that a run that was killed costs no more
than the chunks it was at. Results come in the order of the chunks and do not depend on who made
them: one process, many, or a cluster.

>>> import math
>>> run(math.factorial, [3, 4, 5], workers=1)
[6, 24, 120]
"""

from formsgame.jobs.journal import Journal
from formsgame.jobs.processes import Processes
from formsgame.jobs.runner import Progress, chunk_seed, run, split, stream

__all__ = ["Journal", "Processes", "Progress", "chunk_seed", "run", "split", "stream"]
