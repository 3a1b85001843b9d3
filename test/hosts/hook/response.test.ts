// HTTP responses out of bytes, however they arrive.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseResponse } from "../../../src/hosts/hook/response.ts";

const wholes: [string, string, string][] = [
  ["a length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhällo".replace("ä", "a"), "hallo"],
  ["no body", "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", ""],
  [
    "chunks",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nhal\r\n2;x=1\r\nlo\r\n0\r\n\r\n",
    "hallo",
  ],
];

describe.each(wholes)("a response with %s", (_what, text, body) => {
  test("is read whole, and not before it is there", () => {
    const bytes = Buffer.from(text);
    fc.assert(
      fc.property(fc.nat(bytes.length - 6), (length) => {
        expect(parseResponse(bytes.subarray(0, length), false)).toBeNull();
        expect(() => parseResponse(bytes.subarray(0, length), true)).toThrow("cut off");
      }),
    );
    expect(parseResponse(bytes, false)?.body.toString()).toBe(body);
    expect(parseResponse(bytes, true)?.status).toBe(200);
  });
});

test("a response without a length ends with the connection", () => {
  const bytes = Buffer.from("HTTP/1.1 500 Oops\r\nX-Mem-Proof: ab\r\n\r\nbody");
  expect(parseResponse(bytes, false)).toBeNull();
  const response = parseResponse(bytes, true);
  expect(response).toMatchObject({ status: 500 });
  expect(response?.headers.get("x-mem-proof")).toBe("ab");
});

test.each([
  "\0\0\r\n\r\n",
  "HTTP/2 200\r\n\r\n",
  "HTTP/1.1 99\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
  "HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n\r\n",
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
  `HTTP/1.1 200 OK\r\n${"a".repeat(1_100_000)}`,
])("%#: what is no response is an error, not a wait", (text) => {
  expect(() => parseResponse(Buffer.from(text), false)).toThrow();
});

test("no bytes make it do anything but answer, wait or throw an Error", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, ended) => {
      const head = Buffer.from("HTTP/1.1 200 OK\r\n");
      for (const given of [Buffer.from(bytes), Buffer.concat([head, bytes])]) {
        try {
          parseResponse(given, ended);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }
    }),
  );
});
