// Ports of the trash, the team and the viewer's pages that remember what they were asked.
import { MemError } from "../../src/core/errors.ts";
import {
  anObservation,
  aPrompt,
  aSummary,
  aTimeline,
  someDetails,
  someInjections,
} from "./sample-answers.ts";
import type { Note, Ports } from "./support.ts";

/** Nothing goes to a team. */
export function fakeTeam(note: Note): Ports["team"] {
  return {
    status: () => ({
      ...{ configured: false, url: "", team_id: null, state: "idle", reason: null, last_error: null },
      ...{ last_sent_at_epoch: null, waiting: 0, shared: 0, deleted_by_team: 0, refused: [], projects: [] },
    }),
    connect: async (project) => note("team.connect", project, undefined),
    disconnect: async (project) => note("team.disconnect", { project }, undefined),
    send: async () => note("team.send", {}, undefined),
    search: async (asked) => note("team.search", asked, []),
    async memory(id) {
      if (id !== "one") throw new MemError("not_found");
      const told = { kind: "observation", type: "decision", title: "Use pnpm", content: "Use pnpm." };
      return note(
        "team.memory",
        { id },
        { id, team_project: "shop", ...told, created_at_epoch: 1, score: null },
      );
    },
  };
}

/** An id above 3 is unknown. */
export function fakeTrash(note: Note): Ports["trash"] {
  const counts = { observations: 1, summaries: 0, prompts: 0, sessions: 0 };
  const entry = { trash_id: 5, kind: "observation" as const, id: 1 };
  const undo_until_epoch = 1_762_592_000_000;
  return {
    async remove(kind, id) {
      note("trash.remove", { kind, id }, undefined);
      if (id > 3) throw new MemError("not_found");
      return { ...entry, kind, id, deleted: counts, undo_until_epoch };
    },
    page: ({ offset, limit, ...request }) =>
      note("trash.page", request, {
        items: [
          {
            ...{ ...entry, action: "edited", title: "Before", project: "alpha", undo_until_epoch },
            at_epoch: 1_760_000_000_000,
          },
        ],
        hasMore: false,
        offset,
        limit,
      }),
    empty: async () => note("trash.empty", undefined, { deleted: 2, left: 0 }),
    async restore(id) {
      note("trash.restore", id, undefined);
      if (id > 90) throw new MemError("not_found");
      if (id > 3) throw new MemError("conflict");
      return { kind: "observation", id: 1, restored: counts };
    },
  };
}

/** An id above 3 is unknown. */
export function fakeViews(note: Note): Ports["views"] {
  return {
    feed: (page) => note("views.feed", page, { items: aTimeline(), hasMore: false }),
    injections: (id, page) =>
      note("views.injections", { id, page }, id <= 3 ? someInjections(id) : undefined),
    details: async (id) => note("views.details", id, id <= 3 ? someDetails(id) : undefined),
    openWork: async (project) =>
      note("views.openWork", project, {
        items: [
          {
            ...{ id: 4, session_id: 1, project: "alpha", text: "The index is still missing." },
            created_at_epoch: 1_760_000_000_000,
          },
        ],
      }),
    activity: (request) =>
      note("views.activity", request, {
        days: [
          {
            ...{ day: "2025-10-09", observations: 3, summaries: 1, prompts: 2 },
            ...{ injections: 4, injected_tokens: 900, model_tokens: 1200 },
          },
        ],
      }),
    records(id, page) {
      const items = [
        { kind: "prompt" as const, record: aPrompt(1) },
        { kind: "observation" as const, record: anObservation(1) },
        { kind: "summary" as const, record: aSummary(1) },
      ];
      return note("views.records", { id, ...page }, id <= 3 ? { items, hasMore: false, ...page } : undefined);
    },
  };
}

export function fakeScrub(note: Note): Ports["scrub"] {
  const receipt = { rows_read: 9, changed: { observations: 1 }, ended_at_epoch: null, erased_at_epoch: null };
  const state = {
    ...{ running: true, dry_run: false, done: 4, total: 9, changed: { observations: 1 } },
    ...{ erased: false, files: { searched: 3, words: 0 }, error: null },
    last: { id: 1, at_epoch: 1_760_000_000_000, ...receipt },
  };
  return {
    start(body) {
      if (body.dry_run) throw new MemError("conflict");
      return note("scrub.start", body, state);
    },
    state: () => note("scrub.state", undefined, state),
  };
}

export function fakeRetention(note: Note): Ports["retention"] {
  const counts = { observations: 2, summaries: 1, prompts: 1, sessions: 1, events: 0 };
  const state = {
    ...{
      days: 365,
      projects: [{ project: "alpha", days: 0 }],
      last_run_epoch: null,
      waits_until_epoch: null,
    },
    ...{ would_remove: counts, samples: ["Before"] },
    last_removed: { at_epoch: 1_760_000_000_000, counts },
  };
  return {
    state: async () => note("retention.state", undefined, state),
    plan: async (change) => note("retention.plan", change, { counts, rules: 0, ...planned }),
    set: async (change) => note("retention.set", change, state),
  };
}

const planned = {
  ...{ pinned: 0, copies: 0, trashed: 0, left_rules: [], files: 0 },
  ...{ projects: [{ project: "alpha", records: 4 }], samples: ["Before"] },
};

/** A project `unknown` gives a plan without records; a session `unknown` is not found. */
export function fakeForget(note: Note): Ports["forget"] {
  const counts = { observations: 2, summaries: 1, prompts: 1, sessions: 1, events: 0 };
  const state = {
    running: false,
    ...{
      done: 4,
      total: 4,
      counts,
      trash_id: 5,
      undo_until_epoch: 1_762_592_000_000,
      gone: false,
      erased: false,
    },
    checked: { words: 3, found: 0 },
    ...{ files: null, error: null, error_code: null, goes_on: false },
  };
  return {
    async plan(choice) {
      if (choice.session === "unknown") throw new MemError("not_found");
      return note("forget.plan", choice, { counts, rules: 1, ...planned });
    },
    async start(body) {
      if (body.session === "busy") throw new MemError("conflict");
      return note("forget.start", body, state);
    },
    state: () => note("forget.state", undefined, state),
    receipts: () =>
      note("forget.receipts", undefined, [
        {
          ...{ id: 1, trash_id: 7, chosen_by: "project", at_epoch: 1_760_000_000_000, counts },
          ...{ gone_at_epoch: null, erased_at_epoch: null, words: 3, found: 0 },
        },
      ]),
  };
}
