// The same requests to a worker and to the server: what integrations read of the answers is there, and is of one kind.
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { createStderrLog } from "../../../../src/core/log.ts";
import { createHostedGeneration } from "../../../../src/server/generation/generation.ts";
import { loadSettings } from "../../../../src/settings/load.ts";
import { loadServerSettings } from "../../../../src/settings/server.ts";
import { withLateStatements } from "../../../../src/store/sqlite/late-statements.ts";
import { closeDatabase, openDatabase } from "../../../../src/store/sqlite/open.ts";
import type { Json } from "../../../../src/text/json.ts";
import { buildWorker } from "../../../../src/worker/build.ts";
import { openTestServer } from "../../../helpers/hosted-server.ts";

interface Answer {
  status: number;
  type: string;
  body: Json;
}
type Ask = (method: "GET" | "POST", url: string, body?: object) => Promise<Answer>;

const env = { MEM_PROVIDER: "local" };
const server = await openTestServer();
const key = await server.addKey({ project: "app" });
await startGenerating();
const worker = await openWorker();

const toServer: Ask = async (method, url, body) => {
  const headers = { host: "x", authorization: `Bearer ${key.apiKey}`, "content-type": "application/json" };
  const payload = body === undefined ? {} : { payload: JSON.stringify(body) };
  const {
    statusCode,
    headers: sent,
    body: text,
  } = await server.app.inject({ method, url, headers, ...payload });
  return { status: statusCode, type: String(sent["content-type"]), body: parsed(text) };
};

/** Both answers, the worker's first. */
async function both(method: "GET" | "POST", url: string, body?: object): Promise<[Answer, Answer]> {
  return [await worker(method, url, body), await toServer(method, url, body)];
}

beforeAll(async () => {
  await both("POST", "/api/sessions/init", { ...session, prompt: "Mend the login of the shop" });
  await both("POST", "/api/sessions/observations", { ...session, ...anEdit });
  await both("POST", "/api/sessions/summarize", {
    ...session,
    last_assistant_message: "The login is mended.",
  });
  for (const ask of [worker, toServer]) {
    while (!(await isGenerated(ask))) await delay(50);
  }
});

const session = { claudeSessionId: "s-1", project: "app", cwd: "/w/app", platformSource: "claude-code" };
const anEdit = {
  tool_name: "Edit",
  tool_input: { file_path: "/w/app/src/login.ts", old_string: "redirect(a)", new_string: "redirect(b)" },
  tool_response: { filePath: "/w/app/src/login.ts", success: true },
  tool_use_id: "use-1",
};

async function isGenerated(ask: Ask): Promise<boolean> {
  const lists = await Promise.all([ask("GET", "/api/observations"), ask("GET", "/api/summaries")]);
  return lists.every(({ body }) => JSON.stringify(body).includes('"generator":"local"'));
}

const reads = [
  ...["observations", "summaries", "prompts"].flatMap((list) => [
    `/api/${list}`,
    `/api/${list}?project=app&limit=1&offset=0`,
    `/api/${list}?project=none`,
  ]),
  "/sessions",
  "/api/stats",
  "/api/projects",
  ...["index", "full"].flatMap((format) => [
    `/api/search?format=${format}`,
    `/api/search?query=login&format=${format}`,
    `/api/search?query=login&type=prompts&format=${format}`,
    `/api/search?files=login.ts&format=${format}`,
    `/api/search/by-file?filePath=src/login.ts&format=${format}`,
  ]),
  "/api/search?query=zzzz&project=none",
  "/api/search?dateStart=2020-01-01&dateEnd=2020-01-02",
  "/api/search/by-type?type=change",
  "/api/search/by-concept?concept=what-changed",
  ...["decisions", "changes", "how-it-works"].map((topic) => `/api/${topic}`),
  "/api/timeline?query=login",
  "/api/timeline?anchor=2026-01-01",
  "/api/timeline?anchor=900001",
  "/api/observations/by-file?path=src/login.ts",
  "/api/observations/by-file?path=/w/app/src/login.ts&project=app",
  "/api/context/recent?project=app",
  "/api/context/inject?project=app",
  "/api/context/inject?projects=app,none&colors=true",
  "/api/context/inject?project=none",
  "/api/context/preview?project=app",
  "/api/observation/900001",
  "/api/prompt/900001",
  "/api/session/900001",
  "/api/summary/900001",
  "/sessions/900001/status",
  "/api/version",
  "/api/readiness",
  // Refusals.
  "/api/observations?limit=0",
  "/api/observation/x",
  "/api/timeline",
  "/api/search/by-concept",
  "/api/observations/by-file",
];

test.each(reads)("GET %s is answered in the same shape", async (url) => {
  expectAlike(await both("GET", url), url);
});

test("single records are answered in the same shape, by the ids of the lists", async () => {
  const one = async (list: string) => {
    const [local, hosted] = await both("GET", `/api/${list}?limit=1`);
    return [firstId(local), firstId(hosted)] as const;
  };
  for (const [list, url] of [
    ["observations", "/api/observation/:id"],
    ["summaries", "/api/summary/:id"],
    ["prompts", "/api/prompt/:id"],
    ["observations", "/api/timeline?anchor=:id"],
    ["summaries", "/api/timeline?anchor=S:id&depth_before=5"],
    ["prompts", "/api/timeline?anchor=P:id&depth_after=5"],
  ] as const) {
    const [here, there] = await one(list);
    const local = await worker("GET", url.replace(":id", String(here)));
    const hosted = await toServer("GET", url.replace(":id", String(there)));
    expectAlike([local, hosted], url);
  }
  const sessions = await both("GET", "/sessions?limit=1");
  const [here, there] = [firstId(sessions[0]), firstId(sessions[1])];
  for (const url of ["/api/session/:id", "/sessions/:id/status"]) {
    const local = await worker("GET", url.replace(":id", String(here)));
    expectAlike([local, await toServer("GET", url.replace(":id", String(there)))], url);
  }
  const batch = (id: number) => ({ ids: [id, 900_001] });
  const [own, other] = await one("observations");
  const local = await worker("POST", "/api/observations/batch", batch(own));
  expectAlike([local, await toServer("POST", "/api/observations/batch", batch(other))], "batch");
});

const writes: [url: string, body: object][] = [
  ["/api/sessions/init", { ...session, prompt: "Another prompt" }],
  ["/api/sessions/init", { ...session, prompt: "Another prompt" }],
  ["/api/sessions/init", { contentSessionId: "s-2", project: "app", prompt: "<private>x</private>" }],
  ["/api/sessions/observations", { claudeSessionId: "s-2", tool_name: "Bash" }],
  ["/api/sessions/summarize", { claudeSessionId: "s-2" }],
  ["/api/sessions/observations", { ...session, ...anEdit }],
  ["/api/sessions/observations", { ...session, tool_name: "TodoWrite" }],
  ["/api/sessions/summarize", { ...session, agentId: "sub" }],
  ["/api/sessions/complete", { claudeSessionId: "s-1" }],
  ["/api/sessions/complete", { claudeSessionId: "s-1" }],
  ["/api/sessions/complete", { claudeSessionId: "unheard-of" }],
  ["/api/sessions/init", {}],
  ["/api/sessions/observations", { claudeSessionId: "s-1" }],
  ["/api/search", { query: "login" }],
  ["/api/search", { query: 7 }],
  ["/api/observations/batch", { ids: [] }],
  ["/sessions/900001/init", { userPrompt: "x" }],
  ["/sessions/x/complete", {}],
];

test("writes are answered alike, one after the other", async () => {
  for (const [url, body] of writes)
    expectAlike(await both("POST", url, body), `${url} ${JSON.stringify(body)}`);
  const sessions = await both("GET", "/sessions?limit=100");
  const [here, there] = sessions.map(firstId);
  for (const [path, body] of [
    ["init", { userPrompt: "By number", promptNumber: 9 }],
    ["observations", { tool_name: "Bash", tool_input: { command: "ls" } }],
    ["summarize", { last_assistant_message: "x" }],
    ["complete", {}],
  ] as const) {
    const local = await worker("POST", `/sessions/${here}/${path}`, body);
    expectAlike([local, await toServer("POST", `/sessions/${there}/${path}`, body)], path);
  }
});

test("the injected text tells of the same records", async () => {
  const [local, hosted] = await both("GET", "/api/context/inject?project=app");
  for (const { body } of [local, hosted])
    expect(body).toMatch(/^<mem-context-[0-9a-f]{8}>\n.*Mend the login of the shop → The login is mended\./s);
});

function expectAlike([local, hosted]: [Answer, Answer], what: string): void {
  expect([hosted.status, hosted.type], what).toEqual([local.status, local.type]);
  expect(differences(local.body, hosted.body, what)).toEqual([]);
}

// Null stands for any kind: whether it is there depends on who wrote the record. Lists are of one kind throughout.
function differences(local: Json, hosted: Json, at: string): string[] {
  if (local === null || hosted === null) return [];
  if (kindOf(local) !== kindOf(hosted)) return [`${at}: ${kindOf(local)}, hosted ${kindOf(hosted)}`];
  if (Array.isArray(local) && Array.isArray(hosted)) {
    const [one, two] = [local[0], hosted[0]];
    if (one !== undefined && two !== undefined) return differences(one, two, `${at}[]`);
    return local.length === hosted.length ? [] : [`${at}: ${local.length} of them, hosted ${hosted.length}`];
  }
  if (typeof local !== "object" || typeof hosted !== "object") {
    return at.endsWith(".code") || at.endsWith(".status") ? sameText(local, hosted, at) : [];
  }
  const fields = (value: object) => Object.keys(value).filter((name) => !optional.has(name));
  const [here, there] = [fields(local), fields(hosted)];
  const missing = here.filter((name) => !there.includes(name)).map((name) => `${at}.${name} is missing`);
  const added = there.filter((name) => !here.includes(name)).map((name) => `${at}.${name} is new`);
  const shared = here.filter((name) => there.includes(name));
  const within = shared.flatMap((name) => differences(of(local, name), of(hosted, name), `${at}.${name}`));
  return [...missing, ...added, ...within];
}

// There when there is something to say: how a hit was ranked, what a timeline was asked for, what a refusal explains.
const optional = new Set(["rank", "anchor", "details", "changed_since", "agent"]);

function of(value: Json, name: string): Json {
  return (value as Record<string, Json>)[name] ?? null;
}

function sameText(local: Json, hosted: Json, at: string): string[] {
  return local === hosted ? [] : [`${at}: ${String(local)}, hosted ${String(hosted)}`];
}

function kindOf(value: Json): string {
  return Array.isArray(value) ? "list" : typeof value;
}

function firstId({ body }: Answer): number {
  return (body as { items: { id: number }[] }).items[0]?.id ?? 0;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function startGenerating(): Promise<void> {
  const settings = loadSettings({ dataDir: dataDir(), env });
  const { log } = createStderrLog("SILENT");
  const deps = { database: server.database, server: loadServerSettings(env), clock: systemClock };
  const generation = createHostedGeneration({ ...deps, settings, env, log });
  await generation.start();
  afterAll(() => generation.stop());
}

function dataDir(): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), "mem-test-")));
  afterAll(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

async function openWorker(): Promise<Ask> {
  const settings = loadSettings({ dataDir: dataDir(), env });
  const db = withLateStatements(
    openDatabase(settings.paths.database, { product: "0.0.0", now: systemClock.now() }),
  );
  const log = pino({ level: "silent" });
  const identity = { instance: "one", secret: "s", startedAt: systemClock.now() };
  let port = 0;
  const built = buildWorker({ db, settings, env, log, clock: systemClock, identity, port: () => port });
  await built.ready();
  await new Promise<void>((resolve) => built.server.listen(0, "127.0.0.1", resolve));
  const address = built.server.address();
  port = typeof address === "object" && address !== null ? address.port : 0;
  built.start();
  afterAll(async () => {
    await built.close();
    closeDatabase(db);
  });
  return async (method, url, body) => {
    const answer = await fetch(`http://127.0.0.1:${port}${url}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const type = answer.headers.get("content-type") ?? "";
    return { status: answer.status, type, body: parsed(await answer.text()) };
  };
}
