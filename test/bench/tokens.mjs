// Input tokens for one observation: 50 recorded tool uses in calls of ten, against a call for each.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ratioFigure } from "./measure.mjs";
import { root } from "./worker.mjs";

const perCall = 10;
// No vendor's tokenizer is at hand; text and code run to about four characters a token with all of them.
const charsPerToken = 4;

export async function run({ say }) {
  const { batchPrompt, cleanJson, fullMessageChars, loadMode, loadPrompts, systemPrompt } = await product();
  const prompts = loadPrompts();
  const system = systemPrompt(prompts, loadMode("code"));
  const messages = recordedUses().map((use, index) => ({
    id: index + 1,
    session_id: 1,
    message: cleanJson({ type: "observation", ...use }),
    created_at_epoch: index,
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
  const batched = inputTokens(chunks(messages, perCall));
  const alone = inputTokens(chunks(messages, 1));
  say(`system text ${tokens(system.length)} tokens, the same in every call`);
  return [
    ratioFigure({
      name: "input tokens for one observation",
      unit: "tokens",
      ours: {
        label: `ten tool uses in a call (${messages.length / perCall} calls)`,
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

function chunks(list, size) {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) =>
    list.slice(n * size, (n + 1) * size),
  );
}

function tokens(chars) {
  return Math.round(chars / charsPerToken).toLocaleString("en");
}

// The product's own code, bundled for this run.
async function product() {
  const source = `
    export { cleanJson } from "./src/domain/clean.ts";
    export { batchPrompt, fullMessageChars, systemPrompt } from "./src/generate/prompt.ts";
    export { loadPrompts } from "./src/generate/writer/prompt-templates.ts";
    export { loadMode } from "./src/modes/load-mode.ts";`;
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
    define: { "import.meta.url": JSON.stringify(pathToFileURL(join(root, "src", "paths.ts")).href) },
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
