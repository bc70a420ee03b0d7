# unquilt in a container, with its pages and reports (not with Spark):
#   docker build -t unquilt .
#   docker run --rm --user "$(id -u):$(id -g)" --volume "$PWD:/data" unquilt quilts crawl/ -o run
# `unquilt serve` answers its own machine alone: on Linux, add --network host to reach it from the browser.

FROM rust:1-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends python3 python3-venv && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY constraints.txt .
RUN python3 -m venv /tools && /tools/bin/pip install --no-cache-dir --constraint constraints.txt maturin
COPY . .
# A core for Debian 12, which the next stage is, too: so it needs no manylinux tag.
RUN CARGO_PROFILE_RELEASE_DEBUG=0 CARGO_PROFILE_RELEASE_STRIP=symbols \
    /tools/bin/maturin build --release --locked --compatibility linux --out /wheels

FROM python:3.13-slim-bookworm
COPY constraints.txt /tmp/
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    pip install --no-cache-dir --constraint /tmp/constraints.txt "$(echo /wheels/*.whl)[page]" && rm /tmp/constraints.txt
RUN useradd --create-home unquilt && install -d -o unquilt /data
USER unquilt
WORKDIR /data
ENTRYPOINT ["unquilt"]
CMD ["--help"]
