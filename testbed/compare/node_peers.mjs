// One extractor over standard input: a line {html, url} in, a line {html, cpu_ms, error} out.
import { createRequire } from "node:module";
import readline from "node:readline";

const peer = process.argv[2];
const load = createRequire(process.env.PAGEFOLD_NODE_PEERS + "/peers.js");
const { parseHTML } = load("linkedom");
// What the extractors print must not mix with the answers.
for (const level of ["log", "info", "warn", "error", "debug"]) console[level] = () => {};

const extractors = {
  async readability() {
    const { Readability } = load("@mozilla/readability");
    return ({ html }) => new Readability(parseHTML(html).document).parse()?.content ?? "";
  },
  async defuddle() {
    const entry = load.resolve("defuddle").replace(/index\.js$/, "node.js");
    const { Defuddle } = await import(entry);
    return async ({ html, url }) => {
      const { document } = parseHTML(html);
      const found = await Defuddle(document, url ?? "http://localhost/", { useAsync: false });
      return found.content ?? "";
    };
  },
};

const extract = await extractors[peer]();
for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const before = process.cpuUsage();
  let html = "", error = null;
  try {
    html = await extract(JSON.parse(line));
  } catch (thrown) {
    error = String(thrown?.message ?? thrown).slice(0, 200);
  }
  const spent = process.cpuUsage(before);
  const cpu_ms = (spent.user + spent.system) / 1000;
  process.stdout.write(JSON.stringify({ html, cpu_ms, error }) + "\n");
}
