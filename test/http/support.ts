// An app over ports that remember what they were asked: the routes' world in the tests of src/http.
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { pino } from "pino";
import type { Observation, Session, SessionSummary, UserPrompt } from "../../src/domain/records.ts";
import { parseLists } from "../../src/domain/records.ts";
import { createStreamHub } from "../../src/http/api/stream.ts";
import { buildHttp, type Http, type HttpDeps } from "../../src/http/app.ts";
import type { SseOptions } from "../../src/http/plugins/sse.ts";
import type { CostAnswer } from "../../src/http/schemas/cost.ts";

/** Port that injected requests pretend the worker listens on. */
export const fakePort = 37_799;

/** Headers that pass the door of an app that does not listen. */
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

type Ports = Omit<HttpDeps, "address" | "stream" | "log">;

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
    },
    prompts: {
      byId: (id) => note("prompts.byId", id, id <= 3 ? aPrompt(id) : undefined),
      page: (request) => note("prompts.page", request, { items: [aPrompt(1)], hasMore: false }),
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
      search: (request) =>
        note("search", request, {
          observations:
            request.format === "full"
              ? [{ ...parseLists(anObservation(1)), rank: -1.5 }]
              : [{ ...aHit, obs_type: "bugfix", rank: -1.5 }],
          sessions: request.format === "full" ? [parseLists(aSummary(1))] : [aHit],
          prompts: request.format === "full" ? [aPrompt(1)] : [aHit],
        }),
    },
    context: {
      recent: (request) =>
        note("recent", request, {
          summaries: [parseLists(aSummary(1))],
          observations: [parseLists(anObservation(1))],
        }),
      inject: (request) => note("inject", request, `# ${request.projects.join(" and ")}\n`),
    },
    settings: {
      viewer: {
        get: () => ({ sidebarOpen: true, selectedProject: null }),
        set: (change) => note("viewer.set", change, undefined),
      },
      settings: () => ({ MEM_MODEL: "haiku-4-5-20251001", MEM_TV_TOKEN: "shown" }),
    },
    cost: { report: (query) => note("cost.report", query, aCost(query.by)) },
    regenerate: {
      start: async (request) => note("regenerate.start", request, aRegeneration),
      resume: () => note("regenerate.resume", undefined, aRegeneration),
      stop: async (options) => note("regenerate.stop", options, aRegeneration),
      state: () => aRegeneration,
      plan: async (request) => note("regenerate.plan", request, aPlan),
    },
    receiveHook: async (host, event, payload) => note("receiveHook", { host, event, payload }, ""),
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
    olderHealth: () => ({ status: "ok", timestamp: 1_760_000_000_000, activeSessions: 1 }),
  };
}

const aQueuedMessage = {
  id: 7,
  status: "dead" as const,
  session: "claude-1",
  project: "alpha",
  kind: "observation" as const,
  tool_name: "Bash",
  attempts: 5,
  failures: 5,
  last_error: "The answer is not JSON.",
  next_try_at_epoch: null,
  created_at_epoch: 1_760_000_000_000,
  ageMs: 100_000,
};

const aRegeneration = {
  running: true,
  total: 7,
  done: 3,
  left: 3,
  failed: 1,
  waitingFor: null,
  stoppedBecause: null,
};

const aPlan = {
  provider: "primary",
  model: "m-1",
  observations: 7,
  summaries: 1,
  sessions: 2,
  messages: 9,
  calls: 2,
  inputTokens: 4000,
  outputTokens: 2500,
  costMicroUsd: 16_500,
  budgets: [{ name: "daily" as const, limit: 1000, used: 950, left: 50, until: 1_760_000_200_000 }],
};

const someCalls = {
  calls: 2,
  failedCalls: 1,
  inputTokens: 1000,
  cachedTokens: 600,
  outputTokens: 50,
  costUsd: 0.01,
  unpricedCalls: 0,
};

function aCost(by: CostAnswer["by"]): CostAnswer {
  return {
    by,
    since: 1_760_000_000_000,
    until: 1_760_000_100_000,
    rows: [{ key: "alpha", ...someCalls, costUsd: null, unpricedCalls: 2 }],
    total: someCalls,
    projection: {
      month: "2025-10",
      averageOfDays: 1.5,
      soFar: { tokens: 1050, costUsd: 0.01, unpricedCalls: 0 },
      byEnd: { tokens: 9000, costUsd: null, unpricedCalls: 2 },
    },
    budgets: [
      { name: "daily", limitTokens: 1000, usedTokens: 1050, leftTokens: 0, until: 1_760_000_200_000 },
    ],
    notice: "the daily budget of 1,000 tokens is spent; local writes until 2025-10-10 00:00",
    prices: { date: "2026-09-01", source: "price lists", own: "/data/prices.json" },
  };
}

const sync = { synced_at: null, origin_device_id: null, origin_local_id: null, revision: 1 };
const lists = {
  facts: '["exit code 1"]',
  concepts: '["gotcha"]',
  files_touched: '["src/a.ts"]',
  files_read: "[]",
  files_modified: '["src/a.ts"]',
};
const aHit = {
  id: 1,
  title: "Fixed the redirect",
  preview: "It looped.",
  project: "alpha",
  created_at_epoch: 1_760_000_000_000,
};

export function anObservation(id: number): Observation {
  return {
    id,
    sdk_session_id: "sdk-1",
    project: "alpha",
    obs_type: "bugfix",
    title: "Fixed the redirect",
    subtitle: null,
    summary: "The redirect looped.",
    narrative: null,
    text: null,
    ...lists,
    prompt_number: 1,
    generator: "local",
    provenance: "file",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 12,
    created_at_epoch: 1_760_000_000_000,
    ...sync,
  };
}

function aSummary(id: number): SessionSummary {
  return {
    id,
    sdk_session_id: "sdk-1",
    project: "alpha",
    summary_text: "Fixed it.",
    request: "fix the redirect",
    investigated: null,
    learned: null,
    completed: "Fixed it.",
    next_steps: null,
    notes: null,
    ...lists,
    prompt_number: 1,
    generator: "local",
    created_at_epoch: 1_760_000_000_000,
    ...sync,
  };
}

function aPrompt(id: number): UserPrompt {
  return {
    id,
    claude_session_id: "claude-1",
    sdk_session_id: "sdk-1",
    project: "alpha",
    prompt_number: 1,
    prompt_text: "fix the redirect",
    created_at_epoch: 1_760_000_000_000,
    ...sync,
  };
}

function aSession(id: number): Session {
  return {
    id,
    claude_session_id: `claude-${id}`,
    sdk_session_id: `sdk-${id}`,
    project: "alpha",
    user_prompt: "fix the redirect",
    host: "claude-code",
    cwd: "/home/user/alpha",
    title: null,
    status: "active",
    prompt_count: 1,
    created_at_epoch: 1_760_000_000_000,
    last_active_at_epoch: 1_760_000_000_000,
    completed_at_epoch: null,
  };
}
