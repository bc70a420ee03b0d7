"""`make dist`: a release of unquilt that others can install, in dist/.

    crates     the Rust crates that the core is built from, with their licences
    sdist      the source archive: all that git tracks, and the crates, so that it builds without a network
    wheel      the wheel, built from the source archive and from nothing else
    checks     opens both and says what is wrong with them

The same commit, the same compiler and the same tools give the same bytes. Python's standard library does it all, with
cargo, git, maturin and, on Linux, zig; abi3audit reads the finished core.
"""
