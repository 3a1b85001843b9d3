import { describe, expect, test } from "vitest";
import { accountHeaders, deviceHeaders } from "../../src/sync/hub-client.ts";
import { createHubTransport, parseHubAddress } from "../../src/sync/hub-transport.ts";
import { createVirtualTime } from "./virtual-time.ts";

describe("the hub's address", () => {
  const good: [string, boolean, string, string][] = [
    ["https://hub.example.com", false, "https://hub.example.com", ""],
    [" https://hub.example.com:8443/ ", false, "https://hub.example.com:8443", ""],
    ["https://example.com/mem/", false, "https://example.com", "/mem"],
    ["https://example.com/mem/v1/sync/", false, "https://example.com", "/mem"],
    ["https://example.com/v1", false, "https://example.com", ""],
    ["http://127.0.0.1:37800", false, "http://127.0.0.1:37800", ""],
    ["http://localhost:37800", false, "http://localhost:37800", ""],
    ["http://[::1]:37800", false, "http://[::1]:37800", ""],
    ["http://192.168.1.20:37800", true, "http://192.168.1.20:37800", ""],
  ];
  test.each(good)("%s is used", (text, allowHttp, origin, prefix) => {
    expect(parseHubAddress(text, { allowHttp })).toEqual({ origin, prefix });
  });
  const bad: [string, string][] = [
    ["", "not an https address"],
    ["hub.example.com", "not an https address"],
    ["ftp://hub.example.com", "not an https address"],
    ["https://", "not an https address"],
    ["http://192.168.1.20:37800", "plain http"],
    ["http://localhost.example.com", "plain http"],
    ["https://user:password@hub.example.com", "user or password"],
    ["https://hub.example.com/?token=1", "a query"],
  ];
  test.each(bad)("%j is refused", (text, reason) => {
    expect(parseHubAddress(text, { allowHttp: false })).toContain(reason);
  });
  const networks: [string, string][] = [
    ["http://8.8.8.8", "public without https"],
    ["http://169.254.169.254", "link-local"],
    ["https://169.254.169.254", "link-local"],
  ];
  test.each(networks)("nothing is sent to %s", async (origin, reason) => {
    const transport = createHubTransport({
      address: { origin, prefix: "" },
      timers: createVirtualTime().timers,
    });
    const request = { method: "GET", path: "/", headers: {}, maxAnswerBytes: 10 } as const;
    const sent = transport.exchange(request, new AbortController().signal);
    await expect(sent).rejects.toMatchObject({
      failure: { kind: "bad_address" },
      message: expect.stringContaining(reason),
    });
    await transport.close();
  });

  test("a token that cannot be sent is named as the cause", async () => {
    const transport = createHubTransport({
      address: { origin: "http://127.0.0.1:1", prefix: "" },
      timers: createVirtualTime().timers,
    });
    const headers = accountHeaders({ token: "a\nb", userId: "account", deviceName: "" });
    const sent = transport.exchange(
      { method: "GET", path: "/", headers, maxAnswerBytes: 10 },
      new AbortController().signal,
    );
    await expect(sent).rejects.toMatchObject({ failure: { kind: "unauthorized" } });
    await transport.close();
  });
});

test("a device's name is sent as text that every hub reads", () => {
  const device = { id: "d", nonce: "n" };
  expect(deviceHeaders(device, "Žofie's 🌍")["x-device-name"]).toBe("%C5%BDofie's%20%F0%9F%8C%8D");
  const long = decodeURIComponent(deviceHeaders(device, `${"x".repeat(79)}🌍`)["x-device-name"] ?? "");
  expect([...long]).toHaveLength(80);
});
