"""The server for games on this computer: a shell around a pure state machine."""
