"""`python -m unquilt.cli`: the same as `unquilt`."""

from unquilt.cli import main

if __name__ == "__main__":
    main()
