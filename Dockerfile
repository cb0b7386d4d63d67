# syntax=docker/dockerfile:1
#
# Chromium keeps its sandbox in here: it makes user namespaces, which Docker's default seccomp profile
# refuses, so run the image with deploy/seccomp.json. deploy/compose.yaml and deploy/kubernetes.yaml do, and
# docs/how-to/operate.md says what else belongs around it.
#
# The base is pinned by version. Pin it by content before you rely on it:
#   docker buildx imagetools inspect python:3.11.14-slim-bookworm --format '{{.Manifest.Digest}}'
#   docker build --build-arg PYTHON_IMAGE=python:3.11.14-slim-bookworm@sha256:… .
ARG PYTHON_IMAGE=python:3.11.14-slim-bookworm

FROM ${PYTHON_IMAGE} AS build

WORKDIR /src
RUN python -m venv /opt/pagefold
# Only wheels, so that nothing of a package runs while it is installed; jstyleson has none.
COPY deploy/constraints.txt deploy/
RUN /opt/pagefold/bin/pip install --no-cache-dir --no-deps --require-hashes \
    --only-binary :all: --no-binary jstyleson --requirement deploy/constraints.txt
COPY . .
RUN /opt/pagefold/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/pagefold/bin/python -m compileall -q /opt/pagefold/lib

FROM ${PYTHON_IMAGE}

# Not pinned, so that each build has Debian's security updates of Chromium. libatomic1 is for Playwright's
# driver; the fonts keep widths and screenshots right in the scripts that pages are written in: Latin, Greek,
# Cyrillic, Arabic, Hebrew, Devanagari and more (core), Chinese, Japanese, Korean (cjk), emoji.
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
    && fc-cache --system-only \
    && useradd --system --no-create-home --home-dir /tmp --uid 10001 pagefold \
    && install --directory --owner=pagefold --group=pagefold --mode=0700 /data

COPY --from=build /opt/pagefold /opt/pagefold

# All that is written goes to /data and /tmp, so that the root can be read-only.
ENV PATH=/opt/pagefold/bin:$PATH \
    HOME=/tmp \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    PAGEFOLD_CHROMIUM_PATH=/usr/bin/chromium-headless-shell \
    PAGEFOLD_DATA_DIR=/data \
    PAGEFOLD_HOST=0.0.0.0 \
    PAGEFOLD_LOG_FORMAT=json \
    PAGEFOLD_PORT=8000

USER 10001
WORKDIR /tmp
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 CMD ["python", "-c", \
    "import os, urllib.request as r; r.urlopen(f\"http://127.0.0.1:{os.environ['PAGEFOLD_PORT']}/healthz\", timeout=4)"]
# Without -g: a signal to the whole group would take the browser away from the requests that still run.
ENTRYPOINT ["tini", "--", "pagefold"]
CMD ["serve", "--no-demo"]
