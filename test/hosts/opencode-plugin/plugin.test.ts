// The OpenCode plugin with recorded hooks, against a real worker.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { createPlugin } from "../../../src/hosts/opencode-plugin/plugin.ts";
import { isJsonObject, type JsonObject } from "../../../src/text/json.ts";
import { objectField } from "../../../src/text/json-fields.ts";
import { type CalledWorker, serveIn } from "../../helpers/called-worker.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { type WorkerHome, workerHome } from "../../helpers/worker-process.ts";

const session = "ses_e049f0296ffeMlrDv2CJbAxc46";

function recorded(name: string): JsonObject {
  const path = new URL(`../../fixtures/host-events/opencode/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, "utf8"));
}

/** OpenCode with the plugin: calls a hook with a recorded event and returns the output that the hook may have changed. */
function opencode(environment: NodeJS.ProcessEnv) {
  const messages: string[] = [];
  const client = { app: { log: ({ body }: { body: JsonObject }) => messages.push(String(body.message)) } };
  const { hooks, settled } = createPlugin({ directory: "/home/user/demo", client }, { environment });
  const call = async (name: string, input: unknown, output?: unknown) => {
    await hooks[name]?.(input, output);
    return output;
  };
  return {
    hooks,
    settled,
    messages,
    event: (name: string, change: JsonObject = {}) =>
      call("event", { event: { ...recorded(`event.${name}`), ...change } }),
    async prompt(text: string, id = "msg_1", change: JsonObject = {}) {
      const { input, output } = recorded("chat.message") as { input: JsonObject; output: JsonObject };
      const [first] = output.parts as JsonObject[];
      const parts: JsonObject[] = [{ ...first, text, ...change }];
      await call("chat.message", input, { message: { ...(output.message as JsonObject), id }, parts });
      return parts;
    },
    async tool(name: string, change: JsonObject = {}) {
      const { input, output } = recorded(`tool.execute.after.${name}`) as Record<string, JsonObject>;
      return call("tool.execute.after", { ...input, ...change }, output) as Promise<JsonObject>;
    },
    say: (text: string) => call("experimental.text.complete", { sessionID: session }, { text }),
    compact: () => call("experimental.session.compacting", { sessionID: session }, { context: [] }),
  };
}

let home: WorkerHome;
let worker: CalledWorker;
let host: ReturnType<typeof opencode>;
beforeEach(async () => {
  home = workerHome();
  worker = await serveIn(home);
  host = opencode(home.env);
  await host.event("session.created");
  return async () => {
    await host.settled();
    await worker.stop();
  };
});

async function items(path: string): Promise<JsonObject[]> {
  const { body } = await worker.get(path);
  return isJsonObject(body) && Array.isArray(body.items) ? body.items.filter(isJsonObject) : [];
}

describe("a session", () => {
  test("stores prompt, tool uses and the last message once each", async () => {
    await host.prompt('"Where is the note?"');
    await host.tool("bash");
    await host.tool("bash");
    await host.say("The note is in demo/note.txt because the import needs it there.");
    await host.event("session.idle");
    await expect.poll(() => items("/api/observations")).not.toEqual([]);
    expect(await items("/api/prompts")).toMatchObject([{ prompt_text: "Where is the note?" }]);
    expect(await worker.get("/api/stats")).toMatchObject({ body: { database: { sessions: 1 } } });
    await expect
      .poll(async () => JSON.stringify(await items("/api/observations")))
      .toContain("because the import needs it there");
  });

  test("has a prompt that is only an image", async () => {
    await host.prompt("", "msg_1", { type: "file", mime: "image/png", url: "data:image/png;base64,aGk=" });
    await host.settled();
    await expect.poll(() => items("/api/prompts")).toMatchObject([{ prompt_text: "[image]" }]);
  });

  test("gets a rule of an earlier one with its prompt, behind the user's text, once", async () => {
    await worker.post("/api/rules", { text: "Never edit generated files.", reach: "everywhere" });
    const [own, ours, ...more] = await host.prompt("Change the client.");
    expect(more).toEqual([]);
    expect(ours).toMatchObject({ type: "text", synthetic: true, sessionID: session, messageID: "msg_1" });
    expect(String(ours?.text)).toContain("Never edit generated files.");
    expect(String(ours?.id) > String(own?.id)).toBe(true);
    expect(await host.prompt("And now?", "msg_2")).toHaveLength(1);
    await host.compact();
    expect(await host.prompt("Go on.", "msg_3")).toHaveLength(2);
  });

  test("that is a fork gets nothing again: the copied messages have it", async () => {
    await worker.post("/api/rules", { text: "Never edit generated files.", reach: "everywhere" });
    const time = ["properties", "info", "time"].reduce(objectField, recorded("event.session.created"));
    const copied = { role: "user", time: { created: Number(time.created) - 1 } };
    await host.event("session.created", {
      type: "message.updated",
      properties: { sessionID: session, info: copied },
    });
    expect(await host.prompt("Go on.")).toHaveLength(1);
  });

  test("gets a rule about a command behind the command's output", async () => {
    await worker.post("/api/rules", { text: "Never force push.", reach: "everywhere" });
    const { output } = await host.tool("bash", { args: { command: "git push --force" } });
    expect(String(output)).toMatch(/^hi-from-opencode\n\n\n[\s\S]*Never force push\./);
  });

  test("has the work of a sub-agent, and not its prompt", async () => {
    await host.prompt("Look around.");
    const info = { id: "ses_child", parentID: session };
    await host.event("session.created", { properties: { sessionID: "ses_child", info } });
    await host.tool("read", { sessionID: "ses_child", callID: "call_child" });
    await host.event("session.idle", { properties: { sessionID: "ses_child" } });
    await expect.poll(() => items("/api/observations")).not.toEqual([]);
    expect(await worker.get("/api/stats")).toMatchObject({ body: { database: { sessions: 1 } } });
    expect(await items("/api/prompts")).toHaveLength(1);
  });
});

describe("a tool", () => {
  const call = (tool: string, output: object) =>
    host.hooks["tool.execute.after"]?.(
      { tool, sessionID: session, callID: `call_${tool}`, args: {} },
      output,
    );

  test("of an MCP server is stored with its text and its failure", async () => {
    await call("tracker_find", { content: [{ type: "text", text: "Ticket 4711 is open." }], isError: true });
    await expect.poll(async () => JSON.stringify(await items("/api/observations"))).toContain("4711");
  });

  test("of mem itself is not stored", async () => {
    await call("mem_search", { content: [{ type: "text", text: "Ticket 4711 is open." }] });
    await call("bash", { title: "echo", output: "hi\n", metadata: { exit: 0 } });
    await expect.poll(() => items("/api/observations")).not.toEqual([]);
    expect(JSON.stringify(await items("/api/observations"))).not.toContain("4711");
  });

  test("with a large attachment is stored without it", async () => {
    const attachments = [{ type: "file", url: `data:image/png;base64,${"A".repeat(3_000_000)}` }];
    await call("read", { title: "a.png", output: "Image read successfully", metadata: {}, attachments });
    await expect.poll(() => items("/api/observations")).not.toEqual([]);
  });
});

test("the end of a sub-agent's session does not end the user's", async () => {
  const info = { id: "ses_child", parentID: session };
  await host.prompt("Look around.");
  await host.event("session.created", { properties: { sessionID: "ses_child", info } });
  await host.event("session.created", { type: "session.deleted", properties: { info } });
  expect(await worker.get("/sessions/1/status")).toMatchObject({ body: { status: "active" } });
  await host.event("session.created", { type: "session.deleted" });
  expect(await worker.get("/sessions/1/status")).toMatchObject({ body: { status: "completed" } });
});

test.each(readdirSync(new URL("../../fixtures/host-events/opencode", import.meta.url)))(
  "the recorded %s changes no output without context",
  async (file) => {
    const name = file.replace(/\.json$/, "");
    const { input, output, ...event } = recorded(name);
    const before = JSON.stringify(output);
    const hook = Object.keys(host.hooks).find((one) => name.startsWith(one)) ?? "event";
    await host.hooks[hook]?.(input ?? { event }, output);
    expect(JSON.stringify(output)).toBe(before);
  },
);

test.each([
  ["no arguments", undefined],
  ["null", null],
  ["text", "text"],
  ["wrong fields", { sessionID: 7, event: [], args: 3 }],
])("a hook called with %s never throws", async (_what, given) => {
  for (const hook of Object.values(host.hooks)) await hook(given, given);
  expect(await items("/api/observations")).toEqual([]);
});

test("without a worker events are spooled, and nothing waits for it", async () => {
  await worker.stop();
  await host.prompt("Look around.");
  await host.tool("bash");
  await host.settled();
  const spool = join(home.dataDir, "spool");
  const lines = readdirSync(spool).flatMap((name) => readFileSync(join(spool, name), "utf8").split("\n"));
  const events = lines.filter((line) => line !== "").map((line) => JSON.parse(line));
  expect(events).toMatchObject([
    { host: "opencode", event: "user-prompt-submit" },
    { host: "opencode", event: "post-tool-use" },
  ]);
});

test("does nothing where mem itself runs OpenCode", () => {
  const { hooks } = opencode({ HOME: tempDir(), MEM_GENERATING: "1" });
  expect(hooks).toEqual({});
});
