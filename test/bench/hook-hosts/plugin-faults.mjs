// One host with a plugin of mem in its process: `plugin-faults.mjs <host> <file> <data directory> <runs>` calls the handlers
// with a session's events and with broken ones, and prints a result for each call.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { root } from "../worker.mjs";

const [host, file, dataDir, runs] = process.argv.slice(2);
const results = [];
let unhandled = [];
for (const name of ["uncaughtException", "unhandledRejection"])
  process.on(name, (cause) => unhandled.push(String(cause)));

const sessions = { opencode: openCodeSession, openclaw: openClawSession };
// Several sessions run concurrently; each run is a start of the host.
const width = 10;
let next = 0;
const lanes = Array.from({ length: width }, async () => {
  while (next < Number(runs)) await sessions[host](++next);
});
await Promise.all(lanes);
console.log(JSON.stringify(results));
process.exit(0);

async function call(event, run, problemsOf) {
  const started = performance.now();
  const problems = [];
  try {
    problems.push(...problemsOf(await run()));
  } catch (cause) {
    problems.push(`thrown: ${cause}`);
  }
  const ms = performance.now() - started;
  results.push({ event, ms, problems: [...problems, ...unhandled] });
  unhandled = [];
}

function recorded(name) {
  const path = join(root, "test", "fixtures", "host-events", host, `${name}.json`);
  return JSON.parse(readFileSync(path, "utf8"));
}

async function openCodeSession() {
  let hooks = {};
  await call(
    "the plugin starts",
    async () => {
      const { MemPlugin } = await import(pathToFileURL(file));
      hooks = await MemPlugin({ directory: "/home/user/demo", client: {} });
    },
    () => [],
  );
  const given = [
    ["event", { event: recorded("event.session.created") }],
    ["chat.message", recorded("chat.message").input, recorded("chat.message").output],
    ["tool.execute.after", ...both("tool.execute.after.bash")],
    ["experimental.text.complete", ...both("experimental.text.complete")],
    ["experimental.session.compacting", ...both("experimental.session.compacting")],
    ["event", { event: recorded("event.session.idle") }],
    ["event", { event: { ...recorded("event.session.idle"), type: "session.deleted" } }],
    ["tool.execute.after", null, null],
    ["chat.message", {}, {}],
    [
      "tool.execute.after",
      both("tool.execute.after.bash")[0],
      { output: "a line of output\n".repeat(60_000) },
    ],
    ["event", { event: { type: "no.such.event" } }],
    ["dispose"],
  ];
  for (const [name, input, output] of given) {
    const before = structuredClone(output);
    await call(
      name,
      () => hooks[name]?.(input, output),
      (result) => [
        ...(result === undefined ? [] : ["a result"]),
        ...(isDeepStrictEqual(output, before) ? [] : ["a changed output"]),
      ],
    );
  }
}

function both(name) {
  const { input, output } = recorded(name);
  return [input, output];
}

async function openClawSession() {
  // The gateway itself says that the folder of a plugin is gone.
  if (!existsSync(file)) return;
  const handlers = new Map();
  const commands = new Map();
  await call(
    "the plugin is registered",
    async () => {
      const { default: plugin } = await import(pathToFileURL(file));
      plugin.register({
        id: "mem",
        registrationMode: "full",
        pluginConfig: { dataDir },
        on: (event, handler) => handlers.set(event, handler),
        registerCommand: (command) => commands.set(command.name, command),
      });
    },
    () => [],
  );
  const huge = recorded("tool_result_persist");
  huge.event.message = { content: [{ type: "text", text: "a line of output\n".repeat(60_000) }] };
  const given = [
    ["gateway_start", recorded("gateway_start")],
    ["before_prompt_build", recorded("before_prompt_build")],
    ["before_tool_call", recorded("before_tool_call")],
    ["after_tool_call", recorded("after_tool_call")],
    ["tool_result_persist", recorded("tool_result_persist")],
    ["agent_end", recorded("agent_end")],
    ["session_end", recorded("session_end")],
    ["before_prompt_build", { event: null, ctx: 7 }],
    ["tool_result_persist", {}],
    ["tool_result_persist", huge],
    ["no_such_event", {}],
    ["gateway_stop", recorded("gateway_stop")],
  ];
  for (const [name, { event, ctx }] of given)
    await call(
      name,
      () => handlers.get(name)?.(event, ctx),
      (result) => (result === undefined ? [] : [`a result: ${JSON.stringify(result)}`]),
    );
  await call(
    "/mem_status",
    () => commands.get("mem_status").handler({}),
    ({ text }) => (typeof text === "string" && text !== "" ? [] : ["no text"]),
  );
}
