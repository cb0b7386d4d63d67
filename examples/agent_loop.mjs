// An agent loop over a Pagefold session, in JavaScript (Node 20 or newer, nothing to install). The
// model is replaced by recorded turns.
//
//     node examples/agent_loop.mjs
//
// PAGEFOLD_URL and PAGEFOLD_DEMO_URL say where the service and its demo pages are. Exit code 0: all
// is as it should be; 1: something is not, and the last line says what.

import { readFile } from "node:fs/promises";

import { Pagefold } from "../api/client/pagefold.mjs";

const SERVICE = process.env.PAGEFOLD_URL ?? "http://127.0.0.1:8000";
const service = new Pagefold(SERVICE, { key: process.env.PAGEFOLD_KEY });
const DEMO = process.env.PAGEFOLD_DEMO_URL ?? "http://127.0.0.1:8001";
const RECORDED = JSON.parse(await readFile(new URL("turns.json", import.meta.url), "utf8"));
const BUDGET_CHARS = 30_000;
const TASK = { role: "user", content: RECORDED.task };

async function main() {
  // 1. Open a session. Everything about it is fixed here, so its prefix can be cached.
  const opened = await service.openSession({
    budget_chars: BUDGET_CHARS,
    system: RECORDED.system,
    tools: RECORDED.tools,
  });
  const session = opened.id;
  console.log(`session opened, budget ${chars(opened.budget_chars)} characters`);

  // 2. The task, then turn after turn: read the context, "ask the model", append its answer.
  let version = await append(session, 0, [TASK], "task");
  for (const [index, turn] of RECORDED.turns.entries()) {
    await service.context(session); // this is what a real loop sends to its model
    version = await takeTurn(session, version, index + 1, turn);
  }

  await checkSafetyNets(session, version);
  const messages = await checkContext(session);
  await expandWhatWasCut(session, messages);
  console.log("all is well");
}

/** Append one recorded turn; the session's new version. */
async function takeTurn(session, version, number, turn) {
  const key = `turn-${number}`;
  if (turn.page) {
    // The service fetches the page, filters it, and appends call and result in one go.
    const wanted = { url: DEMO + turn.page, format: ["markdown"], budget: 4_000 };
    const { page, report } = await service.appendPage(session, wanted, { key, version });
    console.log(`turn ${number}: web_scan read '${page.title}'`);
    return report.version;
  }
  const result = turn.result_from === "log" ? logText() : turn.result;
  const id = `call_${number}`;
  console.log(`turn ${number}: ${turn.tool} gave ${chars(result.length)} characters`);
  const use = { type: "tool_use", id, name: turn.tool, input: turn.input };
  const came = { type: "tool_result", tool_use_id: id, content: result };
  const messages = [
    { role: "assistant", content: [{ type: "text", text: turn.says }, use] },
    { role: "user", content: [came] },
  ];
  return append(session, version, messages, key);
}

/**
 * Append messages at exactly `version`; the new version. What was shortened is printed. The key makes a
 * repeated request harmless; the version makes a stale one fail.
 */
async function append(session, version, messages, key) {
  const report = await service.append(session, messages, { key, version });
  for (const { step, before, after } of report.changes) {
    console.log(`  ${step}: ${chars(before)} characters became ${chars(after)}`);
  }
  return report.version;
}

/** A request that is sent again appends nothing; one that has missed something is refused. */
async function checkSafetyNets(session, version) {
  const stale = { key: "late", version: version - 1 };
  const late = await service.append(session, [TASK], stale).catch((error) => error);
  expect(late.code === "version_mismatch", "a stale version must be refused");
  const again = await append(session, 0, [TASK], "task");
  expect(again === 1, "a repeated key must give the first answer again");
  const now = (await service.session(session)).version;
  expect(now === version, `neither may change the session: ${now}, not ${version}`);
  console.log("stale version refused, repeated key harmless");
}

/** The context fits, keeps the provider's rules, carries the checkpoint, and has an ETag. */
async function checkContext(session) {
  const { context, etag } = await service.context(session);
  const same = await service.context(session, { etag });
  expect(same === null, "an unchanged context must give 304");
  const { messages, stats } = context;
  expect(stats.cost_chars <= BUDGET_CHARS, "the context is over its budget");
  const checked = await service.validate(messages);
  expect(checked.valid, `the context is not valid: ${JSON.stringify(checked.findings)}`);
  const newest = JSON.stringify(messages.at(-1));
  const noted = newest.includes("[WORKING MEMORY]") && newest.includes("station-0201");
  expect(noted, "the checkpoint is missing");
  console.log(`context: ${chars(stats.cost_chars)} characters, ${stats.messages} messages, valid`);
  console.log(`etag ${etag}`);
  return messages;
}

/** The marker in the context names a ref; the ref gives back the whole, a part, or lines. */
async function expandWhatWasCut(session, messages) {
  const marker = /\[\.\.\. [\d,]+ characters taken out, ref=(a:[0-9a-f]+)/.exec(
    JSON.stringify(messages),
  );
  expect(marker, "there is no marker in the context");
  const ref = marker[1];
  const whole = await service.expand(session, ref);
  expect(whole.text === logText(), "the archive must give the log back exactly");
  const peek = await service.expand(session, ref, { start: 10_000, count: 49 });
  expect(peek.text === whole.text.slice(10_000, 10_049), "peek must give the range asked for");
  const lines = await service.grep(session, ref, "error");
  expect(lines.length === 1, `one line holds the error, not ${lines.length}`);
  console.log(`expanded ${chars(whole.total)} characters; line ${lines[0].line}: ${lines[0].text}`);
}

/** A log of exactly 20,000 characters: 400 lines of 50, one of them an error. */
function logText() {
  const two = (number) => String(number).padStart(2, "0");
  let text = "";
  for (let number = 1; number <= 400; number++) {
    const word = number === 201 ? "ERROR quota exceeded" : "ok";
    const time = `02:${two(Math.floor(number / 60))}:${two(number % 60)}`;
    const station = String(number).padStart(4, "0");
    text += `${time} import station-${station} ${word}`.padEnd(49) + "\n";
  }
  return text;
}

function expect(holds, otherwise) {
  if (!holds) throw new Error(otherwise);
}

function chars(number) {
  return number.toLocaleString("en-US");
}

try {
  await main();
} catch (error) {
  console.error(`wrong: ${error.message}`);
  process.exitCode = 1;
}
