"""crawl4ai's pruning filter as a process: run by the Python that has crawl4ai, importing nothing of ours."""

import importlib
import json
import os
import sys
import time


def main() -> None:
    """One line of JSON a page in, one out, until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # the library prints what it likes; answers have a channel of their own
    filters = importlib.import_module("crawl4ai.content_filter_strategy")
    made = filters.PruningContentFilter()
    for line in sys.stdin:
        page, error, parts = json.loads(line), "", []
        before = time.process_time()
        try:
            parts = made.filter_content(page["html"])
        except (
            Exception
        ) as failure:  # whatever it raises, the page counts as failed and the next may work
            error = f"{type(failure).__name__}: {failure}"
        spent = (time.process_time() - before) * 1000
        answer = {"html": "\n".join(parts), "cpu_ms": spent, "error": error}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
