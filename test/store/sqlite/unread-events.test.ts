import { expect, test } from "vitest";
import type { UnreadEvent } from "../../../src/core/records/unread-event.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const count = (event: Partial<UnreadEvent>, since = 0) =>
  memory.store.unreadEvents.count(
    {
      host: "some-host",
      reason: "unknown_host",
      last_event: "stop",
      last_at_epoch: someTime,
      ...event,
    },
    since,
  );
const list = (since = 0) => memory.store.unreadEvents.list(since);

test("events are counted by host and reason, with the newest one's name and time", () => {
  count({});
  count({ last_event: "session-start", last_at_epoch: someTime + 5 });
  count({ last_event: "spooled", last_at_epoch: someTime - 5 });
  count({ reason: "no_session", last_at_epoch: someTime + 9 });
  expect(list()).toEqual([
    { host: "some-host", reason: "no_session", events: 1, last_event: "stop", last_at_epoch: someTime + 9 },
    {
      host: "some-host",
      reason: "unknown_host",
      events: 3,
      last_event: "session-start",
      last_at_epoch: someTime + 5,
    },
  ]);
});

test("a count ends with the time since which events are shown, and starts again", () => {
  count({});
  expect(list(someTime)).toHaveLength(1);
  expect(list(someTime + 1)).toEqual([]);
  count({ last_at_epoch: someTime + 9 }, someTime + 1);
  expect(list(someTime + 1)).toMatchObject([{ events: 1 }]);
});

test("any number of host names makes a bounded number of rows", () => {
  for (let n = 0; n < 200; n++) count({ host: `host-${n}` });
  const rows = list();
  expect(rows.length).toBeLessThanOrEqual(60);
  expect(rows.reduce((sum, { events }) => sum + events, 0)).toBe(200);
  expect(rows.find(({ host }) => host === "others")?.events).toBe(150);
});
