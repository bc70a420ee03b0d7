"""Files that are built once and asked often: lexicons, and sets of prototypes."""
