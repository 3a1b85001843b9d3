// Names of projects in `mem sync setup`, and the exit codes of a setup that fails.
import { expect, test } from "vitest";
import { createWorkerClient } from "../../src/client/worker-client.ts";
import { workerHome } from "../helpers/worker-process.ts";
import { newAccount, startHub } from "../hub/hub-process.ts";
import { calledMem, type Mem } from "./mem.ts";
import { pipeToMem } from "./piped-mem.ts";

const passphrase = "six random words for this test";

test("unknown names are refused, names of the hub taken, failures have exit codes", async () => {
  const hubHome = workerHome();
  const account = await newAccount(hubHome, "alice");
  const { url } = await startHub(hubHome);
  const [laptop, desk] = [calledMem(), calledMem()];
  const setUp = async (
    mem: Mem,
    projects: string,
    { hub = url, token = account.token, secret = passphrase } = {},
  ) => {
    const words = ["sync", "setup", "--stdin", "--hub", hub, "--user", account.id];
    const run = await pipeToMem(mem.home.env, [...words, "--projects", projects], [token, secret]);
    return { ...run, stderr: run.stderr.replace(/\s+/g, " ") };
  };
  await laptop("remember", "Use pnpm, never npm.", "--project", "shop");
  const typo = await setUp(laptop, "shpo");
  expect(typo.code).toBe(66);
  expect(typo.stderr).toContain("Known: shop. Did you mean shop?");
  expect((await laptop("sync", "status")).stdout).toContain("Sync is not set up");
  expect((await setUp(laptop, "shop", { token: `${account.token}x` })).code).toBe(77);
  expect((await setUp(laptop, "shop", { hub: "http://127.0.0.1:9" })).code).toBe(69);
  expect(await setUp(laptop, "shop")).toMatchObject({ code: 0 });
  await laptop("sync", "earlier");
  await laptop("sync", "now");
  expect((await setUp(desk, "shop", { secret: "another passphrase than that" })).code).toBe(77);
  expect(await setUp(desk, "shop")).toMatchObject({ code: 0 });
  const late = await setUp(desk, "shop,nosuch");
  expect(late.code).toBe(66);
  expect(late.stderr).toContain("No project named `nosuch`. Known: shop.");
  const status = JSON.parse((await desk("sync", "status", "--json")).stdout);
  expect(status.projects).toEqual([{ project: "shop", synced: true }]);
  // The hub counts the announcement of a device as a push.
  const { items } = JSON.parse((await desk("sync", "devices", "--json")).stdout);
  expect(items).toHaveLength(2);
  expect(status.last_flush_at_epoch).not.toBeNull();

  // A label without records, as earlier versions made of a typo.
  const client = createWorkerClient({ dataDir: desk.home.dataDir });
  await client.chooseSync("ghost", true);
  await client.close();
  expect(await desk("project", "sync", "off", "ghost")).toMatchObject({ code: 0 });
  expect((await desk("project", "sync", "on", "nosuch")).code).toBe(66);
  const team = ["--url", "http://127.0.0.1:9", "--key", "key"];
  const connected = await desk("server", "connect", ...team, "--project", "ghost");
  expect(connected.code).toBe(66);
  expect(connected.stderr).toContain("Known: shop.");
});
