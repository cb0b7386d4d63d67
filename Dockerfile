# syntax=docker/dockerfile:1
#
# Chromium's sandbox makes user namespaces, which Docker's default seccomp profile refuses: run the
# image with a profile that allows them. Every call asks for a key: make one with
# `docker exec CONTAINER pagefold keys create TENANT`.
FROM python:3.11-slim-bookworm AS build

WORKDIR /src
RUN python -m venv /opt/pagefold
COPY constraints.txt .
RUN /opt/pagefold/bin/pip install --no-cache-dir --no-deps --require-hashes \
    --only-binary :all: --requirement constraints.txt
COPY . .
RUN /opt/pagefold/bin/pip install --no-cache-dir --no-deps --no-build-isolation .

FROM python:3.11-slim-bookworm

# libatomic1 is for Playwright's driver; the fonts keep widths and screenshots right in the scripts
# that pages are written in.
RUN apt-get update \
    && apt-get install -y --no-install-recommends \
        ca-certificates \
        chromium-headless-shell \
        fontconfig \
        fonts-noto-cjk \
        fonts-noto-color-emoji \
        fonts-noto-core \
        libatomic1 \
        tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --create-home --uid 10001 pagefold \
    && install --directory --owner=pagefold --group=pagefold /data

COPY --from=build /opt/pagefold /opt/pagefold

ENV PATH=/opt/pagefold/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PAGEFOLD_CHROMIUM_PATH=/usr/bin/chromium-headless-shell \
    PAGEFOLD_DATA_DIR=/data \
    PAGEFOLD_HOST=0.0.0.0 \
    PAGEFOLD_LOG_FORMAT=json \
    PAGEFOLD_PORT=8000

USER pagefold
WORKDIR /home/pagefold
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=20s CMD ["python", "-c", \
    "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['PAGEFOLD_PORT']}/healthz\", timeout=4)"]
ENTRYPOINT ["tini", "-g", "--", "pagefold"]
CMD ["serve", "--no-demo"]
