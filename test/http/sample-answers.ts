// One record and one answer of every kind, for the tests of the routes.
import {
  type Observation,
  parseLists,
  type Session,
  type SessionSummary,
  type UserPrompt,
} from "../../src/core/records/records.ts";
import type { BranchStatus } from "../../src/http/schemas/branch.ts";
import type { CostAnswer } from "../../src/http/schemas/cost.ts";
import type { ContextExplanation } from "../../src/http/schemas/explain.ts";
import type { RememberedAnswer, RulesAnswer } from "../../src/http/schemas/review.ts";
import type { SettingsList } from "../../src/http/schemas/settings.ts";
import type { ObservationDetails, SessionInjections } from "../../src/http/schemas/views.ts";
import type { TimelineItem } from "../../src/recall/timeline.ts";

export const aProject = {
  project: "alpha",
  folder: "/home/a/alpha",
  identities: ["remote:a.example/x/alpha", "path:/home/a/alpha"],
  aliases: ["alpha-before"],
  synced: true,
  team_project: null,
  sessions: 3,
  observations: 12,
  last_active_at_epoch: 1_760_000_000_000,
};

export const aSetting: SettingsList["settings"][number] = {
  name: "MEM_TV_TOKEN",
  value: "set",
  origin: "file",
  default: "",
  meaning: "Secret of the TV page.",
  accepts: "one word without spaces",
  effect: "restart",
  isSecret: true,
  command: "mem settings set MEM_TV_TOKEN <value>",
};

export const aBranch: BranchStatus = {
  installed: "checkout",
  version: "1.2.3",
  current: "main",
  remote: "origin/main",
  ahead: 0,
  behind: 2,
  update: "git pull --ff-only",
};

export const aQueuedMessage = {
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

export const aRegeneration = {
  running: true,
  total: 7,
  done: 3,
  left: 3,
  failed: 1,
  waitingFor: null,
  stoppedBecause: null,
};

export const aPlan = {
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

export const aRule: RulesAnswer["rules"][number] = {
  id: 12,
  text: "Never npm.",
  reach: "project",
  project: "alpha",
  forbids: true,
  said_by: "user",
  source: "prompt",
  prompt_id: 7,
  times_said: 1,
  created_at_epoch: 1_760_000_000_000,
  status: "active",
  revision: 1,
};

export const someRules: RulesAnswer = {
  project: "alpha",
  rules: [{ ...aRule, id: 9, reach: "everywhere", source: "remembered", prompt_id: null }, aRule],
  proposals: [],
  contradictions: [{ older: 9, newer: 12 }],
};

const marks = { obs_type: "decision", said_by: "user", standing: 1, reach: "project", salience: 4 } as const;

export const anExplanation: ContextExplanation = {
  project: "alpha",
  unknown: null,
  left_out: { agent: "Claude Code", records: [4] },
  moments: [
    {
      moment: "start",
      text: "Never npm. (#12)",
      tokens: 4,
      records: [
        {
          kind: "observation",
          id: 12,
          observation: marks,
          reason: { by: "section", section: "Rules from the user" },
        },
        { kind: "session", id: 3, observation: null, reason: { by: "section", section: "Last sessions" } },
      ],
      nothing: null,
    },
    {
      moment: "prompt",
      text: "The lock is per tenant. (#7)",
      tokens: 7,
      records: [
        {
          kind: "observation",
          id: 7,
          observation: { ...marks, said_by: "agent", standing: 0 },
          reason: { by: "score", score: 6.5, shared: ["lock"], turn: [] },
        },
      ],
      nothing: null,
    },
    { moment: "command", text: "", tokens: 0, records: [], nothing: "No rule forbids this command." },
  ],
};

/** A text `private` is left out, `again` is there already. */
export function rememberedAs(text: string): RememberedAnswer {
  if (text === "private") return { status: "skipped", reason: "private" };
  if (text === "again") return { status: "exists", rule: aRule, replaces: [] };
  return { status: "stored", rule: { ...aRule, text }, replaces: [9] };
}

export function someDetails(id: number): ObservationDetails {
  return {
    record: parseLists(anObservation(id)),
    sources: [
      {
        ...{ id: 7, kind: "observation", tool_name: "Bash", summary: "npm test", is_cited: false },
        at_epoch: 1_760_000_000_000,
      },
    ],
    session: { id: 1, title: null, host: "claude-code" },
    prompt: { id: 2, prompt_number: 1, prompt_text: "Fix it." },
    freshness: { state: "changed", files: [{ path: "src/a.ts", state: "changed" }] },
    supersedes: [],
    superseded_by: { id: 9, title: "Later" },
    injected: { times: 2, last_at_epoch: 1_760_000_000_000, sessions: 1 },
    tokens: { text: 20, work: 300 },
  };
}

export function someInjections(id: number): SessionInjections {
  const record = { id: 12, kind: "observation" as const, title: "Never npm.", obs_type: "decision" };
  return {
    session: { id, claude_session_id: "claude-1", project: "alpha" },
    items: [
      {
        ...{ id: 4, reader: "", moment: "start", at_epoch: 1_760_000_000_000, tokens: 40, cause: null },
        records: [{ ...record, is_rule: false, is_deleted: false }],
        text: "Never npm. (#12)",
      },
      {
        ...{ id: 5, reader: "sub", moment: "file", at_epoch: 1_760_000_000_500, tokens: 9, cause: "/w/a.ts" },
        records: [{ ...record, id: 13, title: "", obs_type: null, is_rule: false, is_deleted: true }],
        text: null,
      },
    ],
    ...{ hasMore: false, offset: 0, limit: 50 },
    totals: {
      ...{ injections: 2, records: 2, tokens: 49, sub_agent_tokens: 9 },
      moments: [
        { moment: "start", tokens: 40 },
        { moment: "file", tokens: 9 },
      ],
    },
  };
}

const someCalls = {
  calls: 2,
  failedCalls: 1,
  inputTokens: 1000,
  cachedTokens: 600,
  outputTokens: 50,
  costUsd: 0.01,
  unpricedCalls: 0,
};

export function aCost(by: CostAnswer["by"]): CostAnswer {
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
export const foundByWords = { matched_by: ["words" as const] };
export const aHit = {
  ...foundByWords,
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
    status: "active" as const,
    pinned: 0 as const,
    superseded_by: null,
    said_by: null,
    statement_kind: null,
    standing: 0 as const,
    reach: "project" as const,
    salience: null,
    routine: 0 as const,
    created_at_epoch: 1_760_000_000_000,
    ...sync,
  };
}

export function aSummary(id: number): SessionSummary {
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

export function aPrompt(id: number): UserPrompt {
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

export function aSession(id: number): Session {
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

/** A prompt, an observation and a summary, in the order of time. */
export function aTimeline(): TimelineItem[] {
  const { id, project, created_at_epoch, sdk_session_id, prompt_number, ...prompt } = aPrompt(1);
  const base = { id, project, created_at_epoch, sdk_session_id };
  const { obs_type, title, subtitle, summary, status, superseded_by, provenance } = anObservation(1);
  const { summary_text, request, learned, completed, next_steps } = aSummary(1);
  const about = {
    obs_type,
    title,
    subtitle,
    summary,
    status,
    superseded_by,
    provenance,
    files_touched: ["src/a.ts"],
  };
  const { claude_session_id, prompt_text } = prompt;
  return [
    { type: "prompt", ...base, claude_session_id, prompt_number, prompt_text },
    { type: "observation", ...base, ...about, prompt_number, anchor: true },
    { type: "session", ...base, summary_text, request, learned, completed, next_steps },
  ];
}
