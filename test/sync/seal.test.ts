import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { SyncOpHead } from "../../src/core/records/sync-op.ts";
import { open, seal } from "../../src/sync/seal.ts";

const key = { version: 3, key: createHash("sha256").update("account").digest() };
const keys = new Map([[3, key.key]]);
const head: SyncOpHead = { device: "laptop", kind: "observation", id: "17", revision: "2", deleted: false };
const text = '{"title":"Ünïcode 🌍"}';

describe("sealing", () => {
  test("opens what it sealed, and gives the same bytes each time", () => {
    const text = fc.oneof(fc.string(), fc.constantFrom("🌍", "é\u0000", "\ud800", "__proto__"));
    const payloads = fc.dictionary(text, fc.oneof(text, fc.integer()));
    fc.assert(
      fc.property(payloads, fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), (payload, revision) => {
        const named = { ...head, revision: String(revision) };
        const json = JSON.stringify(payload);
        const sealed = seal(key, named, json);
        expect(seal(key, named, json)).toBe(sealed);
        expect(open(keys, named, sealed)).toEqual({ is: "opened", text: json });
      }),
      { numRuns: 50 },
    );
  });

  test("two texts share neither IV nor ciphertext", () => {
    const one = Buffer.from(seal(key, head, '{"a":1}'), "base64url");
    const other = Buffer.from(seal(key, head, '{"a":2}'), "base64url");
    expect(one.subarray(1, 33).equals(other.subarray(1, 33))).toBe(false);
    // One key stream would leave the equal characters equal.
    expect(one.subarray(33, 38).equals(other.subarray(33, 38))).toBe(false);
    const later = Buffer.from(seal(key, { ...head, revision: "3" }, '{"a":1}'), "base64url");
    expect(one.subarray(33).equals(later.subarray(33))).toBe(false);
  });

  test("has the layout of the protocol", () => {
    const bytes = Buffer.from(seal(key, head, text), "base64url");
    expect(bytes[0]).toBe(3);
    expect(bytes.length).toBe(1 + 32 + Buffer.byteLength(text) + 16);
    expect(bytes.toString("latin1")).not.toContain("title");
  });
  const changedHeads: [string, SyncOpHead][] = [
    ["device", { ...head, device: "other" }],
    ["kind", { ...head, kind: "summary" }],
    ["id", { ...head, id: "18" }],
    ["revision", { ...head, revision: "20" }],
    ["deletion", { ...head, deleted: true }],
  ];
  test.each(changedHeads)("refuses another %s", (_what, other) => {
    expect(open(keys, other, seal(key, head, text))).toEqual({ is: "altered" });
  });

  test("refuses every changed bit, with a result and no error", () => {
    const sealed = Buffer.from(seal(key, head, text), "base64url");
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      const opened = open(keys, head, changed.toString("base64url"));
      expect(opened.is).toBe(at === 0 ? "unknown_version" : at < 33 ? "wrong_key" : opened.is);
      expect(opened.is).not.toBe("opened");
    }
  });

  test("says when the version or the key is another one", () => {
    const sealed = seal(key, head, text);
    expect(open(new Map([[2, key.key]]), head, sealed)).toEqual({ is: "unknown_version", version: 3 });
    expect(open(new Map([[3, randomBytes(32)]]), head, sealed)).toEqual({ is: "wrong_key" });
    const last = Buffer.from(sealed, "base64url");
    last.writeUInt8(last.readUInt8(last.length - 1) ^ 1, last.length - 1);
    expect(open(keys, head, last.toString("base64url"))).toEqual({ is: "altered" });
  });

  test.each([
    "",
    "AA",
    "*".repeat(200),
    `${seal(key, head, text)}=`,
    `${seal(key, head, text)}A`,
    "A".repeat(64),
  ])("calls %j malformed", (sealed) => {
    expect(open(keys, head, sealed)).toEqual({ is: "malformed" });
  });
});
