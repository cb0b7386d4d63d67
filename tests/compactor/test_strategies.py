"""Every strategy keeps every guarantee, alone and by policy; each shows what makes it another than the rest."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from compactor import ObjectArchive, Policy, Session, SqlStore, validate
from compactor.cost import history_cost
from compactor.errors import InvalidRequest
from compactor.estimate import estimate_tokens
from compactor.formats import read, write
from compactor.messages import CLEARED, FOLDED, SUMMARISED, SUMMARY, Message
from compactor.strategies import NAMES, STRATEGIES, Outcome, StrategyRule, Work, built_in, run
from compactor.strategies.choosing import choices, made_again
from compactor.summarise import Reply, SummaryRequest
from compactor.trust import Statement
from tests.compactor.histories import EAGER, HISTORIES, recorded

Json = Any
FEW = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
WORKING = tuple(name for name in NAMES if name != "none")


def _policy(name: str, budget: int = 3_000, **changes: Json) -> Policy:
    return Policy(budget_chars=budget, strategy=StrategyRule.of(name, **{**EAGER, **changes}))


def _valid(messages: list[Json], format: str) -> None:
    if format != "text":
        assert [f for f in validate(messages, format) if f.severity == "error"] == []


@pytest.mark.parametrize("name", WORKING)
@settings(parent=FEW, max_examples=5)
@given(HISTORIES)
def test_a_strategy_alone_is_pure_never_grows_and_has_had_its_say_after_once(
    name: str, history: tuple[str, list[Json]]
) -> None:
    format, messages = history
    session = Session(Policy(budget_chars=400_000, anchor=False))
    session.append_many(messages, format)
    before = read(session.context(format).messages, format)
    before = [replace(message, seq=n) for n, message in enumerate(before)]
    work = _work(name, **EAGER)
    one, two = run(before, work), run(before, work)
    assert _written(one, format) == _written(two, format)
    assert history_cost(_written(one, format)) <= history_cost(write(before, format)[0])
    _valid(_written(one, format), format)
    if name not in ("focused", "conditional"):  # these have no trigger of their own when alone
        assert run(one.history, work).changes == []


def _work(name: str, ask: Json = built_in, archive: Json = None, **changes: Json) -> Work:
    rule = StrategyRule.of(name, **changes)
    return Work(rule, Policy(anchor=False), archive or ObjectArchive(), ask)


def _written(outcome: Outcome, format: str = "anthropic") -> list[Json]:
    return write(outcome.history, format)[0]


def _fixture() -> list[Message]:
    """A task, twelve turns with one result each of different kinds, and the assistant's words."""
    prose = "The {n} service keeps its queue in cell_{n}a. It was slow on Monday. " * 30
    table = json.dumps(
        [{"id": n, "state": "ok" if n % 4 else "bad", "ms": n * 7} for n in range(90)]
    )
    results: list[tuple[str, Json, str]] = [
        ("web_search", {"q": "queue"}, prose.format(n=1) + "\nERROR 7701: cell_1a is full"),
        ("bash", {"command": "make deploy"}, prose.format(n=2)),
        ("query", {"sql": "select * from runs"}, table),
        ("read_file", {"path": "a.txt"}, prose.format(n=4)),
        ("read_file", {"path": "a.txt"}, prose.format(n=4)),
        ("mystery", {"x": 1}, prose.format(n=6)),
        *(("web_search", {"q": str(n)}, prose.format(n=n)) for n in range(7, 13)),
    ]
    messages: list[Json] = [
        {"role": "user", "content": "Find out why cell_9a is slow. Never restart it."}
    ]
    for n, (tool, value, text) in enumerate(results):
        call = {"type": "tool_use", "id": f"c{n}", "name": tool, "input": value}
        said = {"type": "text", "text": f"Step {n}: I decided to look at item_{n}x next."}
        messages.append({"role": "assistant", "content": [said, call]})
        answer = {"type": "tool_result", "tool_use_id": f"c{n}", "content": text}
        messages.append({"role": "user", "content": [answer]})
    messages.append({"role": "assistant", "content": "All looked at."})
    messages.append({"role": "user", "content": "go on"})
    return [replace(message, seq=n) for n, message in enumerate(read(messages, "anthropic"))]


def _made(name: str, **changes: Json) -> Outcome:
    own: dict[str, Json] = {"keep_turns": 4, "renew_turns": 2, "keep_messages": 6}
    return run(_fixture(), _work(name, **{**own, **changes}))


def _marks(outcome: Outcome) -> list[str]:
    return [block.name for message in outcome.history for block in message.results]


def test_every_two_strategies_differ_on_one_history() -> None:
    made = {name: json.dumps(_written(_made(name))) for name in NAMES}
    assert all(made[one] != made[two] for one, two in combinations(NAMES, 2))
    assert made["none"] == json.dumps(write(_fixture(), "anthropic")[0])
    assert tuple(STRATEGIES) == NAMES


def test_cleared_results_keep_the_newest_and_fold_what_was_read_twice() -> None:
    made = _made("clear_tool_results", reference=("mystery",), exclude=("bash",))
    marks = _marks(made)
    assert marks[-3:] == ["", "", ""]
    assert marks[0] == CLEARED
    assert marks[1] == ""
    assert marks[3] == marks[4] == marks[5] == FOLDED
    (first,) = made.history[2].results
    assert first.text.startswith("[result of web_search cleared, ")
    pinned = [replace(message, pinned=True) for message in _fixture()]
    assert run(pinned, _work("clear_tool_results")).changes == []


def test_individual_gives_each_result_a_summary_of_its_own() -> None:
    made = _made("individual")
    marks = _marks(made)
    assert marks[2] == FOLDED  # the table has a structure, so it is not summarised
    assert marks.count(SUMMARISED) == 8
    (first,) = made.history[2].results
    head, *lines = first.text.split("\n")
    assert head.startswith("[summary of the result of web_search, ")
    assert "> ERROR 7701: cell_1a is full" in lines
    assert estimate_tokens("\n".join(lines)) <= 220


def test_combined_has_one_summary_that_the_other_results_name() -> None:
    made = _made("combined")
    texts = [b.text for message in made.history for b in message.results if b.name == SUMMARISED]
    assert sum(text.startswith("[summary of 8 results") for text in texts) == 1
    assert sum("summarised together with call c" in text for text in texts) == len(texts) - 1


def test_task_aware_keeps_what_serves_the_goal() -> None:
    requests: list[SummaryRequest] = []

    def ask(request: SummaryRequest) -> Reply:
        requests.append(request)
        return built_in(request)

    run(_fixture(), _work("task_aware", ask))
    assert {request.goal for request in requests} == {
        "Find out why cell_9a is slow. Never restart it."
    }
    text = (
        "Rows are kept in table_a1.\nThe queue of cell_9a is slow since Monday.\nDisks use fs_b2."
    )
    line = _statement("tool:web", text)
    wanted = "tool:web: The queue of cell_9a is slow since Monday."
    most = estimate_tokens(wanted) + 1
    short = SummaryRequest((line,), most, goal="why is the queue of cell_9a slow")
    assert built_in(short).text == wanted


def _statement(source: str, text: str, ref: str = "") -> Json:
    return Statement(source, " ".join(text.split()), ref, text)


def test_cited_rejects_what_no_ref_covers() -> None:
    archive = ObjectArchive()

    def ask(request: SummaryRequest) -> Reply:
        good = request.statements[0].ref
        lines = [
            f"tool:web_search: cell_1a is full (ref={good})",
            "tool:web_search: nobody said so (ref=a:00000000)",
            "tool:web_search: no ref at all",
        ]
        return Reply("\n".join(lines), "model")

    made = run(_fixture(), _work("cited", ask, archive))
    assert "2 statements of model rejected: no ref that resolves" in made.notes
    text = json.dumps(_written(made))
    assert "cell_1a is full (ref=a:" in text
    assert "nobody said so" not in text
    assert "no ref at all" not in text
    plain = run(_fixture(), _work("cited", archive=archive))
    cited = [line for line in _lines(plain) if line.startswith("> tool:")]
    assert cited
    for line in cited:
        archive.get(line.rpartition("ref=")[2].rstrip(")"))


def _lines(outcome: Outcome) -> list[str]:
    return [
        line
        for message in outcome.history
        for block in message.blocks
        for line in block.text.split("\n")
    ]


def test_windowed_waits_for_its_window_and_never_compresses_twice() -> None:
    quiet = replace(_work("windowed"), share=lambda _: 0.79)
    assert run(_fixture(), quiet).changes == []
    made = _made("windowed")
    assert _marks(made).count("") == 0  # everything that was used, the newest too
    asked: list[SummaryRequest] = []

    def ask(request: SummaryRequest) -> Reply:
        asked.append(request)
        return built_in(request)

    assert run(made.history, _work("windowed", ask)).changes == []
    assert asked == []


def test_rolling_keeps_the_newest_turns_and_one_bounded_summary() -> None:
    made = _made("rolling", most_tokens=300)
    summaries = _summaries(made)
    assert len(summaries) == 1
    assert estimate_tokens(summaries[0]) <= 340
    assert len([m for m in made.history if m.role == "assistant"]) == 4
    assert _written(made)[-8:] == write(_fixture()[-8:], "anthropic")[0]
    again = run(made.history, _work("rolling", keep_turns=4, renew_turns=2))
    assert again.changes == []


def _summaries(outcome: Outcome) -> list[str]:
    return [b.text for m in outcome.history for b in m.blocks if b.name == SUMMARY]


def test_focused_has_a_section_of_its_own_for_each_class() -> None:
    (text,) = _summaries(_made("focused", fold=False))
    heads = [line for line in text.split("\n")[1:] if not line.startswith("> ")]
    assert heads == ["[decision]", "[state]", "[knowledge]", "[error]"]
    decisions, rest = text.split("[state]")[0], text.split("[error]")[1]
    assert "I decided to look at item_0x" in decisions
    assert "ERROR 7701" not in decisions
    assert rest.strip() == "> tool:web_search: ERROR 7701: cell_1a is full"


def test_conditional_waits_for_its_trigger_and_folds_first() -> None:
    history = _fixture()
    assert run(history, replace(_work("conditional"), share=lambda _: 0.84)).changes == []
    assert run(history, _work("conditional", trigger_tokens=10**6)).changes == []
    made = _made("conditional")
    assert {change.step for change in made.changes} == {"fold", "summarise"}
    assert len(_summaries(made)) == 1
    # Where folding is enough, there is no summary.
    folded = replace(
        _work("conditional", keep_messages=6), share=lambda some: 0.9 if some is history else 0.5
    )
    assert {change.step for change in run(history, folded).changes} == {"fold"}


def test_choose_says_why_it_folds_or_summarises() -> None:
    work = _work("choose", keep_results=0)
    why = {used.result.id: choice.reason for used, choice in choices(_fixture(), work)}
    assert why["c1"] == "hard to make again"
    assert why["c3"] == why["c4"] == "read more than once"
    assert why["c5"] == "unsure whether it can be made again"
    assert why["c7"] == "easy to make again, rarely used"
    history = _fixture()
    call = history[9].calls[0].edited(input={"x": "cell_1a", "y": "7701 cell_1a"})
    assert made_again("Bash", {"command": "ls -la src"})
    assert made_again("Bash", {"command": "rm -rf x"}) is False
    assert call.dirty
    over = replace(work, share=lambda _: 1.2)
    assert {b for b in _marks(run(_fixture(), over)) if b} == {SUMMARISED}
    assert FOLDED in _marks(run(_fixture(), work))


def test_a_failing_summariser_is_replaced_and_named() -> None:
    def broken(request: SummaryRequest) -> Reply:
        return Reply("", "model", ("model failed: TimeoutError",))

    made = run(_fixture(), _work("individual", broken))
    assert _marks(made).count(SUMMARISED) == 8
    whys = {change.why for change in made.changes if change.step == "summarise"}
    assert whys == {"individual by extractive in place of model (model failed: TimeoutError)"}


@pytest.mark.parametrize("reply", ["", "x " * 9_000, "   "])
def test_what_is_empty_or_grows_is_never_committed(reply: str) -> None:
    made = run(_fixture(), _work("rolling", lambda _: Reply(reply, "model"), keep_turns=4))
    (text,) = _summaries(made)
    assert reply.strip() == "" or reply.strip() not in text
    assert "in place of model" in made.changes[0].why


def test_summaries_carry_the_facts_of_what_left_with_refs() -> None:
    archive = ObjectArchive()
    made = run(_fixture(), _work("rolling", archive=archive, keep_turns=4, most_tokens=40))
    line = next(line for line in _lines(made) if "ERROR 7701" in line)
    assert line.startswith("> tool:web_search: ")
    assert "ERROR 7701: cell_1a is full" in json.dumps(archive.get(line.rpartition("ref=")[2][:-1]))


def test_a_session_comes_back_from_its_log_with_the_replies_of_its_summariser() -> None:
    def model(request: SummaryRequest) -> str:
        calls.append(request)
        return f"{request.statements[0].source}: reply {len(calls)} of a model"

    calls: list[SummaryRequest] = []
    policy = _policy("individual", 9_000)
    with TemporaryDirectory() as folder:
        store = SqlStore(f"sqlite:///{Path(folder) / 's.db'}")
        store.create("s", {})
        session = Session(policy, store=store, session_id="s", summariser=model)
        for message in write(_fixture(), "anthropic")[0]:
            session.append(message)
        count = len(calls)
        assert count > 3
        again = Session(policy, store=store, session_id="s")
        again.replay(store.entries("s"))
        assert again.context().messages == session.context().messages
        assert len(calls) == count
        assert "of a model" in json.dumps(again.context().messages)
        store.close()


@pytest.mark.parametrize("name", ["clear_tool_results", "choose", "rolling"])
def test_recorded_histories_fit_and_stay_valid_under_a_strategy(name: str) -> None:
    done = 0
    for _, format, messages in recorded()[:7]:
        session = Session(Policy(budget_chars=40_000, strategy=StrategyRule.of(name)))
        for message in messages[:120]:
            done += len(session.append(message, format).changes)
        made = session.context(format).messages
        _valid(made, format)
        assert history_cost(made) <= 40_000
        assert len(session.certificate(session.context(format))) == len(messages[:120])
    assert done > 20


@pytest.mark.parametrize(
    "changes", [{"trigger_share": 0}, {"keep_messages": 0}, {"name": "best"}, {"facts_share": 0.9}]
)
def test_wrong_settings_are_refused(changes: dict[str, Json]) -> None:
    with pytest.raises(InvalidRequest):
        StrategyRule(**changes)
    with pytest.raises(InvalidRequest):
        StrategyRule.of("best")


def test_where_nothing_is_worth_a_sentence_each_turn_keeps_a_line_with_its_ref() -> None:
    archive = ObjectArchive()
    plain = [
        {"role": "assistant" if n % 2 else "user", "content": "so it goes and so it went " * 20}
        for n in range(24)
    ]
    history = [replace(message, seq=n) for n, message in enumerate(read(plain, "anthropic"))]
    made = run(history, _work("conditional", archive=archive, keep_messages=4, most_tokens=4))
    (text,) = _summaries(made)
    lines = text.split("\n")[1:]
    assert lines[0].startswith("> assistant: assistant (ref=a:")
    assert archive.get(lines[0].rpartition("ref=")[2][:-1]) == [plain[1]]
    assert {change.why for change in made.changes} == {"conditional by turns"}


def test_a_session_drops_replaced_values_from_what_it_summarises() -> None:
    rule = StrategyRule.of("rolling", keep_turns=2, renew_turns=2, facts_share=0.0)
    session = Session(Policy(budget_chars=60_000, anchor=False, strategy=rule))
    session.append({"role": "user", "content": "go"})
    for n in range(3):
        session.append(
            {"role": "assistant", "content": f"The staging port is 48213. Step s_{n} is done."}
        )
        session.append({"role": "user", "content": f"and then s_{n}?"})
    for n in range(5):
        session.append({"role": "user", "content": "The staging port is now 59120."})
        session.append({"role": "assistant", "content": f"I decided to use part_{n}."})
    shown = json.dumps(session.context().messages)
    assert "[summary of " in shown
    assert "48213" not in shown.split("[summary of ")[1]
