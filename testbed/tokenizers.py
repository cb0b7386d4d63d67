"""Real tokenizers to measure the estimate against, from tables that ship inside packages.

litellm (the ``eval`` extra) carries o200k, cl100k, claude2 and deepseek; dashscope, llama-models and
mistral-common carry one more family each. Their code is not imported and nothing is fetched: install them
with ``pip install --no-deps``. What is not installed is left out.
"""

from __future__ import annotations

import ast
import base64
import importlib
import importlib.util
import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

Count = Callable[[str], int]


def tokenizers() -> dict[str, Count]:
    """Counters by family. Exits with a hint when not even litellm is there."""
    found: dict[str, Count] = {}
    for load in (_litellm, _qwen, _llama, _mistral):
        found.update(load())
    if not found:
        raise SystemExit("testbed.tokens needs the eval extra: pip install 'pagefold[eval]'")
    return found


def _folder(package: str) -> Path | None:
    spec = importlib.util.find_spec(package)
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


def _litellm() -> dict[str, Count]:
    package = _folder("litellm")
    if package is None:
        return {}
    folder = package / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    tiktoken: Any = importlib.import_module("tiktoken")
    library: Any = importlib.import_module("tokenizers")
    found: dict[str, Count] = {}
    for name in ("o200k", "cl100k"):
        found[name] = partial(_by_tiktoken, tiktoken.get_encoding(f"{name}_base"))
    for name, file in (("claude2", "anthropic"), ("deepseek", "deepseek")):
        table = library.Tokenizer.from_file(str(folder / f"{file}_tokenizer.json"))
        found[name] = partial(_by_table, table)
    return found


def _qwen() -> dict[str, Count]:
    folder = _folder("dashscope")
    if folder is None:
        return {}
    pattern = _constant(folder / "tokenizers" / "qwen_tokenizer.py", "PAT_STR")
    return {"qwen": _encoding("qwen", pattern, _ranks(folder / "resources" / "qwen.tiktoken"))}


def _llama() -> dict[str, Count]:
    folder = _folder("llama_models")
    if folder is None:
        return {}
    found = {}
    for name, constant in (("llama3", "pat_str"), ("llama4", "O200K_PATTERN")):
        pattern = _constant(folder / name / "tokenizer.py", constant)
        found[name] = _encoding(name, pattern, _ranks(folder / name / "tokenizer.model"))
    return found


def _mistral() -> dict[str, Count]:
    folder = _folder("mistral_common")
    if folder is None:
        return {}
    table = json.loads((folder / "data" / "tekken_240911.json").read_text(encoding="utf-8"))
    size = table["config"]["default_vocab_size"] - table["config"]["default_num_special_tokens"]
    ranks = {base64.b64decode(row["token_bytes"]): row["rank"] for row in table["vocab"][:size]}
    return {"mistral": _encoding("mistral", table["config"]["pattern"], ranks)}


def _encoding(name: str, pattern: str, ranks: Mapping[bytes, int]) -> Count:
    tiktoken: Any = importlib.import_module("tiktoken")
    made = tiktoken.Encoding(name, pat_str=pattern, mergeable_ranks=dict(ranks), special_tokens={})
    return partial(_by_tiktoken, made)


def _ranks(path: Path) -> dict[bytes, int]:
    rows = (line.split() for line in path.read_bytes().splitlines() if line.strip())
    return {base64.b64decode(token): int(rank) for token, rank in rows}


def _constant(path: Path, name: str) -> str:
    """A string that a module assigns to ``name``, read without running it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign):
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                return str(ast.literal_eval(node.value))
    raise SystemExit(f"{path} has no {name}")


def _by_tiktoken(encoding: Any, text: str) -> int:
    return len(encoding.encode(text, disallowed_special=()))


def _by_table(table: Any, text: str) -> int:
    return len(table.encode(text, add_special_tokens=False).ids)
