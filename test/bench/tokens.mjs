// Input tokens for one observation: 50 recorded tool uses of a busy session in the calls that gathering makes of them,
// against a call for each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ratioFigure } from "./measure.mjs";
import { root } from "./worker.mjs";

// A session that works without a pause, and a model that takes its time: both are simulated, nothing waits.
const useEveryMs = 1_000;
const callMs = 4_000;
// No vendor's tokenizer is at hand; text and code run to about four characters a token with all of them.
const charsPerToken = 4;

export async function run({ say }) {
  const {
    batchPrompt,
    cleanJson,
    dueAt,
    fullMessageChars,
    loadMode,
    loadPrompts,
    modelBatching,
    systemPrompt,
  } = await product();
  const prompts = loadPrompts();
  const system = systemPrompt(prompts, loadMode("code"));
  const messages = recordedUses().map((use, index) => ({
    id: index + 1,
    session_id: 1,
    message: cleanJson({ type: "observation", ...use }),
    created_at_epoch: index * useEveryMs,
    attempts: 0,
    failures: 0,
  }));
  // What stands in front of the messages is sent, and paid for, with every call of either side.
  const inputTokens = (batches) =>
    batches.reduce((sum, batch) => {
      const prompt = batchPrompt(
        prompts,
        { session, recentTitles, messages: batch },
        { maxMessageChars: fullMessageChars },
      );
      return sum + (system.length + prompt.length) / charsPerToken;
    }, 0) / messages.length;
  const gathered = gather(messages, (waiting, times) => dueAt(waiting, modelBatching, times));
  const batched = inputTokens(gathered);
  const alone = inputTokens(messages.map((message) => [message]));
  say(`system text ${tokens(system.length)} tokens, the same in every call`);
  return [
    ratioFigure({
      name: "input tokens for one observation",
      unit: "tokens",
      ours: {
        label: `a tool use a second, calls of ${callMs / 1_000} s (${gathered.length} calls)`,
        p50: batched,
        n: messages.length,
      },
      floor: { label: `a call for each (${messages.length} calls)`, p50: alone, n: messages.length },
      target: "<= 0.4",
      note: `estimated at ${charsPerToken} characters a token, system text and session in each call, one observation for each use`,
    }),
  ];
}

const session = {
  id: 1,
  claude_session_id: "s",
  project: "mem",
  user_prompt:
    "Let observations have any type of the active mode, then ship modes for other languages and other work.",
};

// A session under way: as many titles as a prompt shows.
const recentTitles = [
  "Searched src for observationTypes: 34 lines in 18 files",
  "Wire schemas hold obs_type and concepts to the six types and seven concepts of code",
  "The full-text scope splits a type at its hyphens and stems its end",
  "Type tokens of other modes are written with digits, so that note and notes stay apart",
  "Edited src/recall/search.ts: obs_type is a string",
  "npx tsc passed",
  "Settings of injected types accept ids of the active mode",
  "A search for an unknown type finds nothing and says which types the mode has",
  "Modes are read from the data directory first, then from the package",
  "An overlay changes its parent's words by id",
];

function recordedUses() {
  const file = join(root, "test", "fixtures", "tool-uses", "uses.jsonl");
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return lines.map((line) => {
    const { host: _, ...use } = JSON.parse(line);
    return use;
  });
}

// The batches of the loop: what came by the time that it is due, and by the end of the call before.
function gather(messages, dueAt) {
  const batches = [];
  let lastCallAt = null;
  for (let left = messages; left.length > 0; ) {
    const [{ created_at_epoch: oldestAt }] = left;
    let now = Math.max(oldestAt, lastCallAt ?? 0);
    const came = () => left.filter((message) => message.created_at_epoch <= now).length;
    const due = () =>
      dueAt(
        { count: came(), oldestAt, hasSummarize: false, isRetry: false, isCompleted: false },
        { now, lastCallAt },
      );
    while (due() > now) now = Math.min(due(), left[came()]?.created_at_epoch ?? due());
    batches.push(left.slice(0, came()));
    left = left.slice(came());
    lastCallAt = now + callMs;
  }
  return batches;
}

function tokens(chars) {
  return Math.round(chars / charsPerToken).toLocaleString("en");
}

// The product's own code, bundled for this run.
async function product() {
  const source = `
    export { cleanJson } from "./src/privacy/clean.ts";
    export { dueAt, modelBatching } from "./src/generate/batching.ts";
    export { batchPrompt, fullMessageChars, systemPrompt } from "./src/generate/prompt.ts";
    export { loadPrompts } from "./src/generate/writer/prompt-templates.ts";
    export { loadMode } from "./src/settings/modes/load-mode.ts";`;
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "src", "core", "paths.ts")).href) },
  });
  const folder = mkdtempSync(join(tmpdir(), "mem-bench-"));
  try {
    const file = join(folder, "product.mjs");
    writeFileSync(file, outputFiles[0].contents);
    return await import(pathToFileURL(file).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
