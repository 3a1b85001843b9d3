import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { type ConnectHost, connectHosts } from "../../../src/core/records/connect-commands.ts";
import { isHost } from "../../../src/http/v1/host-guard.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";

const { app, addKey } = await openTestServer();
const { apiKey } = await addKey();

function connect(host: string, more: Record<string, string> = {}) {
  return app.inject({ url: "/v1/connect", headers: { host, authorization: `Bearer ${apiKey}`, ...more } });
}

// What a real shell makes of the line: every program in it is a function that prints its words.
function wordsOf(line: string): string[] {
  const programs = ["claude", "codex", "gemini", "cursor", "env"];
  const functions = programs.map((name) => `${name}() { printf '%s\\0' ${name} "$@" "$MEM_API_KEY"; }`);
  const printed = execFileSync("/bin/sh", ["-c", `${functions.join("\n")}\n${line}`], {
    env: { PATH: "/nonexistent" },
    encoding: "utf8",
  });
  return printed.split("\0").slice(0, -1);
}

function expectedWords(mcpUrl: string, key: string): Record<ConnectHost, string[]> {
  const header = `Authorization: Bearer ${key}`;
  const remote = { url: mcpUrl, headers: { Authorization: `Bearer ${key}` } };
  const config = encodeURIComponent(btoa(JSON.stringify(remote)));
  const json = JSON.stringify({ mcp: { "mem-team": { type: "remote", ...remote, enabled: true } } });
  return {
    "claude-code": [
      "claude",
      "mcp",
      "add",
      "--transport",
      "http",
      "mem-team",
      mcpUrl,
      "--header",
      header,
      "",
    ],
    codex: ["codex", "mcp", "add", "mem-team", "--url", mcpUrl, "--bearer-token-env-var", "MEM_API_KEY", key],
    "gemini-cli": ["gemini", "mcp", "add", "--transport", "http", "--header", header, "mem-team", mcpUrl, ""],
    cursor: [
      "cursor",
      "--open-url",
      `cursor://anysphere.cursor-deeplink/mcp/install?name=mem-team&config=${config}`,
      "",
    ],
    opencode: ["env", `OPENCODE_CONFIG_CONTENT=${json}`, "opencode", ""],
  };
}

const plainHosts = [
  "mem.example",
  "mem.example:8080",
  "MEM.example",
  "localhost:37800",
  "127.0.0.1:37800",
  "[::1]:37800",
  "[2001:db8::7]",
  "xn--bcher-kva.example",
  "a-b.c-d.example:1",
];

test.each(plainHosts)("the lines for the host %s are the expected words in a shell", async (host) => {
  const answer = await connect(host);
  expect(answer.statusCode).toBe(200);
  const { mcpUrl, connectCommand, connectCommands, hint } = answer.json();
  expect(mcpUrl).toBe(`http://${host.toLowerCase()}/v1/mcp`);
  expect(connectCommand).toBe(connectCommands["claude-code"]);
  expect(hint).toContain("<YOUR_API_KEY>");
  const expected = expectedWords(mcpUrl, "<YOUR_API_KEY>");
  for (const each of connectHosts) expect(wordsOf(connectCommands[each])).toEqual(expected[each]);
});

const hostile = [
  " ",
  "$(id)",
  "`id`",
  "a;id",
  "a&&id",
  "a|id",
  "a&id",
  "a>b",
  "a<b",
  "a'b",
  'a"b',
  "a\\b",
  "a b",
  "a\tb",
  "a#b",
  "a?b",
  "a/b",
  "a/../b",
  "a%0ab",
  "a%27b",
  "a*b",
  "a!b",
  "a~b",
  "a{b,c}",
  "a(b)",
  "user@a",
  "user:secret@a",
  "http://a",
  "a:",
  "a:0",
  "a:65536",
  "a:99999",
  "a:1:2",
  "a:x",
  "a:80@b",
  "-a",
  "--config=x",
  "a-",
  ".a",
  "a.",
  "a..b",
  "[::1",
  "::1",
  "[::1]x",
  "[::1%25eth0]",
  "[:::::::::]",
  "[1.2.3.4]",
  "0x7f.1",
  "127.1",
  "2130706433",
  "0177.0.0.1",
  "1.2.3.256",
  "b\u00fccher.example",
  "a\u00ff",
  "a,b",
  "a_b",
  `${"a".repeat(64)}.example`,
  `${"a.".repeat(130)}example`,
];

test("there are forty hostile hosts at least", () => {
  expect(hostile.length).toBeGreaterThanOrEqual(40);
});

test.each(hostile)("the host %j is refused, and no key is made for it", async (host) => {
  expect(isHost(host)).toBe(false);
  expect((await connect(host)).statusCode).toBe(400);
  const minted = await app.inject({
    method: "POST",
    url: "/v1/keys",
    headers: { host, authorization: `Bearer ${apiKey}` },
  });
  expect(minted.statusCode).toBe(400);
  expect(minted.body).not.toContain("mem_");
});

test("what a proxy says of the host is not believed", async () => {
  const { mcpUrl } = (
    await connect("mem.example", {
      "x-forwarded-host": "evil.example",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.example",
    })
  ).json();
  expect(mcpUrl).toBe("http://mem.example/v1/mcp");
});

describe("with a public address", async () => {
  const server = await openTestServer({ MEM_PUBLIC_URL: "https://memory.example/it's/?x=1#y" });
  const key = await server.addKey();

  test("it is taken, whatever the request names, and a minted key stands in the lines", async () => {
    const answer = await server.app.inject({
      method: "POST",
      url: "/v1/keys",
      headers: { host: "elsewhere.example", authorization: `Bearer ${key.apiKey}` },
    });
    const made = answer.json();
    expect(made.mcpUrl).toBe("https://memory.example/it's/v1/mcp");
    const expected = expectedWords(made.mcpUrl, made.apiKey);
    for (const each of connectHosts) expect(wordsOf(made.connectCommands[each])).toEqual(expected[each]);
  });
});

describe("without keys", async () => {
  const server = await openTestServer({ MEM_AUTH_MODE: "local" });
  const here = { host: "127.0.0.1:80" };

  test("the lines are shown, and no key is made", async () => {
    const shown = await server.app.inject({ url: "/v1/connect", headers: here });
    expect(shown.json().mcpUrl).toBe("http://127.0.0.1/v1/mcp");
    expect(shown.json().hint).toContain("asks for no key");
    expect(shown.json().hint).not.toContain("POST /v1/keys");
    const answer = await server.app.inject({ method: "POST", url: "/v1/keys", headers: here });
    expect(answer.statusCode).toBe(403);
    const { rows } = await server.database.system.query({ text: "select 1 from api_keys" });
    expect(rows).toEqual([]);
  });
});
