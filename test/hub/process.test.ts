// `mem hub` as a process: acknowledged operations survive a kill, commands beside it take effect while it runs.
import { once } from "node:events";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { runMem } from "../cli/mem.ts";
import { until, workerHome } from "../helpers/worker-process.ts";
import { newAccount, startHub } from "./hub-process.ts";
import { headersOf, type Op, op } from "./hub-rig.ts";

async function push(url: string, headers: Record<string, string>, ops: readonly Op[]) {
  const answer = await fetch(`${url}/v1/sync/ops`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ ops }),
  });
  const body = (await answer.json()) as { epoch: string; results: { seq: string }[] };
  return { status: answer.status, body };
}

test("a hub that is killed during pushes keeps everything acknowledged", async () => {
  const home = workerHome();
  const account = await newAccount(home, "alice");
  const { host: _host, ...headers } = headersOf(account, "laptop");
  const acknowledged = new Map<string, string>();
  let id = 0;
  for (const after of [15, 40]) {
    const hub = await startHub(home);
    const gone = once(hub.child, "exit");
    let pushes = 0;
    const pusher = async () => {
      for (;;) {
        id += 3;
        const ops = [id, id + 1, id + 2].map((each) =>
          op({ device: "laptop", id: String(each) }, { text: "x".repeat(2_000) }),
        );
        const { body } = await push(hub.url, headers, ops);
        for (const [at, { seq }] of body.results.entries()) acknowledged.set(seq, ops[at]?.body ?? "");
        pushes += 1;
        if (pushes === after) hub.child.kill("SIGKILL");
      }
    };
    await Promise.allSettled([pusher(), pusher(), pusher()]);
    await gone;
  }
  const hub = await startHub(home);
  const answer = await fetch(`${hub.url}/v1/sync/changes`, { headers });
  const page = (await answer.json()) as { ops: { seq: string; body: string }[]; head_seq: string };
  const stored = new Map(page.ops.map(({ seq, body }) => [seq, body]));
  expect(acknowledged.size).toBeGreaterThan(100);
  for (const [seq, body] of acknowledged) expect(stored.get(seq), seq).toBe(body);
  expect([...stored.keys()]).toEqual(Array.from(stored, (_, at) => String(at + 1)));
  expect(await hub.kill("SIGTERM")).toBe(0);
});

test("commands beside a running hub take effect in it", async () => {
  const home = workerHome();
  const hub = await startHub(home, "--host", "0.0.0.0");
  expect((await fetch(`${hub.url}/healthz`)).status).toBe(200);
  const account = await newAccount(home, "alice");
  const { host: _host, ...headers } = headersOf(account, "laptop");
  const { body } = await push(hub.url, headers, [op({ device: "laptop" })]);
  const socket = new WebSocket(`${hub.url.replace("http", "ws")}/v1/sync/ws`, { headers });
  const frames: { epoch: string; head_seq: string }[] = [];
  socket.on("message", (frame) => frames.push(JSON.parse(String(frame))));
  const closed = once(socket, "close");
  await until(() => frames.find(({ head_seq }) => head_seq === "1"), 5_000, "the first frame");
  const second = await runMem(home, ["hub", "start", "--port", "0"]);
  expect([second.code, second.stderr]).toEqual([65, expect.stringContaining("already runs")]);
  const devices = await runMem(home, ["hub", "account", "devices", "alice"]);
  expect(devices.stdout).toMatch(/laptop +name of laptop +just now/);
  expect((await runMem(home, ["hub", "account", "reset", "alice", "--yes"])).code).toBe(0);
  await until(() => frames.find(({ epoch }) => epoch !== body.epoch), 5_000, "a frame of the new log");
  expect((await runMem(home, ["hub", "account", "revoke", account.token_id])).code).toBe(0);
  expect((await closed)[0]).toBe(4401);
  expect((await push(hub.url, headers, [op({ device: "laptop" })])).status).toBe(401);
  expect(await hub.kill("SIGTERM")).toBe(0);
  expect(hub.output()).not.toContain(account.token.slice(8));
  expect(hub.output()).toContain("SECURITY");
  expect(hub.output()).toContain('"route":"/v1/sync/ops"');
});
