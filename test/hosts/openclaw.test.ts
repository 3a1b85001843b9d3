// What the OpenClaw plugin sends, as our events, and the entries that load it.
import { describe, expect, test } from "vitest";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import type { HostPlace } from "../../src/hosts/integration.ts";
import { parseJson } from "../../src/hosts/json-text.ts";
import { openclaw, openclawIntegration } from "../../src/hosts/openclaw.ts";
import { type InstallRecord, type Part, planFile, registered } from "../../src/hosts/registration.ts";
import type { Json, JsonObject } from "../../src/text/json.ts";

const base = {
  claudeSessionId: "openclaw-agent:main:probe-1795218842092",
  cwd: "/home/user/demo",
  runId: "r1",
};

const bodies: [string, JsonObject, Partial<HostEvent>][] = [
  ["session-start", {}, { kind: "setup" }],
  ["init", { ...base, prompt: "Hi" }, { kind: "prompt", text: "Hi", eventKey: "r1", promptKey: "r1" }],
  ["init", { ...base, prompt: "Hi", project: "demo" }, { kind: "prompt", project: "demo" }],
  ["context", { ...base }, { kind: "context", cwd: "/home/user/demo" }],
  [
    "observations",
    {
      ...base,
      tool_name: "exec",
      tool_input: { command: "ls" },
      tool_response: { output: "a" },
      tool_use_id: "c1",
    },
    { kind: "tool_use", toolName: "exec", eventKey: "c1", promptKey: "r1", failed: false },
  ],
  ["observations", { ...base, tool_name: "exec", tool_failed: true }, { kind: "tool_use", failed: true }],
  [
    "observations",
    { ...base, tool_name: "read", subagentId: "agent:main:subagent:1" },
    { kind: "tool_use", agentId: "agent:main:subagent:1" },
  ],
  [
    "summarize",
    { ...base, last_assistant_message: "Done" },
    { kind: "turn_end", lastAssistantMessage: "Done", eventKey: "stop:r1" },
  ],
  ["complete", { ...base, reason: "new" }, { kind: "session_end", reason: "new" }],
];

test.each(bodies)("%s is what it says it is", (name, body, expected) => {
  expect(openclaw.decode(name, body)).toMatchObject(expected);
});

test("only a request for context, and a start with a notice, get an answer", () => {
  const answer = { context: "CONTEXT", notice: "NOTICE" };
  const answers = bodies.map(([name, body]) => openclaw.render(openclaw.decode(name, body), answer));
  expect(answers.filter((text) => text !== "")).toEqual(["NOTICE", "CONTEXT"]);
});

describe("openclaw.json", () => {
  const place: HostPlace = {
    home: "/home/user",
    folder: "/home/user/.openclaw",
    launcherFolder: "/home/user/.mem/bin",
    dataDir: null,
    hookCommand: () => "",
    server: { command: "/bin/sh", args: ["/home/user/.mem/bin/mem-mcp.sh"], env: {} },
    exists: () => false,
  };
  const plan = (before: string, parts: Part[], at = place, earlier?: InstallRecord) => {
    const [file] = openclawIntegration.files(at);
    if (file === undefined) throw new Error("no file");
    return planFile({ host: "openclaw", folder: at.folder, file, before, earlier, parts: new Set(parts) });
  };
  const before =
    "// mine\n{\n  gateway: { port: 18999 }, // loopback\n  plugins: { entries: { mem: { config: { project: 'shop' } } } },\n}\n";

  test("loads the plugin, allows it the conversations, and keeps the user's settings", () => {
    const { after, record } = plan(before, ["hooks", "mcp"]);
    expect(parseJson(after ?? "", "json5")).toEqual({
      gateway: { port: 18_999 },
      plugins: {
        load: { paths: ["/home/user/.mem/bin/openclaw"] },
        entries: {
          mem: { enabled: true, hooks: { allowConversationAccess: true }, config: { project: "shop" } },
        },
      },
      mcp: { servers: { mem: place.server } },
    });
    expect(after).toContain("// loopback");
    const again = plan(after ?? "", ["hooks", "mcp"], place, record ?? undefined);
    expect(again.after).toBe(after);
    expect(plan(after ?? "", [], place, record ?? undefined).after).toBe(before);
  });

  test("names the data directory where it is not the default", () => {
    const { after } = plan("{}", ["hooks"], { ...place, dataDir: "/srv/mem" });
    expect(parseJson(after ?? "", "json5")).toMatchObject({
      plugins: { entries: { mem: { config: { dataDir: "/srv/mem" } } } },
    });
  });

  // What the user had before, byte for byte, and after a change elsewhere in the file.
  test.each([
    ["on", "{ plugins: { entries: { mem: { enabled: true } } } } // mine\n"],
    [
      "off",
      "{ plugins: { entries: { mem: { enabled : false, hooks: { allowConversationAccess: false } } } } }\n",
    ],
    ["with another data directory", "{ plugins: { entries: { mem: { config: { dataDir: '/mine' } } } } }\n"],
  ])("a plugin that the user had %s is so again after removal", (_name, text) => {
    const at = { ...place, dataDir: "/srv/mem" };
    const { after, record } = plan(text, ["hooks", "mcp"], at);
    expect(parseJson(after ?? "", "json5")).toMatchObject({
      plugins: {
        entries: {
          mem: { enabled: true, hooks: { allowConversationAccess: true }, config: { dataDir: "/srv/mem" } },
        },
      },
    });
    const earlier = record ?? undefined;
    expect(plan(after ?? "", ["hooks", "mcp"], at, earlier)).toEqual({ after, record });
    expect(plan(after ?? "", [], at, earlier).after).toBe(text);
    const edited = (after ?? "").replace("{", "{ gateway: { port: 18999 },");
    expect(parseJson(plan(edited, [], at, earlier).after ?? "", "json5")).toEqual({
      gateway: { port: 18_999 },
      ...(parseJson(text, "json5") as object),
    });
  });

  test("another plugin named mem is not taken for ours", () => {
    const text = "{ plugins: { load: { paths: ['/other'] }, entries: { mem: { enabled: true } } } }\n";
    const [file] = openclawIntegration.files(place);
    if (file === undefined) throw new Error("no file");
    expect(registered(file, text, "hooks")).toMatchObject({ exact: 0, other: 0 });
    expect(plan(text, []).after).toBe(text);
  });

  test("the entries of another data directory are replaced, with and without a record", () => {
    const before = { ...place, launcherFolder: "/old/mem/bin", dataDir: "/old/mem" };
    const { after, record } = plan("{}\n", ["hooks"], before);
    for (const earlier of [record ?? undefined, undefined]) {
      const moved = plan(after ?? "", ["hooks"], place, earlier).after ?? "";
      expect(moved).not.toContain("/old/mem");
      expect(parseJson(moved, "json5")).toEqual(parseJson(plan("{}\n", ["hooks"]).after ?? "", "json5"));
      expect(parseJson(plan(after ?? "", [], place, earlier).after ?? "", "json5")).toEqual({});
    }
  });

  test("a data directory that the user set stays, with the default one installed", () => {
    const { after, record } = plan("{}\n", ["hooks"]);
    const edited = (after ?? "").replace('"hooks": {', '"config": { "dataDir": "/mine" }, "hooks": {');
    expect(edited).toContain("/mine");
    const again = plan(edited, ["hooks", "mcp"], place, record ?? undefined);
    expect(again.after).toContain("/mine");
    expect(plan(again.after ?? "", [], place, again.record ?? undefined).after).toContain("/mine");
  });

  test.each<[string, Json, string | null]>([
    ["nothing", {}, null],
    ["our own switches", { enabled: true, hooks: { allowConversationAccess: true } }, null],
    ["a plugin turned off", { enabled: false }, "turns the plugin off"],
    ["no conversations", { hooks: { allowConversationAccess: false } }, "does not give the plugin"],
  ])("%s is what the user took back or not", (_name, mem, reason) => {
    const revoked = openclawIntegration.revoked?.({ plugins: { entries: { mem } } }) ?? null;
    if (reason === null) expect(revoked).toBeNull();
    else expect(revoked).toContain(reason);
  });

  test.each<[string, Record<string, Json>, string | null]>([
    ["without a list", {}, null],
    ["with mem in its list", { allow: ["telegram", "mem"] }, null],
    ["with a list of others", { allow: ["telegram"] }, "plugins.allow"],
    ["that denies it", { deny: ["mem"] }, "plugins.deny"],
    ["without plugins", { enabled: false }, "plugins off"],
  ])("%s says whether the gateway loads the plugin", (_name, plugins, reason) => {
    const off = openclawIntegration.hooksOff?.({ plugins }) ?? null;
    expect(off?.reason ?? null).toEqual(reason === null ? null : expect.stringContaining(reason));
  });
});
