#!/bin/sh
# An agent loop over a Pagefold session, with curl; jq takes the JSON apart. The model is replaced by
# recorded turns.
#
#     sh examples/agent_loop.sh
#
# PAGEFOLD_URL and PAGEFOLD_DEMO_URL say where the service and its demo pages are. Exit code 0: all
# is as it should be; 1: something is not, and the last line says what.
set -eu

service=${PAGEFOLD_URL:-http://127.0.0.1:8000}
demo=${PAGEFOLD_DEMO_URL:-http://127.0.0.1:8001}
turns=$(dirname "$0")/turns.json
budget=30000
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "wrong: $*" >&2; exit 1; }
for tool in curl jq; do
    command -v "$tool" >/dev/null || wrong "$tool is not installed"
done

# send METHOD PATH [curl's own arguments]: the body is in $work/answer, the headers in
# $work/headers, the status in $status.
send() {
    method=$1 path=$2
    shift 2
    status=$(curl -sS --max-time 60 -X "$method" "$service$path" -D "$work/headers" -o "$work/answer" \
        ${PAGEFOLD_KEY:+-H} ${PAGEFOLD_KEY:+"Authorization: Bearer $PAGEFOLD_KEY"} \
        -w '%{http_code}' "$@") || wrong "no answer from $service; is 'make serve' running?"
}

# call: as send, but an error ends the script. Errors are problem documents: `code` for programs,
# `detail` for people.
call() {
    send "$@"
    [ "$status" -lt 400 ] || wrong "$method $path: $(jq -r '.code + ": " + .detail' "$work/answer")"
}

field() { jq -r "$1" "$work/answer"; }
etag() { tr -d '\r' <"$work/headers" | sed -n 's/^[Ee][Tt][Aa][Gg]: //p'; }

# append KEY VERSION: $work/body is sent. The key makes a repeated request harmless; the version
# makes a stale one fail. Bodies go through files: a command line has a limit, a log has not.
append() {
    call POST "$session/messages" -H 'Content-Type: application/json' \
        -H "Idempotency-Key: $1" -H "If-Match: \"v$2\"" --data-binary "@$work/body"
    field '.changes[] | "  \(.step): \(.before) characters became \(.after)"'
    version=$(field .version)
}

# A log of exactly 20,000 characters: 400 lines of 50, one of them an error.
number=1
while [ $number -le 400 ]; do
    word=ok
    [ $number -ne 201 ] || word='ERROR quota exceeded'
    line=$(printf '02:%02d:%02d import station-%04d %s' $((number / 60)) $((number % 60)) $number "$word")
    printf '%-49s\n' "$line"
    number=$((number + 1))
done >"$work/log"

# 1. Open a session. Everything about it is fixed here, so its prefix can be cached.
jq "{budget_chars: $budget, system, tools}" "$turns" >"$work/body"
call POST /v1/sessions -H 'Content-Type: application/json' --data-binary "@$work/body"
session=/v1/sessions/$(field .id)
echo "session opened, budget $(field .budget_chars) characters"

# 2. The task, then turn after turn: read the context, "ask the model", append its answer.
jq '{format: "anthropic", messages: [{role: "user", content: .task}]}' "$turns" >"$work/task"
cp "$work/task" "$work/body"
append task 0

count=$(jq '.turns | length' "$turns")
turn=1
while [ "$turn" -le "$count" ]; do
    call GET "$session/context?format=anthropic" # this is what a real loop sends to its model
    jq ".turns[$turn - 1]" "$turns" >"$work/turn"
    page=$(jq -r '.page // empty' "$work/turn")
    if [ -n "$page" ]; then
        # The service fetches the page, filters it, and appends call and result in one go.
        jq -n --arg url "$demo$page" \
            '{page: {url: $url, format: ["markdown"], budget: 4000}}' >"$work/body"
        call POST "$session/pages" -H 'Content-Type: application/json' \
            -H "Idempotency-Key: turn-$turn" -H "If-Match: \"v$version\"" --data-binary "@$work/body"
        echo "turn $turn: web_scan read '$(field .page.title)'"
        version=$(field .report.version)
    else
        jq --rawfile log "$work/log" --arg id "call_$turn" '{format: "anthropic", messages: [
            {role: "assistant", content: [
                {type: "text", text: .says},
                {type: "tool_use", id: $id, name: .tool, input: .input}]},
            {role: "user", content: [
                {type: "tool_result", tool_use_id: $id,
                 content: (if .result_from == "log" then $log else .result end)}]}]}' \
            "$work/turn" >"$work/body"
        echo "turn $turn: $(jq -r '.messages | "\(.[0].content[1].name) gave \(
            .[1].content[0].content | length) characters"' "$work/body")"
        append "turn-$turn" "$version"
    fi
    turn=$((turn + 1))
done

# 3. A request that has missed something is refused; one that is sent again appends nothing.
at=$version
send POST "$session/messages" -H 'Content-Type: application/json' -H 'Idempotency-Key: late' \
    -H "If-Match: \"v$((at - 1))\"" --data-binary "@$work/task"
[ "$status" = 412 ] || wrong "a stale version must give 412, not $status"
cp "$work/task" "$work/body"
append task 0
[ "$version" = 1 ] || wrong "a repeated key must give the first answer again"
call GET "$session"
[ "$(field .version)" = "$at" ] || wrong "neither may change the session: $(field .version), not $at"
echo "stale version refused, repeated key harmless"

# 4. The context fits, keeps the provider's rules, carries the checkpoint, and has an ETag.
call GET "$session/context?format=anthropic"
tag=$(etag)
cp "$work/answer" "$work/context"
call GET "$session/context?format=anthropic" -H "If-None-Match: $tag"
[ "$status" = 304 ] || wrong "an unchanged context must give 304, not $status"
jq -e ".stats.cost_chars <= $budget" "$work/context" >/dev/null || wrong "the context is over its budget"
jq '{profile: "anthropic", messages}' "$work/context" >"$work/body"
call POST /v1/validate -H 'Content-Type: application/json' --data-binary "@$work/body"
[ "$(field .valid)" = true ] || wrong "the context is not valid: $(field .findings)"
jq -e '.messages[-1] | tostring | contains("[WORKING MEMORY]") and contains("station-0201")' \
    "$work/context" >/dev/null || wrong "the checkpoint is missing"
jq -r '"context: \(.stats.cost_chars) characters, \(.stats.messages) messages, valid"' "$work/context"
echo "etag $tag"

# 5. The marker in the context names a ref; the ref gives back the whole, a part, or lines.
ref=$(sed -n 's/.*\[\.\.\. [0-9,]* characters taken out, ref=\(a:[0-9a-f]*\).*/\1/p' "$work/context")
[ -n "$ref" ] || wrong "there is no marker in the context"
call GET "$session/archive/$ref"
total=$(field .total)
jq -j .text "$work/answer" >"$work/whole"
cmp -s "$work/whole" "$work/log" || wrong "the archive must give the log back exactly"
call GET "$session/archive/$ref?start=10000&count=49"
[ "$(field .text)" = "$(tail -c +10001 "$work/log" | head -c 49)" ] ||
    wrong "peek must give the range asked for"
call GET "$session/archive/$ref?keyword=error"
[ "$(field '.lines | length')" = 1 ] || wrong "one line holds the error, not $(field '.lines | length')"
echo "expanded $total characters; $(field '.lines[0] | "line \(.line): \(.text)"')"
echo "all is well"
