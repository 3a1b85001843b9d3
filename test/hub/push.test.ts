import { describe, expect, test } from "vitest";
import { newId } from "../../src/core/ids.ts";
import { syncKinds, syncLimits } from "../../src/core/records/sync-op.ts";
import { get, headersOf, newAccount, op, opOfSize, push, readAll, sealed, testHubs } from "./hub-rig.ts";

describe.each(testHubs)("a push to the hub on $name", async ({ open }) => {
  const hub = await open();
  const device = "laptop";

  async function fresh() {
    const account = await newAccount(hub);
    const headers = headersOf(account, device);
    const send = (ops: readonly unknown[], more = {}) => push(hub, headers, ops, more);
    return { account, headers, send };
  }

  test("gives sequences in order, from 1, and reads back byte for byte", async () => {
    const { headers, send } = await fresh();
    const ops = syncKinds.map((kind) => op({ device, kind, id: "7" }, { title: 'é\u0000\u{1f600}\\"' }));
    const { status, body } = await send(ops);
    expect(status).toBe(200);
    expect(body.results).toEqual(ops.map((_, at) => ({ seq: String(at + 1), duplicate: false })));
    expect(body.head_seq).toBe(String(ops.length));
    const page = await get(hub, headers, "/v1/sync/changes");
    expect(page.body.epoch).toBe(body.epoch);
    expect(
      page.body.ops.map(({ body, sha256 }: { body: string; sha256: string }) => ({ body, sha256 })),
    ).toEqual(ops);
  });

  test("sent again up to 5 times gives the first sequences and stores nothing", async () => {
    const { headers, send } = await fresh();
    const ops = [1, 2, 3].map((id) => op({ device, id: String(id) }));
    const first = await send(ops);
    for (let turn = 2; turn <= 5; turn += 1) {
      const again = await send(turn % 2 === 0 ? ops : ops.toReversed());
      const seqs = again.body.results.map(({ seq }: { seq: string }) => seq).sort();
      expect(seqs).toEqual(["1", "2", "3"]);
      expect(again.body.results.every(({ duplicate }: { duplicate: boolean }) => duplicate)).toBe(true);
      expect(again.body.head_seq).toBe(first.body.head_seq);
    }
    expect(await readAll(hub, headers)).toHaveLength(3);
  });

  test("with the same operation twice stores it once", async () => {
    const { send } = await fresh();
    const one = op({ device });
    expect((await send([one, one])).body.results).toEqual([
      { seq: "1", duplicate: false },
      { seq: "1", duplicate: true },
    ]);
  });

  test("with other content of a revision is refused with its index, and stores nothing", async () => {
    const { headers, send } = await fresh();
    await send([op({ device }, { title: "a" })]);
    const other = op({ device }, { title: "b" });
    const refused = await send([op({ device, id: "2" }), other, op({ device, id: "3" })]);
    expect([refused.status, refused.body.error.code]).toEqual([409, "revision_conflict"]);
    expect(refused.body.error.details).toEqual({ index: 1 });
    const twoInOne = await send([op({ device, id: "4" }, { a: 1 }), op({ device, id: "4" }, { a: 2 })]);
    expect(twoInOne.body.error).toMatchObject({ code: "revision_conflict", details: { index: 1 } });
    expect(await readAll(hub, headers)).toHaveLength(1);
    expect((await send([op({ device, id: "2" }), op({ device, id: "3" })])).body.head_seq).toBe("3");
  });

  test("after a tombstone is refused with its index; replays keep their sequences", async () => {
    const { headers, send } = await fresh();
    const before = op({ device, revision: "1" });
    const stone = op({ device, revision: "2", deleted: true });
    await send([before, stone]);
    for (const revision of ["0", "3", "18446744073709551615"]) {
      const refused = await send([op({ device, id: "2" }), op({ device, revision })]);
      expect([refused.status, refused.body.error.code]).toEqual([409, "deleted"]);
      expect(refused.body.error.details).toEqual({ index: 1 });
    }
    const sameBatch = [op({ device, id: "5", deleted: true }), op({ device, id: "5", revision: "2" })];
    expect((await send(sameBatch)).body.error).toMatchObject({ code: "deleted", details: { index: 1 } });
    expect((await send([stone, before])).body.results).toEqual([
      { seq: "2", duplicate: true },
      { seq: "1", duplicate: true },
    ]);
    // Another device's record of that id is another record.
    expect((await send([op({ device, kind: "summary" })])).status).toBe(200);
    expect(await readAll(hub, headers)).toHaveLength(3);
  });

  test("takes revisions of 64 bits, in any order", async () => {
    const { send } = await fresh();
    const revisions = ["9007199254740993", "18446744073709551615", "2", "10", "9007199254740992", "0"];
    const { body } = await send(revisions.map((revision) => op({ device, revision })));
    expect(body.head_seq).toBe(String(revisions.length));
  });

  test("takes bodies up to the limit in bytes, and no byte more", async () => {
    const { send } = await fresh();
    const limit = syncLimits.bodyBytes;
    expect((await send([opOfSize({ device }, limit - 1)])).status).toBe(200);
    expect((await send([opOfSize({ device, id: "2" }, limit)])).status).toBe(200);
    const refused = await send([op({ device, id: "3" }), opOfSize({ device, id: "4" }, limit + 1)]);
    expect([refused.status, refused.body.error.code]).toEqual([413, "payload_too_large"]);
    expect(refused.body.error.details).toMatchObject({ index: 1 });
  });

  test("takes 500 operations and 4,000,000 bytes, and no more", async () => {
    const { send } = await fresh();
    const many = (count: number) => Array.from({ length: count }, (_, id) => op({ device, id: String(id) }));
    expect((await send(many(499))).status).toBe(200);
    expect((await send(many(500))).status).toBe(200);
    expect(await send(many(501))).toMatchObject({
      status: 413,
      body: { error: { details: { index: 500 } } },
    });
    const filled = (more: number) => {
      const sizes = [...Array.from({ length: 15 }, () => 250_000), 250_000 + more];
      return sizes.map((size, id) => opOfSize({ device, kind: "prompt", id: String(id) }, size));
    };
    expect((await send(filled(-1))).status).toBe(200);
    expect((await (await fresh()).send(filled(0))).status).toBe(200);
    const refused = await (await fresh()).send(filled(1));
    expect([refused.status, refused.body.error.details.index]).toEqual([413, 15]);
  });
  const good = op({ device, id: "9" });
  const broken: [string, unknown][] = [
    ["no object", "text"],
    ["null", null],
    ["no body", { sha256: good.sha256 }],
    ["no digest", { body: good.body }],
    ["a digest in hex", { body: good.body, sha256: Buffer.from(good.sha256, "base64url").toString("hex") }],
    ["the digest of another text", { body: good.body, sha256: sealed("x").sha256 }],
    ["a body that is no JSON", sealed("{")],
    ["a list", sealed("[]")],
    ["a space", sealed(good.body.replace(":", ": "))],
    [
      "names out of order",
      sealed('{"v":1,"id":"1","device":"laptop","kind":"rule","revision":"1","deleted":false}'),
    ],
    ["a name twice", sealed(good.body.replace("{", '{"deleted":false,'))],
    ["an escape that is not needed", sealed(good.body.replace("laptop", "l\\u0061ptop"))],
    ["a number that JSON writes otherwise", sealed(good.body.replace('"v":1', '"v":1.0'))],
    ["another version", sealed(good.body.replace('"v":1', '"v":2'))],
    ["an unknown kind", sealed(good.body.replace("observation", "memory"))],
    ["an empty id", op({ device, id: "" })],
    ["an id of 201 characters", op({ device, id: "a".repeat(201) })],
    ["an id with a NUL", op({ device, id: "a\0" })],
    ["a negative revision", op({ device, revision: "-1" })],
    ["a revision beyond 64 bits", op({ device, revision: "18446744073709551616" })],
    ["a revision with a leading zero", op({ device, revision: "01" })],
    ["a revision that is a number", sealed(good.body.replace('"revision":"1"', '"revision":1'))],
    ["a deleted that is a number", sealed(good.body.replace("false", "0"))],
    ["too many levels", op({ device }, { deep: JSON.parse("[".repeat(70) + "]".repeat(70)) })],
  ];
  test.each(broken)("with %s is refused with its index, and stores nothing", async (_what, bad) => {
    const { headers, send } = await fresh();
    const { status, body } = await send([op({ device, id: "2" }), bad]);
    expect([status, body.error.code, body.error.details]).toEqual([400, "invalid_request", { index: 1 }]);
    expect(body.error.message).toContain("Operation 1");
    const after = await get(hub, headers, "/v1/sync/status");
    expect(after.body).toMatchObject({ head_seq: "0", op_count: 0, device_count: 0 });
  });

  test("that is no push is refused", async () => {
    const { send, headers } = await fresh();
    expect((await send([])).status).toBe(400);
    expect((await push(hub, headers, [], { ops: "x" })).status).toBe(400);
  });

  test("with the epoch of another log is refused, and shows the present one", async () => {
    const { account, send } = await fresh();
    const { body } = await send([op({ device })]);
    expect((await send([op({ device, id: "2" })], { epoch: body.epoch })).status).toBe(200);
    await hub.store.reset(account.id, newId());
    const refused = await send([op({ device, id: "3" })], { epoch: body.epoch });
    expect([refused.status, refused.body.error.code]).toEqual([409, "epoch_changed"]);
    const { epoch } = refused.body.error.details;
    expect(epoch).not.toBe(body.epoch);
    expect((await send([op({ device, id: "3" })], { epoch })).body).toMatchObject({ head_seq: "1", epoch });
  });

  test("at the same time as others of its account keeps every sequence once", async () => {
    const { account, headers } = await fresh();
    const pushes = Array.from({ length: 40 }, (_, turn) => {
      const from = `device-${turn % 4}`;
      const ops = [0, 1, 2].map((each) => op({ device: from, id: `${turn}-${each}` }));
      return push(hub, headersOf(account, from), ops);
    });
    const seqs = (await Promise.all(pushes)).flatMap(({ body }) =>
      body.results.map(({ seq }: { seq: string }) => Number(seq)),
    );
    expect(seqs.sort((a, b) => a - b)).toEqual(Array.from({ length: 120 }, (_, at) => at + 1));
    expect(await readAll(hub, headers, { limit: 7 })).toHaveLength(120);
  });
});
