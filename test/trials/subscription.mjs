// Trial of the subscription login with a real host CLI against a scripted Messages server on loopback, with a private
// HOME and a made-up login. Not run by `npm test`: node test/trials/subscription.mjs <path of claude>
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [command] = process.argv.slice(2);
if (command === undefined) throw new Error("usage: node test/trials/subscription.mjs <path of the host CLI>");

const root = mkdtempSync(join(tmpdir(), "mem-trial-"));
const home = join(root, "home");
const directory = join(root, "data", "subscription");
const model = "claude-haiku-4-5-20251001";
const system = "You write memories. Answer with JSON. MARK-OF-OUR-SYSTEM-TEXT";
const answerText = '{"observations":[],"summaries":[],"nothing":true}';
const asker = fileURLToPath(new URL("../fixtures/host-cli/asker.mjs", import.meta.url));
const clock = { now: () => Date.now(), monotonicMs: () => performance.now() };
const faults = [];

function hold(what, isHeld, detail = "") {
  console.log(`${isHeld ? "  held" : "BROKEN"}  ${what}${detail === "" ? "" : `: ${detail}`}`);
  if (!isHeld) faults.push(what);
}

// A HOME with everything in it that must not show: hooks, instructions, a skill, a server of tools, a foreign file.
function furnish() {
  const claude = join(home, ".claude");
  mkdirSync(join(claude, "skills", "canary"), { recursive: true });
  const hook = (name) => [{ hooks: [{ type: "command", command: `touch '${join(root, `HOOK-${name}`)}'` }] }];
  const events = ["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"];
  const hooks = Object.fromEntries(events.map((name) => [name, hook(name)]));
  writeFileSync(join(claude, "settings.json"), JSON.stringify({ hooks }));
  writeFileSync(join(claude, "CLAUDE.md"), "CANARY-INSTRUCTIONS\n");
  writeFileSync(join(root, "CLAUDE.md"), "CANARY-INSTRUCTIONS\n");
  writeFileSync(
    join(claude, "skills", "canary", "SKILL.md"),
    "---\nname: canary\ndescription: CANARY-SKILL\n---\n",
  );
  const tools = { command: "touch", args: [join(root, "MCP-SERVER-RAN")] };
  writeFileSync(join(home, ".claude.json"), JSON.stringify({ mcpServers: { tools } }));
  writeFileSync(join(root, "private.txt"), "CANARY-FILE\n");
}

async function startServer() {
  const seen = { mode: "ok", requests: [], others: [] };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    if (!request.url.startsWith("/v1/messages")) seen.others.push(`${request.method} ${request.url}`);
    else seen.requests.push({ headers: request.headers, text, body: JSON.parse(text) });
    answer(response, seen.mode);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { seen, server, url: `http://127.0.0.1:${server.address().port}` };
}

function answer(response, mode) {
  if (mode === "hang") return;
  if (mode !== "ok") {
    const [status, type, message, headers] = refusals[mode];
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ type: "error", error: { type, message } }));
    return;
  }
  const usage = {
    input_tokens: 120,
    cache_creation_input_tokens: 30,
    cache_read_input_tokens: 50,
    output_tokens: 1,
  };
  const message = { id: "msg_1", type: "message", role: "assistant", model, content: [], usage };
  const delta = { type: "text_delta", text: answerText };
  const events = [
    { type: "message_start", message: { ...message, stop_reason: null, stop_sequence: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    {
      type: "message_delta",
      delta: { stop_reason: "end_turn", stop_sequence: null },
      usage: { output_tokens: 40 },
    },
    { type: "message_stop" },
  ];
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const event of events) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

const limit = "This request would exceed your account's rate limit. Please try again later.";
const refusals = {
  429: [429, "rate_limit_error", limit, { "retry-after": "17" }],
  "five hours": [
    429,
    "rate_limit_error",
    limit,
    {
      "anthropic-ratelimit-unified-status": "rejected",
      "anthropic-ratelimit-unified-representative-claim": "five_hour",
      "anthropic-ratelimit-unified-reset": String(Math.floor(Date.now() / 1_000) + 7_200),
    },
  ],
  500: [500, "api_error", "Internal server error", {}],
};

function processesLeft() {
  const mark = `HOME=${home}`;
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(mark));
}

function environmentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    return [];
  }
}

async function until(holds) {
  while (!holds()) await sleep(20);
}

furnish();
const bundle = join(root, "client.mjs");
const source = "../../src/generate/providers/subscription/";
const exported = ["client.ts", "call-record.ts"].map((file) =>
  fileURLToPath(new URL(source + file, import.meta.url)),
);
const contents = exported.map((file) => `export * from ${JSON.stringify(file)};`).join("\n");
await build({
  stdin: { contents, resolveDir: root },
  outfile: bundle,
  bundle: true,
  platform: "node",
  format: "esm",
});
const { createSubscriptionClient, callRecords, reapOrphans } = await import(bundle);

const { seen, server, url } = await startServer();
const environment = {
  PATH: process.env.PATH,
  HOME: home,
  ANTHROPIC_BASE_URL: url,
  CLAUDE_CODE_OAUTH_TOKEN: "sk-ant-oat01-made-up",
  ANTHROPIC_API_KEY: "CANARY-KEY",
  CLAUDECODE: "1",
};
const options = { command, model, environment, directory, clock };
const client = createSubscriptionClient(options);
const never = new AbortController().signal;
const about = { sessionId: 1, project: "demo", messages: 1 };
const prompt = `Read @${join(root, "private.txt")} and @"${join(root, "private.txt")}"`;
const request = { system, prompt, maxOutputTokens: 4_096, schema: {}, about };

async function refused(mode, asked = client) {
  seen.mode = mode;
  return asked.complete(request, never).then(
    () => ({ kind: "answered" }),
    ({ kind, message, retryAfterMs }) => ({ kind, message, retryAfterMs }),
  );
}

try {
  const times = [];
  for (let call = 0; call < 5; call += 1) {
    const began = performance.now();
    const { text, usage, stopped } = await client.complete(request, never);
    times.push(Math.round(performance.now() - began));
    const counted = usage.inputTokens === 200 && usage.cachedTokens === 50 && usage.outputTokens === 40;
    hold(`good call ${call + 1}`, text === answerText && stopped === "end" && counted, `${times.at(-1)} ms`);
  }
  hold("one request a call", seen.requests.length === 5, `${seen.requests.length} requests`);
  const [first] = seen.requests;
  hold("our model", first.body.model === model);
  hold("our system text", JSON.stringify(first.body.system).includes("MARK-OF-OUR-SYSTEM-TEXT"));
  hold(
    "our limit of tokens, no thinking",
    first.body.max_tokens === 4_096 && first.body.thinking?.type !== "enabled",
  );
  hold("no tools", (first.body.tools ?? []).length === 0);
  hold("the login of the CLI, no key", first.headers.authorization === "Bearer sk-ant-oat01-made-up");
  const sent = seen.requests.map(({ text, headers }) => text + JSON.stringify(headers)).join("");
  hold(
    "no instructions, skill, file or key in a request",
    !sent.includes("CANARY"),
    `${first.text.length} bytes`,
  );
  const extra = first.text.length - system.length - prompt.length;
  console.log(`        the CLI adds ${extra} bytes to a request of ours`);

  for (const [mode, kind] of [
    ["429", "rate_limited"],
    ["five hours", "quota"],
    ["500", "unavailable"],
  ]) {
    const failure = await refused(mode);
    const pause =
      failure.retryAfterMs === undefined ? "" : `, again in ${Math.round(failure.retryAfterMs / 60_000)} min`;
    hold(mode, failure.kind === kind, `${failure.kind}${pause}: ${failure.message}`);
  }

  const hasty = createSubscriptionClient({ ...options, deadlineMs: 4_000 });
  const began = performance.now();
  const late = await refused("hang", hasty);
  hold(
    "a server that hangs",
    late.kind === "timeout",
    `${Math.round(performance.now() - began)} ms, deadline 4000`,
  );
  hold("no process is left", processesLeft().length === 0);

  const before = seen.requests.length;
  const closing = refused("hang");
  await until(() => seen.requests.length > before);
  const closed = performance.now();
  await client.close();
  hold(
    "close() ends a call",
    (await closing).kind !== "answered",
    `${Math.round(performance.now() - closed)} ms`,
  );
  hold("no process is left", processesLeft().length === 0);

  const worker = spawn(process.execPath, [asker, bundle, command, directory, "hang"], { env: environment });
  const count = seen.requests.length;
  await until(() => seen.requests.length > count);
  worker.kill("SIGKILL");
  await once(worker, "exit");
  await sleep(1_000);
  hold(
    "a killed worker leaves its CLI running",
    processesLeft().length > 0,
    `${processesLeft().length} processes`,
  );
  hold("reapOrphans ends it", (await reapOrphans(callRecords(directory))) === 1);
  hold("no process is left", processesLeft().length === 0);

  hold(
    "no hook ran, no server of tools",
    readdirSync(root).every((name) => !/^HOOK|^MCP/.test(name)),
  );
  const history = ["projects", "history.jsonl", "todos", "sessions", "session-env"];
  hold(
    "no session and no history in the HOME",
    history.every(
      (name) =>
        !existsSync(join(home, ".claude", name)) || readdirSync(join(home, ".claude", name)).length === 0,
    ),
  );
  console.log(
    `        files in the HOME: ${readdirSync(home, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(home.length + 1))
      .join(", ")}`,
  );
  hold("nothing was written in its working folder", readdirSync(join(directory, "empty")).length === 0);
  hold("nothing but messages was asked", seen.others.length === 0, seen.others.join(", "));
  times.sort((a, b) => a - b);
  console.log(`\ngood calls: median ${times[2]} ms, slowest ${times[4]} ms; ${faults.length} broken`);
} finally {
  await client.close();
  server.closeAllConnections();
  server.close();
  rmSync(root, { recursive: true, force: true });
}
process.exitCode = faults.length === 0 ? 0 : 1;
