// `npm run acceptance [-- host...]`: real host agents from npm against a scripted model on loopback, with `mem install`.
// Each has a private HOME and data directory; no account, no key, nothing outside this machine but the npm registry.
import { claudeCode } from "./claude-code.mjs";
import { codex } from "./codex.mjs";
import { copilotCli } from "./copilot-cli.mjs";
import { geminiCli } from "./gemini-cli.mjs";
import { kilo } from "./kilo.mjs";
import { openclaw } from "./openclaw.mjs";
import { opencode } from "./opencode.mjs";
import { pi } from "./pi.mjs";
import { qwenCode } from "./qwen-code.mjs";
import { acceptHost } from "./scenario.mjs";

/** A host is one module with the parts that `acceptHost` names. */
const hosts = {
  "claude-code": claudeCode,
  codex,
  "gemini-cli": geminiCli,
  "copilot-cli": copilotCli,
  opencode,
  kilo,
  pi,
  "qwen-code": qwenCode,
  openclaw,
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in hosts));
if (unknown.length > 0) {
  console.error(`No acceptance of ${unknown.join(", ")}. Known hosts: ${Object.keys(hosts).join(", ")}.`);
  process.exit(2);
}

const rows = [];
for (const [name, host] of Object.entries(hosts)) {
  if (asked.length === 0 || asked.includes(name)) rows.push(...(await acceptHost(host)));
}
const width = Math.max(...rows.map(({ feature }) => feature.length));
console.log();
for (const { host, feature, result, detail } of rows) {
  console.log(`${host.padEnd(12)} ${feature.padEnd(width)}  ${result.padEnd(6)} ${detail}`.trimEnd());
}
const failed = rows.filter(({ result }) => result === "fail").length;
console.log(`\n${rows.filter(({ result }) => result === "pass").length} passed, ${failed} failed`);
process.exit(failed > 0 ? 1 : 0);
