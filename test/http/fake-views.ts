// Ports of the trash and the viewer's pages that remember what they were asked.
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
