// Two devices with a real worker each, and a real hub between them.
import { once } from "node:events";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readWorkerAddress } from "../../src/client/worker-address.ts";
import { type Mem, sharedMem } from "../cli/mem.ts";
import { pipeToMem } from "../cli/piped-mem.ts";
import { eventually } from "../helpers/eventually.ts";
import { newAccount, sharedHub } from "../hub/hub-process.ts";

const passphrase = "six random words for this test";
const shop = ["--project", "shop"];
const store = ["--project", "store"];
const keys = ["--project", "keys"];

const startedHub = sharedHub();
let accounts = 0;

/** Joins a new account of the hub with each device. */
async function joined(devices: readonly Mem[]) {
  const hub = await startedHub();
  accounts += 1;
  const account = await newAccount(hub.home, `alice-${accounts}`);
  const ask = (mem: Mem, words: readonly string[], ...lines: string[]) =>
    pipeToMem(mem.home.env, ["sync", ...words, "--stdin", "--json"], lines);
  const choice = ["--hub", hub.url, "--user", account.id, "--projects", "all", "--earlier"];
  const setUp = (mem: Mem, secret: string, ...options: string[]) =>
    ask(mem, ["setup", ...choice, ...options], account.token, secret);
  for (const mem of devices) expect(await setUp(mem, passphrase)).toMatchObject({ code: 0 });
  return { hub, account, setUp, ask };
}

// The devices of one account: tests use other projects, and the last ones change a device for good.
const [laptop, desk, tablet] = [sharedMem(), sharedMem(), sharedMem()];
let joining: ReturnType<typeof joined> | undefined;
const joinedPair = () => (joining ??= joined([laptop, desk]));

async function rulesOf(mem: Mem, project = shop): Promise<string[]> {
  const { stdout } = await mem("rules", ...project, "--json");
  const { items } = JSON.parse(stdout) as { items: { text: string }[] };
  return items.map(({ text }) => text);
}

test("a rule of one device is on another until it ends; the hub cannot read it", async () => {
  await laptop("remember", "Always run make lint before a commit.", ...shop);
  const { hub, account, setUp } = await joinedPair();
  await eventually(async () =>
    expect(await rulesOf(desk)).toEqual(["Always run make lint before a commit."]),
  );
  const context = await desk("context", ...shop);
  expect(context.stdout).toContain("Always run make lint before a commit.");
  await desk("remember", "Deploy only from the main branch.", ...shop);
  await eventually(async () => expect(await rulesOf(laptop)).toHaveLength(2));
  const [rule] = JSON.parse((await laptop("rules", ...shop, "--json")).stdout).items as { id: number }[];
  await laptop("rules", "remove", String(rule?.id));
  await eventually(async () => expect(await rulesOf(desk)).toHaveLength(1));
  expect((await laptop("forget", ...shop, "--now", "--yes", "--json")).code).toBe(0);
  await eventually(async () => expect(await rulesOf(desk)).toEqual([]));
  expect(textsIn(join(hub.home.dataDir, "hub"))).not.toMatch(/make lint|main branch/);
  const status = JSON.parse((await desk("sync", "status", "--json")).stdout);
  expect(status).toMatchObject({ configured: true, encrypted: true, last_error: null, failed: [] });
  const at = readWorkerAddress(desk.home.dataDir);
  const answer = await (await fetch(`http://127.0.0.1:${at?.port}/api/sync/status`)).text();
  expect(answer).not.toContain(account.token);
  expect(JSON.parse(answer)).toMatchObject({
    configured: true,
    pending: { observations: 0, deletions: 0, total: 0 },
    lastFlushAt: expect.any(Number),
    lastError: null,
    hub: { reachable: true, error: null, epoch: expect.any(String), headSeq: expect.stringMatching(/^\d+$/) },
  });
  const wrong = await setUp(tablet, "another passphrase altogether");
  expect(wrong.code).toBe(77);
  expect(wrong.stdout + wrong.stderr).toContain("This is not the passphrase of the account.");
});

test("no record leaves a device before its project has a yes, and paused changes wait", async () => {
  await joinedPair();
  expect((await laptop("project", "sync", "off")).stdout).toContain("stay on this device");
  await laptop("remember", "Never push on Fridays.", ...store);
  await laptop("sync", "now");
  await desk("sync", "now");
  expect(await rulesOf(desk, store)).toEqual([]);
  await laptop("sync", "pause");
  await laptop("project", "sync", "on", "store");
  const { state, pending } = JSON.parse((await laptop("sync", "status", "--json")).stdout);
  expect({ state, waits: pending.total > 0 }).toEqual({ state: "paused", waits: true });
  await laptop("sync", "resume");
  await eventually(async () => expect(await rulesOf(desk, store)).toEqual(["Never push on Fridays."]));
  expect(await laptop("project", "sync", "on")).toMatchObject({ code: 0 });
}, 240_000);

test("another passphrase, then another key: devices follow, and nothing is lost", async () => {
  const { setUp, ask } = await joinedPair();
  await laptop("remember", "Written with the first key.", ...keys);
  await eventually(async () => expect(await rulesOf(desk, keys)).toHaveLength(1));
  expect(await ask(laptop, ["passphrase"], "the second passphrase")).toMatchObject({ code: 0 });
  await desk("remember", "A device that is set up goes on.", ...keys);
  await eventually(async () => expect(await rulesOf(laptop, keys)).toHaveLength(2));
  expect(await setUp(tablet, "the second passphrase")).toMatchObject({ code: 0 });
  await eventually(async () => expect(await rulesOf(tablet, keys)).toHaveLength(2));
  const rotated = await ask(laptop, ["rotate"], "the third passphrase");
  const { recovery_phrase: phrase } = JSON.parse(rotated.stdout) as { recovery_phrase: string };
  await laptop("remember", "Written with the second key.", ...keys);
  await desk("remember", "Waits on the desk.", ...keys);
  const stopped = async () => JSON.parse((await desk("status", "--json")).stdout).worker.sync;
  await eventually(async () =>
    expect(await stopped()).toMatchObject({ state: "stopped", reason: "key_missing" }),
  );
  expect((await desk("doctor")).stdout).toMatch(/warn +Sync +stopped[\s\S]*`mem sync setup`/);
  const early = await setUp(desk, "the second passphrase");
  expect([early.code, early.stderr]).toEqual([77, expect.stringContaining("The account has a newer key")]);
  expect(await setUp(desk, "the third passphrase")).toMatchObject({ code: 0 });
  expect(await setUp(tablet, phrase, "--recovery")).toMatchObject({ code: 0 });
  for (const mem of [laptop, desk, tablet])
    await eventually(async () => expect((await rulesOf(mem, keys)).length).toBe(4));
  const { items } = JSON.parse((await desk("sync", "devices", "--json")).stdout);
  expect(items).toHaveLength(3);
  expect(items.filter(({ this_device }: { this_device: boolean }) => this_device)).toHaveLength(1);
  for (const mem of [laptop, desk, tablet])
    expect(JSON.parse((await mem("sync", "status", "--json")).stdout).failed).toEqual([]);
});

test("a backup that is restored is another device: nothing is overwritten", async () => {
  await joinedPair();
  await laptop("remember", "From before the backup.", ...shop);
  await eventually(async () => expect(await rulesOf(desk)).toHaveLength(1));
  const file = join(laptop.home.dataDir, "..", "backup.db");
  expect(await laptop("backup", file)).toMatchObject({ code: 0 });
  await laptop("remember", "From after the backup.", ...shop);
  await eventually(async () => expect(await rulesOf(desk)).toHaveLength(2));
  await laptop("worker", "stop");
  expect(await laptop("restore", file, "--yes")).toMatchObject({ code: 0 });
  await laptop("remember", "From after the restore.", ...shop);
  for (const mem of [laptop, desk]) await eventually(async () => expect((await rulesOf(mem)).length).toBe(3));
  const { failed } = JSON.parse((await laptop("sync", "status", "--json")).stdout);
  expect(failed).toEqual([]);
});

test("a session starts although the hub never answers", async () => {
  await joinedPair();
  await laptop("remember", "Starts without a hub.", ...shop);
  const silent = createServer(() => undefined);
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  await laptop("settings", "set", "MEM_CLOUD_SYNC_HUB_URL", `http://127.0.0.1:${port}`);
  await laptop("worker", "restart");
  const address = readWorkerAddress(laptop.home.dataDir);
  const payload = { session_id: "one", cwd: "/w/shop", source: "startup", hook_event_name: "SessionStart" };
  const answer = await fetch(`http://127.0.0.1:${address?.port}/api/hooks/claude-code/SessionStart`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(payload),
  });
  expect(await answer.text()).toContain("Starts without a hub.");
  // The request to the hub is still open.
  const { worker } = JSON.parse((await laptop("status", "--json")).stdout);
  expect(worker.sync).toMatchObject({ state: "pulling", last_error: null });
});

function textsIn(directory: string): string {
  return readdirSync(directory)
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"))
    .join("\n");
}
