"""How things look on a terminal.

output     standard output
progress   progress on standard error
curves     curves drawn with characters
endings    exit codes and messages of errors
"""
