"""What the server refuses, as errors of the package's tree with the server's own sentences."""

from __future__ import annotations

from formsgame.errors import FormsError

#: Template of the English sentence for every code.
REFUSALS: dict[str, str] = {
    "game.missing": "there is no such game",
    "game.stale": "the game has gone on: {known} plies were known, {found} have been played",
    "game.finished": "the game is over",
    "game.not_your_turn": "it is the computer's turn",
    "game.other_turn": "it is the other side's turn",
    "game.waiting": "the second player has not come yet",
    "game.unfinished": "the game is not over yet",
    "game.paused": "the server is about to stop; the game goes on when it is back",
    "game.flagged": "the time is over",
    "game.old": "this request is from too long ago",
    "game.no_seat": "only a player of this game can do that",
    "game.taken": "this seat is taken",
    "game.too_late": "both sides have moved; the game can be resigned, but not aborted",
    "game.no_offer": "this offer does not stand any more",
    "game.offer_open": "an offer is open already",
    "game.rated": "this cannot be done in a rated game",
    "game.rematch": "the rematch has begun already",
    "game.command": "a request needs an id of at most 64 plain characters, and what was seen",
    "game.control": "{text!r} is not a time control: expected -, 300, 300+3 or 1/86400, in seconds",
    "game.json": "stored game: {place}: {reason}",
    "game.nothing_to_undo": "there is no move of yours to take back",
    "game.no_person": "the computer plays both sides",
    "game.level": "level {level} does not exist; levels go from {lowest} to {highest}",
    "game.setting": "{name} {given!r} does not agree with the position, which says {found!r}",
    "game.unset": "{name} is needed where no position is given",
    "not-ready": "the rules are still being prepared on this computer; try again in a moment",
    "not-prepared": "the rules could not be prepared on this computer: {reason}",
    "request.host": "requests for this host name are not answered",
    "request.origin": "requests from other sites are not answered",
    "request.large": "the request's body is longer than {limit} bytes",
    "request.invalid": "the request is not understood: {reason}",
    "request.method": "this address does not take {method}",
    "request.missing": "there is nothing at this address",
    "server.failed": "something went wrong in the server; its log says what",
}


class GameError(FormsError):
    """A request that the server refuses; `code` says why."""

    @property
    def template(self) -> str:
        """The English sentence with the names of the data in braces."""
        return REFUSALS[self.code]
