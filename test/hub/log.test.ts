import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { syncLimits } from "../../src/core/records/sync-op.ts";
import { volume } from "../helpers/volume.ts";
import {
  demandWhole,
  get,
  headersOf,
  newAccount,
  type Op,
  op,
  opOfSize,
  push,
  readAll,
  testHubs,
} from "./hub-rig.ts";

describe.each(testHubs)("the log of the hub on $name", async ({ open }) => {
  const hub = await open();
  const device = "laptop";

  async function fresh() {
    const account = await newAccount(hub);
    const headers = headersOf(account, device);
    const send = (ops: readonly unknown[]) => push(hub, headers, ops);
    const status = async () => (await get(hub, headers, "/v1/sync/status")).body;
    const page = async (query: string) => (await get(hub, headers, `/v1/sync/changes?${query}`)).body;
    return { account, headers, send, status, page };
  }

  /** Compacts what was replaced until now. */
  async function compact(limit = 100): Promise<number> {
    const step = { before_epoch: systemClock.now() + 1_000, limit };
    let all = 0;
    for (let rows = 1; rows > 0; all += rows) rows = await hub.store.compact(step);
    return all;
  }

  test("is read in pages that join without a hole", async () => {
    const { headers, send, page } = await fresh();
    expect(await page("since=0")).toMatchObject({ head_seq: "0", more: false, ops: [] });
    await send(Array.from({ length: 25 }, (_, id) => op({ device, id: String(id) })));
    const first = await page("limit=10");
    expect(first).toMatchObject({ head_seq: "25", more: true });
    expect(first.ops.map(({ after }: { after: string }) => after)).toEqual(
      Array.from({ length: 10 }, (_, at) => String(at)),
    );
    expect(await page("since=20&limit=5")).toMatchObject({ more: false });
    expect(await page("since=24&limit=1")).toMatchObject({ more: false, ops: [{ seq: "25", after: "24" }] });
    for (const since of ["25", "26", "9223372036854775808", "18446744073709551615"]) {
      expect(await page(`since=${since}`)).toMatchObject({ head_seq: "25", more: false, ops: [] });
    }
    for (const limit of [1, 7, 500]) expect(await readAll(hub, headers, { limit })).toHaveLength(25);
  });

  test("keeps every digit of a sequence above 2^53", async () => {
    const { account, headers, send, page, status } = await fresh();
    await hub.continueFrom(account.id, "9007199254740993");
    const { body } = await send([op({ device, id: "1" }), op({ device, id: "2" })]);
    const sequences = ["9007199254740994", "9007199254740995"];
    expect(body.results.map(({ seq }: { seq: string }) => seq)).toEqual(sequences);
    const replay = await send([op({ device, id: "1" })]);
    expect(replay.body.results).toMatchObject([{ seq: sequences[0], duplicate: true }]);
    const read = await page("since=9007199254740994&limit=1");
    expect(read).toMatchObject({ more: false, ops: [{ seq: sequences[1], after: sequences[0] }] });
    expect(await status()).toMatchObject({ head_seq: sequences[1] });
    expect((await readAll(hub, headers, { limit: 1 })).length).toBe(2);
    await send([op({ device, id: "1", revision: "2" })]);
    expect(await compact()).toBe(1);
    expect(await page("since=0")).toMatchObject({ head_seq: "9007199254740996", more: false });
  });

  test.each([
    "since=-1",
    "since=01",
    "since=1.5",
    "since=18446744073709551616",
    "limit=0",
    "limit=501",
    "to=1",
  ])("is not read with %s", async (query) => {
    const { headers } = await fresh();
    expect((await get(hub, headers, `/v1/sync/changes?${query}`)).status).toBe(400);
  });

  test("is answered with at most 4,000,000 bytes of bodies, in pages without a hole", async () => {
    const { headers, send, page } = await fresh();
    const sizes = [250_000, 256_000, 100_000];
    for (let turn = 0; turn < 2; turn += 1) {
      const ops = Array.from({ length: 14 }, (_, at) =>
        opOfSize({ device, id: `${turn}-${at}` }, sizes[at % 3] ?? 0),
      );
      expect((await send(ops)).status).toBe(200);
    }
    const { ops, more } = await page("limit=500");
    const bytes = ops.reduce((sum: number, { body }: Op) => sum + Buffer.byteLength(body), 0);
    expect(bytes).toBeLessThanOrEqual(syncLimits.bytesPerRequest);
    expect(bytes).toBeGreaterThan(syncLimits.bytesPerRequest - 256_000);
    expect(more).toBe(true);
    expect(await readAll(hub, headers)).toHaveLength(28);
  });

  test("loses replaced revisions to compaction; readers of every age see no hole", async () => {
    const { headers, send, status, page } = await fresh();
    const edits = [1, 2, 3, 4].flatMap((revision) =>
      ["a", "b", "c"].map((id) => op({ device, id, revision: String(revision) })),
    );
    await send(edits);
    await send([
      op({ device, id: "b", revision: "5", deleted: true }),
      op({ device, id: "d", deleted: true }),
    ]);
    expect(await hub.store.compact({ before_epoch: systemClock.now() - 60_000, limit: 10 })).toBe(0);
    expect(await compact(2)).toBe(10);
    expect(await status()).toMatchObject({ head_seq: "14", op_count: 4, compacted_through: "11" });
    const left = await readAll(hub, headers, { limit: 1 });
    expect(left.map(({ seq }) => seq)).toEqual(["10", "12", "13", "14"]);
    for (let since = 0; since <= 14; since += 1) {
      const { ops, more } = await page(`since=${since}&limit=2`);
      demandWhole(ops, String(since));
      expect(more).toBe(since < 12);
    }
    // What was compacted is still known.
    const again = await send(edits.slice(0, 2));
    expect(again.body.results).toEqual([
      { seq: "1", duplicate: true },
      { seq: "2", duplicate: true },
    ]);
    const other = op({ device, id: "a", revision: "1" }, { other: true });
    expect((await send([other])).body.error.code).toBe("revision_conflict");
    expect((await send([op({ device, id: "d", revision: "9" })])).body.error.code).toBe("deleted");
  });

  test("keeps the highest revision, in whatever order revisions arrive", async () => {
    const { headers, send } = await fresh();
    const [nine, ten, eleven] = ["9", "10", "11"].map((revision) => op({ device, revision }));
    await send([ten, nine]);
    await send([eleven]);
    await send([op({ device, revision: "2" })]);
    await compact();
    expect((await readAll(hub, headers)).map(({ seq }) => seq)).toEqual(["3"]);
  });

  test("is removed by a reset; the new one has another epoch and begins with 1", async () => {
    const { account, headers, send, status } = await fresh();
    const ops = Array.from({ length: 30 }, (_, id) => op({ device, id: String(id) }));
    await send([...ops, op({ device, id: "1", revision: "2" })]);
    const before = await status();
    await hub.store.reset(account.id, newId());
    const after = await status();
    expect(after).toMatchObject({ head_seq: "0", op_count: 0, device_count: 1 });
    expect(after.epoch).not.toBe(before.epoch);
    expect((await send(ops)).body.results[0]).toEqual({ seq: "1", duplicate: false });
    let swept = 0;
    for (let rows = 1; rows > 0; swept += rows) rows = await hub.store.sweep(7);
    expect(swept).toBe(62);
    await compact();
    expect(await readAll(hub, headers)).toHaveLength(30);
    expect(await status()).toMatchObject({ op_count: 30, head_seq: "30" });
  });

  test("ends with its account, whose name is free again", async () => {
    const { account, headers, send } = await fresh();
    const neighbor = await fresh();
    await send([op({ device })]);
    await neighbor.send([op({ device })]);
    await hub.store.deleteAccount(account.id, systemClock.now());
    expect((await get(hub, headers, "/v1/sync/status")).status).toBe(401);
    expect((await send([op({ device, id: "2" })])).status).toBe(401);
    while ((await hub.store.sweep(100)) > 0);
    expect((await hub.store.accounts()).map(({ id }) => id)).not.toContain(account.id);
    const again = { id: newId(), name: account.name, epoch: newId(), now: systemClock.now() };
    expect(await hub.store.createAccount(again)).toBe(true);
    expect(await hub.store.createAccount({ ...again, id: newId() })).toBe(false);
    expect(await readAll(hub, neighbor.headers)).toHaveLength(1);
  });

  test("agrees with a model after any pushes, compactions and readings", async () => {
    const pushed = fc.record({
      is: fc.constant("push" as const),
      ops: fc.array(
        fc.record({ id: fc.nat(3), revision: fc.nat(4), deleted: fc.nat(9), content: fc.nat(1) }),
        { minLength: 1, maxLength: 6 },
      ),
    });
    const steps = fc.array(
      fc.oneof({ weight: 4, arbitrary: pushed }, fc.record({ is: fc.constantFrom("compact", "read") })),
      {
        maxLength: 25,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const { headers, send } = await fresh();
        const model = new Map<
          string,
          { seq: number; content: string; id: number; revision: number; deleted: boolean }
        >();
        const reader = new Map<string, string>();
        let cursor = "0";
        const read = async () => {
          for (const { seq, body } of await readAll(hub, headers, { since: cursor, limit: 3 })) {
            cursor = seq;
            const { id, revision, deleted } = JSON.parse(body);
            const known = JSON.parse(reader.get(id) ?? '{"revision":"-1","deleted":false}');
            if (!known.deleted && (deleted || Number(revision) > Number(known.revision)))
              reader.set(id, body);
          }
        };
        for (const step of history) {
          if (step.is === "compact") await compact(3);
          else if (step.is === "read") await read();
          else if ("ops" in step) {
            const ops = step.ops.map(({ id, revision, deleted, content }) => ({
              id,
              revision,
              deleted: deleted === 0,
              content: `${content} ${deleted === 0}`,
            }));
            const expected = modelPush(model, ops);
            const { body } = await send(
              ops.map(({ id, revision, deleted, content }) =>
                op({ device, id: String(id), revision: String(revision), deleted }, { content }),
              ),
            );
            expect(body.error?.code ?? body.results.map(({ seq }: { seq: string }) => Number(seq))).toEqual(
              expected,
            );
          }
        }
        await read();
        const late = new Map((await latest(headers)).map((body) => [JSON.parse(body).id, body]));
        expect(new Map([...reader].sort())).toEqual(new Map([...late].sort()));
      }),
      { numRuns: volume(40, 10) },
    );
  });

  /** What a device that joins after a compaction has in the end. */
  async function latest(headers: Record<string, string>): Promise<string[]> {
    await compact();
    return (await readAll(hub, headers)).map(({ body }) => body);
  }
});

interface ModelOp {
  id: number;
  revision: number;
  deleted: boolean;
  content: string;
}

/** The rules in words: first come, first kept; a tombstone ends a record; a refusal stores nothing. */
function modelPush(
  model: Map<string, ModelOp & { seq: number }>,
  ops: readonly ModelOp[],
): number[] | string {
  const next = new Map(model);
  const seqs: number[] = [];
  for (const each of ops) {
    const name = `${each.id} ${each.revision}`;
    const first = next.get(name);
    if (first !== undefined && first.content !== each.content) return "revision_conflict";
    if (first === undefined && [...next.values()].some(({ id, deleted }) => id === each.id && deleted))
      return "deleted";
    const seq = first?.seq ?? next.size + 1;
    next.set(name, { ...each, seq });
    seqs.push(seq);
  }
  for (const [name, stored] of next) model.set(name, stored);
  return seqs;
}
