"""The commands: parse, call, print. One small file a command."""
