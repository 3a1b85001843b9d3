import { expect, test } from "vitest";
import { createMemoryStore } from "../../helpers/memory-store.ts";

test("sessions come by their last activity, also when older ones are imported later", () => {
  const { store } = createMemoryStore();
  const add = (name: string, now: number) =>
    store.sessions.insert({
      ...{ claude_session_id: name, sdk_session_id: name, project: "shop", host: "claude-code", cwd: null },
      now,
    });
  add("live", 2_000);
  add("imported", 1_000);
  const { items } = store.sessions.page({ offset: 0, limit: 10 });
  expect(items.map(({ claude_session_id }) => claude_session_id)).toEqual(["live", "imported"]);
});
