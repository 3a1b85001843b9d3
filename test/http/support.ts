// An app over ports that remember what they were asked: the routes' world in the tests of src/http.

import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { pino } from "pino";
import { afterAll, beforeEach } from "vitest";
import { MemError } from "../../src/core/errors.ts";
import { noImports } from "../../src/core/records/imports.ts";
import { parseLists } from "../../src/core/records/records.ts";
import { createStreamHub } from "../../src/http/api/stream.ts";
import { buildHttp, type Http, type HttpDeps } from "../../src/http/app.ts";
import type { SseOptions } from "../../src/http/plugins/sse.ts";
import { fakeForget, fakeRetention, fakeScrub, fakeTeam, fakeTrash, fakeViews } from "./fake-views.ts";
import {
  aBranch,
  aCost,
  aHit,
  anExplanation,
  anObservation,
  aPlan,
  aProject,
  aPrompt,
  aQueuedMessage,
  aRegeneration,
  aRule,
  aSession,
  aSetting,
  aSummary,
  aTimeline,
  foundByWords,
  rememberedAs,
  someRules,
} from "./sample-answers.ts";

/** Port that injected requests pretend the worker listens on. */
export const fakePort = 37_799;

/** Headers that pass the request guard of an app that does not listen. */
export const local = { host: `127.0.0.1:${fakePort}` };

/** A call that reached a port, in order. */
export interface Call {
  port: string;
  input: unknown;
}

export interface FakeWorld extends Http {
  calls: Call[];
  /** Lines of the log. */
  log: string[];
  hub: HttpDeps["stream"];
  deps: HttpDeps;
}

interface WorldOptions {
  /** Ports that behave otherwise. */
  override?: Partial<HttpDeps>;
  streamLimits?: SseOptions;
  nowMs?: () => number;
  projects?: string[];
  logLevel?: string;
}

/** One world for the tests of a file, without the calls of the test before. */
export function eachFakeWorld(): FakeWorld {
  const world = fakeWorld();
  afterAll(() => world.app.close());
  beforeEach(() => void world.calls.splice(0));
  return world;
}

/** Builds the app over fake ports; `listen` or `inject` on `world.app`. */
export function fakeWorld(options: WorldOptions = {}): FakeWorld {
  const calls: Call[] = [];
  const lines: string[] = [];
  const hub = createStreamHub({
    clock: { now: () => 1_760_000_000_000, monotonicMs: options.nowMs ?? (() => performance.now()) },
    snapshot: () => ({
      projects: options.projects ?? ["alpha"],
      isProcessing: false,
      queueDepth: 0,
      paused: null,
    }),
    projectNamed: (label) => deps.projectNamed(label),
    ...(options.streamLimits === undefined ? {} : { limits: options.streamLimits }),
  });
  let http: Http | undefined;
  const deps: HttpDeps = {
    ...fakePorts(calls),
    log: pino({ level: options.logLevel ?? "info" }, lineSink(lines)),
    address: () => {
      const bound = http?.app.server.address() as AddressInfo | null | undefined;
      return { host: "127.0.0.1", port: bound?.port ?? fakePort };
    },
    stream: hub,
    ...options.override,
  };
  http = buildHttp(deps);
  return { ...http, calls, log: lines, hub, deps };
}

/** Listens on a free loopback port and answers with it. */
export async function listenOnLoopback({ app }: Pick<Http, "app">): Promise<number> {
  await app.listen({ host: "127.0.0.1", port: 0 });
  return (app.server.address() as AddressInfo).port;
}

export type Ports = Omit<HttpDeps, "address" | "stream" | "log">;

function fakePorts(calls: Call[]): Ports {
  const note = <A>(port: string, input: unknown, answer: A): A => {
    calls.push({ port, input });
    return answer;
  };
  return {
    clock: { now: () => 1_760_000_100_000, monotonicMs: () => performance.now() },
    intake: {
      initSession: async (input) =>
        note("initSession", input, { sessionDbId: 1, promptNumber: 1, skipped: false }),
      observe: async (input) => note("observe", input, { status: "queued" }),
      summarize: async (input) => note("summarize", input, { status: "queued" }),
      complete: async (input) => note("complete", input, { success: true }),
    },
    sessions: {
      byId: (id) => note("sessions.byId", id, id <= 3 ? aSession(id) : undefined),
      queueLength: () => 2,
      page: (request) => note("sessions.page", request, { items: [aSession(1)], hasMore: false }),
      rename: async (id, title) =>
        note("sessions.rename", { id, title }, id <= 3 ? { ...aSession(id), title } : undefined),
    },
    observations: {
      byId: (id) => note("observations.byId", id, id <= 3 ? anObservation(id) : undefined),
      page: (request) =>
        note("observations.page", request, { items: [anObservation(2), anObservation(1)], hasMore: true }),
    },
    summaries: {
      page: (request) => note("summaries.page", request, { items: [aSummary(1)], hasMore: false }),
      ofSession: () => [aSummary(1)],
      byId: (id) => note("summaries.byId", id, id <= 3 ? aSummary(id) : undefined),
    },
    prompts: {
      byId: (id) => note("prompts.byId", id, id <= 3 ? aPrompt(id) : undefined),
      page: (request) => note("prompts.page", request, { items: [aPrompt(1)], hasMore: false }),
    },
    sync: {
      status: async () => ({ configured: false }),
      pause: async () => note("sync.pause", {}, undefined),
      resume: async () => note("sync.resume", {}, undefined),
      now: async () => note("sync.now", {}, undefined),
      devices: async () => ({ configured: false, error: null, device_limit: null, items: [] }),
      includeEarlier: async () => note("sync.includeEarlier", {}, undefined),
      setProject: async (project, synced) => note("sync.setProject", { project, synced }, undefined),
    },
    team: fakeTeam(note),
    agentRecords: {
      keep: async (input) => note("agentRecords.keep", input, { status: "skipped", reason: "private" }),
      judge: async (input) => note("agentRecords.judge", input, anObservation(input.id)),
    },
    recordObservation: async (input) =>
      note("recordObservation", input, { ...anObservation(9), title: input.title }),
    projects: () => ["alpha", "beta"],
    stats: () => ({
      worker: { version: "1.2.3", uptime: 4.5, activeSessions: 1, sseClients: 0, port: fakePort },
      database: {
        path: "mem.db",
        size: 4096,
        observations: 2,
        sessions: 1,
        summaries: 1,
        prompts: 1,
        firstObservationAt: 1_760_000_000_000,
      },
    }),
    status: fakeStatus(),
    queue: {
      page: (request) => note("queue.page", request, { items: [aQueuedMessage], total: 3 }),
      retry: async (selection) =>
        note("queue.retry", selection, {
          retried: 2,
          waiting: 0,
          processing: 1,
          notFound: 0,
          resumed: true,
          waitsUntil: null,
        }),
      drop: async (selection) => note("queue.drop", selection, { dropped: 2, processing: 0, notFound: 1 }),
    },
    search: {
      search: async (request) =>
        note("search", request, {
          observations:
            request.format === "full"
              ? [{ ...parseLists(anObservation(1)), ...foundByWords, rank: -1.5 }]
              : [{ ...aHit, obs_type: "bugfix", rank: -1.5 }],
          sessions: request.format === "full" ? [{ ...parseLists(aSummary(1)), ...foundByWords }] : [aHit],
          prompts: request.format === "full" ? [{ ...aPrompt(1), ...foundByWords }] : [aHit],
          notes: [],
        }),
    },
    ...fakeRecall(note),
    context: {
      recent: (request) =>
        note("recent", request, {
          summaries: [parseLists(aSummary(1))],
          observations: [parseLists(anObservation(1))],
        }),
      inject: (request) => note("inject", request, `# ${request.projects.join(" and ")}\n`),
    },
    explain: async (request) => note("explain", request, anExplanation),
    settings: {
      viewer: {
        get: () => ({ sidebarOpen: true, selectedProject: null }),
        set: (change) => note("viewer.set", change, undefined),
      },
      settings: () => ({ MEM_MODEL: "haiku-4-5-20251001", MEM_TV_TOKEN: "shown" }),
      list: () => [aSetting],
    },
    branch: {
      status: async () => aBranch,
      switchTo: async (branch) => note("branch.switch", branch, { success: true, next: "npm install" }),
      update: async () => note("branch.update", undefined, { success: true, updated: false, next: null }),
    },
    projectNamed: (label) => (label === "alpha-before" ? "alpha" : label),
    folders: {
      list: () => [{ path: "/w/a/CLAUDE.md", project: "a", written_at_epoch: 1, is: "there" }],
      refresh: async (project) =>
        note("folders.refresh", project, { written: ["/w/a/CLAUDE.md"], removed: [], left: [] }),
      remove: async (under) =>
        note("folders.remove", under, { removed: [], left: [{ path: "/x", why: "y" }] }),
    },
    maintenance: {
      repair: async () => note("repair", undefined, 12),
      waiting: () => 3,
      compared: () => ({ at: null, found: 0 }),
    },
    projectDetails: {
      list: () => [aProject],
      rename: async (from, to) => note("projects.rename", { from, to }, { project: to, left: 0 }),
      merge: async (from, into) => note("projects.merge", { from, into }, { project: into, left: 7 }),
    },
    review: async (id, verdict) => note("review", { id, verdict }, anObservation(id)),
    rules: {
      list: (request) => note("rules.list", request, someRules),
      accept: async (id) => note("rules.accept", id, { ...aRule, id }),
      remember: async (request) => note("rules.remember", request, rememberedAs(request.text)),
    },
    edits: {
      observation: async (id, change) => note("edits.observation", { id, change }, anObservation(id)),
      summary: async (id, change) =>
        note("edits.summary", { id, change }, id <= 3 ? aSummary(id) : undefined),
      prompt: async (id, change) => note("edits.prompt", { id, change }, id <= 3 ? aPrompt(id) : undefined),
      session: async (id, title) =>
        note("edits.session", { id, title }, id <= 3 ? { ...aSession(id), title } : undefined),
    },
    mcp: {
      enabled: () => true,
      toggle: (enabled) => {
        note("mcp.toggle", enabled, undefined);
      },
    },
    cost: { report: (query) => note("cost.report", query, aCost(query.by)) },
    regenerate: {
      start: async (request) => note("regenerate.start", request, aRegeneration),
      resume: () => note("regenerate.resume", undefined, aRegeneration),
      stop: async (options) => note("regenerate.stop", options, aRegeneration),
      state: () => aRegeneration,
      plan: async (request) => note("regenerate.plan", request, aPlan),
    },
    viewerDirectory: fileURLToPath(new URL("../fixtures/viewer", import.meta.url)),
    views: fakeViews(note),
    trash: fakeTrash(note),
    forget: fakeForget(note),
    retention: fakeRetention(note),
    scrub: fakeScrub(note),
    imports: {
      records: async (lines) => ({
        outcomes: lines.map((line) => (line === null ? "refused" : "added")),
        faults: lines.flatMap((line, index) => (line === null ? [{ index, fault: "no" }] : [])),
      }),
      events: async (batch) => note("imports.events", batch, { ...noImports, prompts: batch.events.length }),
      position: (source) => note("imports.position", source, null),
      waiting: () => 0,
      labelOf: (directory) => note("imports.labelOf", directory, "alpha"),
    },
    receiveHook: async (host, event, payload) => note("receiveHook", { host, event, payload }, ""),
  };
}

const isUnheard = (topic: object) => Object.values(topic).some((word) => String(word).startsWith("unheard"));
const words = (...ids: string[]) => ids.map((id) => ({ id, label: id, description: "" }));

export type Note = <A>(port: string, input: unknown, answer: A) => A;

function fakeRecall(note: Note): Pick<Ports, "recall" | "timeline"> {
  return {
    recall: {
      topics: {
        of: async (topic, request) =>
          note(
            "topics",
            { ...topic, ...request },
            {
              // Of what is called `unheard` there is nothing.
              observations: isUnheard(topic) ? [] : [{ ...aHit, obs_type: "decision" }],
              sessions: isUnheard(topic) ? [] : [aHit],
              prompts: [],
              notes: [],
            },
          ),
      },
      mode: () => ({ name: "code", types: words("bugfix", "unheard-of"), concepts: words("gotcha") }),
      byFile: {
        of: async (request) =>
          note("byFile", request, {
            observations: [
              {
                ...parseLists(anObservation(1)),
                changed_since: [{ path: "src/a.ts", is: "changed" as const }],
              },
            ],
            total: 3,
          }),
      },
      observationsOf: (request) => note("observationsOf", request, [parseLists(anObservation(1))]),
    },
    timeline: {
      around: async (request) => {
        const { anchor } = request;
        if (anchor?.kind === "session" && anchor.id > 90) throw new MemError("not_found");
        return note("timeline", request, aTimeline());
      },
    },
  };
}

function lineSink(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
}

function fakeStatus(): Ports["status"] {
  return {
    health: () => ({
      status: "ok",
      port: fakePort,
      version: "1.2.3",
      uptime: 4.5,
      pid: 42,
      instance: "instance-1",
      queue: { depth: 0, oldestPendingAgeMs: null, dead: 0 },
      provider: { name: "primary", active: "local", model: null },
      paused: null,
      budget: null,
      notices: [],
    }),
    version: () => "1.2.3",
    processingStatus: () => ({
      isProcessing: true,
      queueDepth: 2,
      accepted: 5,
      done: 2,
      skipped: 1,
      pending: 1,
      processing: 1,
      dead: 0,
      oldestPendingAgeMs: 4_000,
      lastSuccessAt: 1_760_000_000_000,
      paused: {
        kind: "rate_limited",
        message: "Too many requests.",
        until: 1_760_000_300_000,
        next: null,
      },
      provider: { name: "primary", active: "primary", model: "claude-haiku-4-5" },
      budget: null,
    }),
    prove: (nonce) => `proof of ${nonce}`,
    compatibilityHealth: () => ({ status: "ok", timestamp: 1_760_000_000_000, activeSessions: 1 }),
  };
}
