"""The commands, a small file each."""
