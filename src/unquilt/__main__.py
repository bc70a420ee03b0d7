"""`python -m unquilt` is `unquilt`."""

from unquilt.cli import main

if __name__ == "__main__":
    main()
