// The live feed against a worker that answers from a list: what it keeps is bounded, and it never has a gap.
import * as fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import type { StreamEvent } from "../../src/core/records/events.ts";
import type { Observation } from "../../src/core/records/records.ts";
import { createApi } from "../../src/viewer/api.ts";
import { createFeeds, type Feed } from "../../src/viewer/feed.ts";
import { volume } from "../helpers/volume.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

interface World {
  feed: Feed;
  /** Ids that the worker has, newest first. */
  ids(): number[];
  /** Stores records, and reports them unless the stream is down. */
  store(count: number, isReported?: boolean): void;
  remove(place: number): void;
  resync(): void;
}

/** A worker with `count` records and the feed of all projects on it, which keeps `most` lines. */
function createWorld(count: number, most?: number): World {
  /** Oldest first. */
  const stored: Observation[] = [];
  let last = 0;
  const listeners: ((event: StreamEvent) => void)[] = [];
  const resyncs: (() => void)[] = [];
  const stream = {
    listen: (listener: (event: StreamEvent) => void) => added(listeners, listener),
    onResync: (listener: () => void) => added(resyncs, listener),
  };
  vi.stubGlobal("fetch", (path: string) => {
    const query = new URLSearchParams(path.split("?")[1]);
    const at = Number(query.get("before_epoch") ?? Number.POSITIVE_INFINITY);
    const older = stored.filter(({ created_at_epoch }) => created_at_epoch < at).reverse();
    const limit = Number(query.get("limit"));
    const items = older.slice(0, limit).map((each) => ({ type: "observation", ...each }));
    return Promise.resolve(Response.json({ items, hasMore: older.length > limit }));
  });
  const tell = (event: StreamEvent) => {
    for (const listener of listeners) listener(event);
  };
  const world = {
    ids: () => stored.map(({ id }) => id).reverse(),
    store(records: number, isReported = true) {
      for (let index = 0; index < records; index++) {
        last += 1;
        const observation = observationOf(last);
        stored.push(observation);
        if (isReported) tell({ type: "observation_created", observation });
      }
    },
    remove(place: number) {
      const [found] = stored.splice(place % Math.max(1, stored.length), 1);
      if (found === undefined) return;
      tell({ type: "record_deleted", kind: "observation", id: found.id, project: "shop" });
    },
    resync() {
      for (const listener of resyncs) listener();
    },
  };
  world.store(count);
  return { ...world, feed: createFeeds(createApi(), stream, most)(null) };
}

function added<T>(list: T[], entry: T): () => void {
  list.push(entry);
  return () => undefined;
}

function observationOf(id: number): Observation {
  const texts = { title: `Record ${id}`, subtitle: null, summary: "", obs_type: "change" };
  return { id, project: "shop", created_at_epoch: id, status: "active", ...texts } as Observation;
}

/** Waits until nothing is being read. */
async function settled({ state }: Feed): Promise<void> {
  do await new Promise((resolve) => setTimeout(resolve));
  while (state.get().isLoading);
}

const shownIds = ({ state }: Feed) => state.get().lines.map(({ id }) => id);

test("an open page keeps the newest 2,000 events, and scrolling finds the others", async () => {
  const world = createWorld(50);
  const { feed } = world;
  await settled(feed);
  world.store(volume(10_000, 2_500));
  expect(shownIds(feed)).toEqual(world.ids().slice(0, 2_000));
  expect(feed.state.get().hasMore).toBe(true);
  while (feed.state.get().hasMore) {
    feed.more();
    await settled(feed);
  }
  expect(shownIds(feed)).toEqual(world.ids());
});

const step = fc.oneof(
  fc.record({ do: fc.constant("store" as const), count: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant("miss" as const), count: fc.integer({ min: 1, max: 150 }) }),
  fc.record({ do: fc.constant("remove" as const), count: fc.nat(400) }),
  fc.record({ do: fc.constant("scroll" as const), count: fc.nat(400) }),
  fc.record({ do: fc.constant("more" as const), count: fc.integer({ min: 1, max: 60 }) }),
);

test("the feed is always the newest records without a gap, and bounded", async () => {
  const most = 120;
  const pageSize = 100;
  await fc.assert(
    fc.asyncProperty(fc.nat(300), fc.array(step, { maxLength: 25 }), async (count, steps) => {
      const world = createWorld(count, most);
      const { feed } = world;
      await settled(feed);
      let reader = 0;
      for (const each of steps) {
        if (each.do === "store") {
          const before = shownIds(feed).length;
          world.store(each.count);
          const kept = Math.min(before + each.count, Math.max(most, reader + pageSize));
          expect(shownIds(feed).length).toBe(kept);
        } else if (each.do === "miss") {
          world.store(each.count, false);
          world.resync();
        } else if (each.do === "remove") world.remove(each.count);
        else if (each.do === "scroll") {
          reader = Math.min(each.count, shownIds(feed).length);
          feed.shows(reader);
        } else {
          // Records come in while the page is read.
          feed.more();
          world.store(each.count);
        }
        await settled(feed);
        const ids = shownIds(feed);
        expect(ids).toEqual(world.ids().slice(0, ids.length));
        if (ids.length < world.ids().length) expect(feed.state.get().hasMore).toBe(true);
      }
    }),
    { numRuns: volume(60, 12) },
  );
});
