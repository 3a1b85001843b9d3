import { beforeEach, describe, expect, test } from "vitest";
import type { HostEvent } from "../../src/hosts/host-event.ts";
import { createInjections, type Injections } from "../../src/worker/injections.ts";
import { eachMemoryStore, ledgerIn, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();
let injections: Injections;
let now: number;
let searched: string[];
let gone: boolean;
let edited: readonly string[];

beforeEach(() => {
  now = someTime;
  searched = [];
  gone = false;
  startWorker();
});

// Another run of the worker knows only what is on the disk.
function startWorker() {
  injections = createInjections({
    context: {
      forSession: async () => ({ text: "start", records: [1, 2] }),
      async forPrompt({ words, withTimeline, known, ...request }) {
        searched.push(words);
        edited = request.edited ?? [];
        const records = [2, 3].filter((id) => !known.has(id));
        return { text: `${withTimeline ? "start and " : ""}records ${records}`, records };
      },
      async forFile({ known = new Set<number>() }) {
        const records = [3, 4].filter((id) => !known.has(id));
        return records.length === 0 ? null : { text: `file ${records}`, records };
      },
      forLaterPrompt: async () => ({ text: "", records: [] }),
      forAction: async ({ action: { command }, known }) =>
        command === undefined || known.has(7)
          ? null
          : { text: `before ${command}`, quoted: [{ record: 7, family: null }] },
      contentOf: async () => null,
    },
    ledger: ledgerIn(memory.store, () => now),
    projectOf: () => "app",
    projectNamed: (label) => label,
    sessionOf: (id) => (id === "s-edits" ? { project: "app", sdk_session_id: "sdk-edits" } : undefined),
    editedPaths: (session, limit) => [`${limit} of ${session}`],
    writtenFor: async () => new Set(),
  });
}

const base = {
  sessionId: "s-1",
  cwd: "/w/app",
  agentId: null,
  agentType: null,
  eventKey: null,
  promptKey: null,
};
const hasLeft = () => gone;

function start(source = "startup", eventKey = `${source} event`) {
  return injections.atStart(
    { ...base, kind: "session_start", source },
    { host: "scripted", eventKey, hasLeft },
  );
}

function prompt(text = "fix it", event: Partial<HostEvent> = {}) {
  return injections.atPrompt({ ...base, ...event, kind: "prompt", text }, { host: "scripted", hasLeft });
}

function read(agentId: string | null = null) {
  const event = { ...base, agentId, kind: "before_file", toolName: "Read", paths: ["/w/app/a.ts"] } as const;
  return injections.beforeFile(event, { hasLeft });
}

describe("in one session", () => {
  test("the start, the first prompt and a file each add only what is not there yet", async () => {
    expect(await start()).toBe("start");
    expect(await prompt()).toBe("records 3");
    expect(await read()).toBe("file 4");
    expect(await read()).toBeNull();
  });

  test("later prompts add nothing and are not searched for", async () => {
    await start();
    await prompt("first");
    expect(await prompt("second")).toBeNull();
    expect(searched).toEqual(["first"]);
  });

  test("a restart of the worker does not make it say anything twice", async () => {
    await start();
    await prompt();
    await read();
    startWorker();
    expect(await start()).toBeNull();
    expect(await prompt()).toBeNull();
    expect(await read()).toBeNull();
  });

  test("the first prompt brings the start's context when the start had no answer", async () => {
    expect(await prompt()).toBe("start and records 2,3");
    expect(await start()).toBeNull();
  });

  test("a sub-agent gets the file records that the main agent has already seen", async () => {
    await start();
    await prompt();
    expect(await read()).toBe("file 4");
    expect(await read("sub-1")).toBe("file 3,4");
    expect(await read("sub-1")).toBeNull();
  });

  test("concurrent reads of two files show a record only once", async () => {
    const texts = await Promise.all([read(), read()]);
    expect(texts.filter((text) => text !== null)).toEqual(["file 3,4"]);
  });

  test.each(["compact", "clear"])("a start by %s resets what was shown", async (source) => {
    await start();
    await prompt();
    await read();
    expect(await start(source)).toBe("start");
    expect(await prompt()).toBe("records 3");
    expect(await read()).toBe("file 4");
  });

  test("the first prompt after a compaction searches with the edited paths", async () => {
    await injections.atPrompt({ ...base, kind: "prompt", text: "go on" }, { host: "scripted", hasLeft });
    expect(edited).toEqual([]);
    await injections.atPrompt(
      { ...base, sessionId: "s-edits", kind: "prompt", text: "go on" },
      { host: "scripted", hasLeft },
    );
    expect(edited).toEqual(["5 of sdk-edits"]);
  });

  test("a second compaction later resets it again", async () => {
    await start();
    expect(await start("compact")).toBe("start");
    now += 60_000;
    expect(await start("compact")).toBe("start");
  });

  test("what the host is about to take away may be said again with the next prompt", async () => {
    await start();
    await prompt();
    await injections.beforeCompact({ ...base, kind: "before_compact" });
    expect(await prompt()).toBe("start and records 2,3");
    expect(await prompt()).toBeNull();
  });

  test("a compaction that is heard of late takes back nothing that was said after it", async () => {
    await start();
    const compactedAt = now + 1_000;
    now += 2_000;
    expect(await start("compact")).toBe("start");
    await injections.beforeCompact({ ...base, kind: "before_compact" }, compactedAt);
    now += 60_000;
    expect(await start()).toBeNull();
  });

  test.each(["resume", "fork"])("a %s adds nothing, nor does the prompt after it", async (source) => {
    expect(await start(source)).toBeNull();
    expect(await prompt()).toBeNull();
  });
});

test("a host that saves only prompts gets the start with them, again after a clear", async () => {
  const startOf = (source: string) =>
    injections.atStart(
      { ...base, kind: "session_start", source },
      { host: "scripted", eventKey: source, hasLeft, keepsPromptsOnly: true },
    );
  for (const source of ["startup", "clear"]) {
    expect(await startOf(source)).toBeNull();
    expect(await prompt()).toBe("start and records 2,3");
    expect(await startOf("resume")).toBeNull();
    expect(await prompt("go on")).toBeNull();
  }
});

describe("two hooks that deliver the same event", () => {
  test.each(["startup", "compact", "clear"])("at %s are answered once, in either order", async (source) => {
    if (source !== "startup") await start();
    const texts = await Promise.all([start(source), start(source)]);
    expect(texts.filter((text) => text !== null)).toEqual(["start"]);
    now += 500;
    expect(await start(source)).toBeNull();
  });

  test("of a prompt are answered once", async () => {
    await start();
    const texts = await Promise.all([prompt(), prompt()]);
    expect(texts.filter((text) => text !== null)).toEqual(["records 3"]);
  });

  test("leave the answer to the one who still waits", async () => {
    gone = true;
    expect([await start(), await prompt(), await read()]).toEqual([null, null, null]);
    gone = false;
    expect(await start()).toBe("start");
    expect(await prompt()).toBe("records 3");
    expect(await read()).toBe("file 4");
  });
});

test("a prompt is searched for without its private parts and secrets", async () => {
  await prompt(`fix <private>CANARY</private> ghp_${"a1B2".repeat(9)}`);
  expect(searched.join()).toMatch(/^fix {2}\[redacted/);
  expect(searched.join()).not.toContain("CANARY");
});

test("shows the context even if the ledger cannot be written", async () => {
  memory.db.pragma("query_only = on");
  expect([await start(), await prompt(), await read()]).toEqual([
    "start",
    "start and records 2,3",
    "file 3,4",
  ]);
});

test("a session without a folder and without records gets nothing", async () => {
  expect(await prompt("fix it", { cwd: null })).toBeNull();
  expect(searched).toEqual([]);
});

test("shows a known fix before its command once per session and sub-agent", async () => {
  const before = (command: string, agentId: string | null = null) =>
    injections.beforeCommand(
      { ...base, agentId, kind: "before_command", toolName: "Bash", command },
      { hasLeft },
    );
  expect(await before("mvn verify")).toBe("before mvn verify");
  expect(await before("mvn -q verify")).toBeNull();
  expect(await before("mvn verify", "agent-1")).toBe("before mvn verify");
  startWorker();
  expect(await before("mvn verify")).toBeNull();
});

describe("a resumed session that mem knows", () => {
  const known = { sessionId: "s-edits" };
  const resume = () =>
    injections.atStart(
      { ...base, ...known, kind: "session_start", source: "resume" },
      { host: "codex", eventKey: "resumed", hasLeft },
    );

  test("gets with its next prompt what it never got while the worker was away", async () => {
    expect(await resume()).toBeNull();
    expect(await prompt("go on", known)).toBe("start and records 2,3");
    expect(await resume()).toBeNull();
    expect(await prompt("and on", known)).toBeNull();
  });

  test("gets it again if it ended after a compaction, before a prompt", async () => {
    await prompt("first", known);
    await injections.beforeCompact({ ...base, ...known, kind: "before_compact" });
    expect(await resume()).toBeNull();
    expect(await prompt("go on", known)).toBe("start and records 2,3");
  });
});

test("before a command that shows files adds their records, each once", async () => {
  const before = (files: string[]) =>
    injections.beforeCommand(
      { ...base, kind: "before_command", toolName: "Bash", command: "cat a.ts", files },
      { hasLeft },
    );
  expect(await before(["/w/app/a.ts", "/w/app/b.ts"])).toBe("before cat a.ts\nfile 3,4");
  expect(await before(["/w/app/a.ts"])).toBeNull();
});

describe("the log", () => {
  const logged = () =>
    memory.store.injections
      .ofSession("s-1", { offset: 0, limit: 100 })
      .items.map(({ reader, moment, cause, text, records }) => [reader, moment, cause, text, records.length]);

  test("has what each reader was injected, with its cause", async () => {
    await start();
    await prompt("fix  it <private>at home</private>");
    await read("sub");
    await read("sub");
    expect(logged()).toEqual([
      ["", "start", null, "start", 2],
      ["", "prompt", "fix it", "records 3", 1],
      ["sub", "file", "/w/app/a.ts", "file 3,4", 2],
    ]);
  });

  test("keeps what was injected before a compaction", async () => {
    await start();
    await injections.beforeCompact({ ...base, kind: "before_compact" });
    await start("compact");
    expect(logged()).toHaveLength(2);
  });

  test("has nothing for a hook that no longer waited", async () => {
    gone = true;
    await start();
    expect(logged()).toEqual([]);
  });
});

test.each([
  ["mcp__mem__get_observations", { ids: [12, "S3"] }, ["12", "S3"]],
  ["mcp__plugin_mem_mem__get_observations", { ids: ["P4"] }, ["P4"]],
  ["mcp__mem__search", { query: "12" }, []],
  ["Bash", { command: "cd /w && npx mem show 12 '#S3' --json" }, ["12", "S3"]],
  ["Bash", { command: "git show 12" }, []],
])("records that an agent reads by id are noted: %s %j", async (toolName, toolInput, names) => {
  const use = { ...base, kind: "tool_use", toolName, toolInput, toolResponse: null, failed: false } as const;
  await injections.afterUse(use);
  await injections.afterUse(use);
  const noted = memory.store.contextLedger.items({ session: "s-1", reader: "#report" });
  expect(noted.toSorted()).toEqual(names.map((name) => `fetched:${name}`));
});
