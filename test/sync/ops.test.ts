import { beforeAll, describe, expect, test } from "vitest";
import type { OutgoingOp } from "../../src/core/records/sync.ts";
import { readOpHead } from "../../src/core/records/sync-op.ts";
import { scryptCost } from "../../src/sync/account-key.ts";
import { createRing, type KeyRing, newestKey, rotateRing, type SealedRing } from "../../src/sync/key-ring.ts";
import {
  type EncodedOp,
  encodeAnnouncements,
  encodeOp,
  maxPromptBytes,
  readChange,
  wireDigest,
} from "../../src/sync/ops.ts";
import { seal } from "../../src/sync/seal.ts";
import { canonicalJson, type JsonObject } from "../../src/text/json.ts";

const plain: KeyRing = { mode: "plain" };
let sealed: SealedRing;
let rotated: SealedRing;
let other: SealedRing;

beforeAll(async () => {
  sealed = await createRing("the passphrase", scryptCost.least);
  rotated = await rotateRing(sealed, "the new passphrase", scryptCost.least);
  other = await createRing("another account", scryptCost.least);
});

function outgoing(payload: JsonObject | null, changes: Partial<OutgoingOp> = {}): OutgoingOp {
  const row = { table: "observations", id: 1, revision: 3 } as const;
  return {
    kind: "observation",
    id: "17",
    revision: "3",
    deleted: payload === null,
    payload,
    row,
    ...changes,
  };
}

function demandEncoded(op: OutgoingOp, ring: KeyRing): EncodedOp {
  const wire = encodeOp(op, "laptop", ring);
  if ("reason" in wire) throw new Error(wire.reason);
  return wire;
}

describe("an operation on the wire", () => {
  const modes = [["plain"], ["sealed"]] as const;
  const ringOf = (mode: "plain" | "sealed"): KeyRing => (mode === "plain" ? plain : sealed);

  test.each(modes)("is read back from a %s body", (mode) => {
    for (const payload of [{ b: 1, a: ["ü", null, { z: true, y: "\u0000" }] }, {}, null]) {
      const wire = demandEncoded(outgoing(payload), ringOf(mode));
      expect(wire).toEqual({
        body: wire.body,
        sha256: wireDigest(wire.body),
        bytes: Buffer.byteLength(wire.body),
      });
      expect(readOpHead(wire.body)).toMatchObject({
        device: "laptop",
        kind: "observation",
        id: "17",
        revision: "3",
      });
      const expected = {
        device: "laptop",
        kind: "observation",
        id: "17",
        revision: "3",
        deleted: payload === null,
      };
      expect(readChange(wire.body, "1", ringOf(mode))).toEqual({ is: "op", op: { ...expected, payload } });
      expect(demandEncoded(outgoing(payload), ringOf(mode))).toEqual(wire);
    }
  });

  test("hides every text in a sealed body", () => {
    const { body } = demandEncoded(outgoing({ title: "canary", list: ["canary"] }), sealed);
    expect(body).not.toContain("canary");
    expect(Object.keys(JSON.parse(body))).toEqual([
      "deleted",
      "device",
      "id",
      "kind",
      "revision",
      "sealed",
      "v",
    ]);
  });

  test("of an older account key opens after a rotation, and a newer one is named", () => {
    const older = demandEncoded(outgoing({ a: 1 }), sealed).body;
    const newer = demandEncoded(outgoing({ a: 1 }), rotated).body;
    expect(readChange(older, "1", rotated)).toMatchObject({ is: "op" });
    expect(readChange(newer, "1", sealed)).toMatchObject({
      failed: { reason: expect.stringContaining("version 2 of the account key") },
    });
  });
  const body = (changes: JsonObject) =>
    canonicalJson({
      v: 1,
      device: "x",
      kind: "observation",
      id: "1",
      revision: "0",
      deleted: false,
      ...changes,
    });
  const refused: [string, () => [string, KeyRing], string][] = [
    ["a plain record in a sealed account", () => [body({ payload: {} }), sealed], "not encrypted"],
    ["a plain deletion in a sealed account", () => [body({ deleted: true }), sealed], "not encrypted"],
    [
      "a sealed record in a plain account",
      () => [demandEncoded(outgoing({}), sealed).body, plain],
      "version 1",
    ],
    [
      "a record of another account",
      () => [demandEncoded(outgoing({}), other).body, sealed],
      "another account key",
    ],
    [
      "a sealed record under another id",
      () => [demandEncoded(outgoing({ a: 1 }), sealed).body.replace('"17"', '"18"'), sealed],
      "changed after",
    ],
    [
      "a sealed record as a deletion",
      () => [demandEncoded(outgoing({ a: 1 }), sealed).body.replace("false", "true"), sealed],
      "changed after",
    ],
    ["a damaged sealed part", () => [body({ sealed: "AQ==" }), sealed], "damaged"],
    ["a sealed part that is no text", () => [body({ sealed: 7 }), sealed], "damaged"],
    ["a payload that is a text", () => [body({ payload: "text" }), plain], "not a JSON object"],
    ["a record without payload", () => [body({}), plain], "no payload"],
    ["a deletion with a payload", () => [body({ deleted: true, payload: {} }), plain], "has a payload"],
    ["an unknown kind", () => [body({ kind: "other", payload: {} }), plain], "`kind` must be"],
    ["spaces", () => [` ${body({ payload: {} })}`, plain], "not canonical"],
    ["no JSON", () => ["{", plain], "not a JSON object"],
    [
      "deep nesting",
      () => [body({ payload: { a: JSON.parse("[".repeat(80) + "]".repeat(80)) } }), plain],
      "nested",
    ],
    [
      "an unknown form of key",
      () => [body({ kind: "key", payload: { mode: "new" } }), sealed],
      "form that this version",
    ],
  ];
  test.each(refused)("is refused for %s", (_what, made, reason) => {
    const [text, ring] = made();
    expect(readChange(text, "9", ring)).toMatchObject({
      is: "failed",
      failed: { reason: expect.stringContaining(reason) },
    });
  });

  test("sealed with too many levels inside is refused", () => {
    const head = { device: "x", kind: "observation", id: "1", revision: "0", deleted: false } as const;
    const deep = `{"a":${"[".repeat(80)}${"]".repeat(80)}}`;
    const text = canonicalJson({ v: 1, ...head, sealed: seal(newestKey(sealed), head, deep) });
    expect(readChange(text, "1", sealed)).toMatchObject({ is: "failed" });
  });

  test("that announces the keys is a notice in every account", () => {
    const [first, second] = encodeAnnouncements("laptop", rotated);
    for (const [at, op] of [first, second].entries()) {
      expect(op && readChange(op.body, "1", plain)).toMatchObject({
        is: "notice",
        notice: { version: at + 1 },
      });
    }
    const [mode] = encodeAnnouncements("laptop", plain);
    expect(mode && readChange(mode.body, "1", sealed)).toMatchObject({
      is: "notice",
      notice: { mode: "plain" },
    });
    expect(encodeAnnouncements("laptop", rotated)).toEqual([first, second]);
  });
});

describe("long records", () => {
  const prompt = (text: string) => outgoing({ prompt_text: text, number: 1 }, { kind: "prompt" });
  const textOf = (wire: EncodedOp, ring: KeyRing): string => {
    const change = readChange(wire.body, "1", ring);
    return change.is === "op" ? String(change.op.payload?.prompt_text) : "";
  };

  test("a prompt of up to 200 KB is pushed whole, a longer one is cut with a note", () => {
    for (const [length, isCut] of [
      [maxPromptBytes - 1, false],
      [maxPromptBytes, false],
      [maxPromptBytes + 1, true],
    ] as const) {
      const text = textOf(demandEncoded(prompt("x".repeat(length)), plain), plain);
      expect(text.startsWith("x".repeat(Math.min(length, maxPromptBytes)))).toBe(true);
      expect(text.includes("[Truncated for sync: the first 204800 of 204801 bytes.]")).toBe(isCut);
    }
  });

  test.each(["é", "🌍", "\n", '"', "\u0001", "漢"])(
    "a long prompt of %j fits, whole characters only",
    (character) => {
      const text = character.repeat(300_000);
      for (const ring of [plain, sealed]) {
        const wire = demandEncoded(prompt(text), ring);
        expect(wire.bytes).toBeLessThanOrEqual(256_000);
        const [kept = ""] = textOf(wire, ring).split("\n\n[Truncated");
        expect(text.startsWith(kept)).toBe(true);
        expect(kept).not.toContain("\ufffd");
        expect(wire.bytes).toBeGreaterThan(200_000);
      }
    },
  );

  test("a prompt is not cut inside a placeholder", () => {
    const text = `${"x".repeat(maxPromptBytes - 10)}[redacted:aws-key]${"y".repeat(100)}`;
    const kept = textOf(demandEncoded(prompt(text), plain), plain);
    expect(kept).not.toContain("[redacted");
    expect(kept).toContain(`the first ${maxPromptBytes - 10} of`);
  });

  test("another record of 256,000 bytes is pushed, of one more it is not", () => {
    const around = demandEncoded(outgoing({ text: "" }), plain).bytes;
    const fill = (bytes: number) => outgoing({ text: `é${"x".repeat(bytes - around - 2)}` });
    expect(demandEncoded(fill(256_000), plain).bytes).toBe(256_000);
    expect(encodeOp(fill(256_001), "laptop", plain)).toEqual({
      reason: expect.stringContaining("256001 bytes"),
    });
  });
});
