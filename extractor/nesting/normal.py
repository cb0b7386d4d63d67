"""From any tree to one in normal form."""

from __future__ import annotations

from extractor.nesting.rules import (
    IN_BAD_SELECT,
    RULES,
    TABLE,
    Plan,
    inner_bits,
    name_under,
    plan_of,
)
from extractor.nesting.tables import STRUCTURE, is_legal_part
from extractor.nesting.writable import all_writable, attributes, clean_text
from extractor.nesting.writer import Open, Writer
from extractor.tree import TEXT, Tree

_HEAD_CHILDREN = frozenset({"title", "meta", "link", "base"})


def normalise(tree: Tree) -> Tree:
    """The same text in the same order, in a tree that survives being written and parsed again.

    Idempotent; linear in the number of nodes. Nesting past ``max_depth`` levels is flattened.
    """
    return _Normaliser(tree).run()


class _Normaliser(Writer):
    def __init__(self, tree: Tree) -> None:
        super().__init__()
        self.source = tree
        self.pending_break = False
        self.writable = all_writable(tree)

    def run(self) -> Tree:
        source = self.source
        html_attrs = source.attrs[0] if len(source) else None
        self.emit("html", attributes(html_attrs, None), len(source), 0)
        head, body = self._find("head"), self._body()
        self._head(head)
        if body is None:
            self.emit("body", None, len(source), 0)
        else:
            renamed = None if source.tag[body] == "body" else source.tag[body]
            self.emit("body", attributes(source.attrs[body], renamed), source.end[body], 0)
            self._walk(body + 1, source.end[body])
        return self.finish()

    def _find(self, tag: str) -> int | None:
        source, node = self.source, 1
        while node < len(source):
            if source.tag[node] == tag:
                return node
            node = source.end[node]
        return None

    def _body(self) -> int | None:
        found = self._find("body")
        return found if found is not None else self._find("frameset")

    def _head(self, head: int | None) -> None:
        source = self.source
        self.emit("head", None, source.end[head] if head is not None else 1, 0)
        node, stop = (head + 1, source.end[head]) if head is not None else (0, 0)
        while node < stop:
            tag = source.tag[node]
            if tag in _HEAD_CHILDREN:
                self.emit(tag, attributes(source.attrs[node], None), source.end[node], 0)
                if tag == "title":
                    self.write(self._all_text(node))
                self.pop()
            node = source.end[node]
        self.pop()

    def _walk(self, node: int, stop: int) -> None:
        source, stack = self.source, self.stack
        tags, ends = source.tag, source.end
        plans: dict[str, Plan | None] = {}
        while node < stop:
            top = stack[-1]
            while top[0] <= node:
                self.pop()
                top = stack[-1]
            tag = tags[node]
            if tag == TEXT:
                self._place_text(source.text[node], top)
                node += 1
                continue
            plan = plans[tag] if tag in plans else plans.setdefault(tag, plan_of(tag))
            if plan is None or top[4] or len(stack) >= RULES.max_depth:
                node = self._element(node, tag, ends[node])
                continue
            forbidden, _, _, under, void, _ = plan
            if (
                top[3] & forbidden
                or (top[2] in TABLE if under is None else top[2] not in under)
                or void
                and ends[node] > node + 1
            ):
                node = self._element(node, tag, ends[node])
            else:
                self._plain(node, tag, plan, top)
                node += 1

    def _plain(self, node: int, tag: str, plan: Plan, top: Open) -> None:
        """Place an element that may stand here as it is."""
        out, source = self.out, self.source
        _, keep, add, _, void, closes_p = plan
        index = len(out.tag)
        if closes_p:
            self.at_block(tag, index)
        out.tag.append(tag)
        out.parent.append(top[1])
        raw = source.attrs[node]
        out.attrs.append((raw or None) if self.writable else attributes(raw, None))
        out.text.append("")
        if void:
            out.end.append(index + 1)
            return
        out.end.append(0)
        self.stack.append((source.end[node], index, tag, top[3] & keep | add, False))

    def _element(self, node: int, tag: str, end: int) -> int:
        """Place any element; the index of the next node to look at."""
        if tag in RULES.drop:
            return end
        if tag in ("col", "colgroup") and not self._all_text(node).strip():
            return end
        name = self._name(node, tag, end)
        top = self.fit(name)
        if name in RULES.table_parts and not is_legal_part(name, top[2]):
            name = "div"
            top = self.fit(name)
        if len(self.stack) >= RULES.max_depth and name not in RULES.void:
            self.pending_break = True
            return node + 1
        attrs = attributes(self.source.attrs[node], tag if name != tag else None)
        if name in RULES.void:
            self.emit(name, attrs, end, top[3])
            self.pop()
            return end
        self.emit(name, attrs, end, inner_bits(top[3], name, tag))
        if name == "textarea":
            self.write(clean_text(self._all_text(node)))
            return end
        return end if tag in ("iframe", "frame") else node + 1

    def _name(self, node: int, tag: str, end: int) -> str:
        """The name under which an element may stand here."""
        _, _, above, bits, _ = self.stack[-1]
        if tag in RULES.void:
            return "span" if end > node + 1 and self._all_text(node).strip() else tag
        if tag == "select":
            return tag if not bits & IN_BAD_SELECT and self._plain_select(node) else "span"
        return name_under(bits, tag, above)

    def _plain_select(self, select: int) -> bool:
        """Whether a select holds nothing but options and groups of options with plain text."""
        source = self.source
        for node in range(select + 1, source.end[select]):
            tag, above = source.tag[node], source.tag[source.parent[node]]
            if tag == TEXT:
                if above != "option" and source.text[node].strip():
                    return False
            elif tag == "option":
                if above not in ("select", "optgroup"):
                    return False
            elif tag != "optgroup" or above != "select":
                return False
        return True

    def _place_text(self, data: str, top: Open) -> None:
        if not self.writable:
            data = clean_text(data)
        if top[2] in STRUCTURE:
            if top[2] in ("select", "optgroup") or not data.strip(" \t\n\f"):
                return
            self.fit(TEXT)
        elif top[4]:
            self.fit(TEXT)
        if self.pending_break:
            data, self.pending_break = "\n" + data, False
        self.write(data)

    def _all_text(self, node: int) -> str:
        """The text inside a node, without that of elements that are dropped."""
        source, parts, inner = self.source, list[str](), node + 1
        while inner < source.end[node]:
            dropped = source.tag[inner] in RULES.drop
            parts.append("" if dropped else source.text[inner])
            inner = source.end[inner] if dropped else inner + 1
        return "".join(parts)
