// The TV page from another address of this machine, opened and closed by the real command line.

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { tvUrls } from "../../src/cli/tv-address.ts";
import { calledMem, servedMem } from "./mem.ts";

const own = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

const settingsIn = (dataDir: string): Record<string, string> =>
  JSON.parse(readFileSync(join(dataDir, "settings.json"), "utf8"));

test("enable opens the page with a token, url repeats it, disable closes it", async () => {
  const mem = calledMem();
  const enabled = await mem("tv", "enable", "--yes", "--json");
  expect(enabled.code, enabled.stderr).toBe(0);
  const { items, ...rest } = JSON.parse(enabled.stdout);
  expect(rest).toMatchObject({ enabled: true, host: "0.0.0.0", worker: "running" });
  const { MEM_TV_TOKEN: token = "", MEM_WORKER_HOST: host } = settingsIn(mem.home.dataDir);
  expect(token).toMatch(/^[\w-]{43}$/);
  expect(host).toBe("0.0.0.0");
  expect(JSON.parse((await mem("tv", "enable", "--yes", "--json")).stdout)).toEqual({ items, ...rest });
  const shown = await mem("tv", "url", "--project", "a & b", "--source", "codex");
  expect(shown.stderr).not.toContain("No host agent");
  const misspelled = await mem("tv", "url", "--source", "claud-code");
  expect(misspelled.stderr.replace(/\s+/g, " ")).toContain("Did you mean claude-code?");
  if (own !== undefined) {
    expect(shown.stdout).toContain(
      `http://${own}:${rest.port}/tv?token=${token}&project=a+%26+b&source=codex\n`,
    );
    expect((await fetch(String(items[0].url))).status).toBe(200);
    expect((await fetch(String(items[0].url).replace(/token=[\w-]+/, "token=x"))).status).toBe(401);
    expect((await fetch(`http://${own}:${rest.port}/?token=${token}`)).status).toBe(404);
  }
  expect(shown.stderr).toMatch(/plain\s+HTTP/);
  expect(shown.stdout).not.toContain("█");
  expect((await mem("settings", "list")).stdout).not.toContain(token);
  const disabled = await mem("tv", "disable", "--json");
  expect(JSON.parse(disabled.stdout)).toEqual({ enabled: false, changed: true, worker: "running" });
  expect(settingsIn(mem.home.dataDir)).toMatchObject({ MEM_TV_TOKEN: "", MEM_WORKER_HOST: "127.0.0.1" });
  if (own !== undefined)
    await expect(fetch(`http://${own}:${rest.port}/tv?token=${token}`)).rejects.toThrow();
  const again = await mem("tv", "disable");
  expect([again.code, again.stdout]).toEqual([0, "The TV page is closed already.\n"]);
});

test("the viewer of this machine answers when the worker is bound to one address", async () => {
  if (own === undefined) return;
  const mem = calledMem();
  const { stdout } = await mem("tv", "enable", "--host", own, "--yes", "--json");
  const { port, items } = JSON.parse(stdout);
  expect(items).toHaveLength(1);
  expect((await fetch(`http://127.0.0.1:${port}/api/version`)).status).toBe(200);
  expect((await fetch(`http://${own}:${port}/api/version`)).status).toBe(404);
  expect((await mem("status")).stdout).toContain(`running at http://127.0.0.1:${port}`);
});

test("an open address without a token is a warning at start, in status and in doctor", async () => {
  const mem = calledMem({ MEM_WORKER_HOST: "0.0.0.0" });
  const runs = [await mem("worker", "start"), await mem("status")];
  for (const { stderr } of runs) expect(stderr.match(/SECURITY/g)).toHaveLength(1);
  expect((await mem("doctor")).stdout).toMatch(/warn {2}Notice +SECURITY/);
  const health = JSON.parse((await mem("status", "--json")).stdout);
  expect(health.warnings).toEqual([expect.stringContaining("SECURITY")]);
});

test("a token that cannot be read closes the address instead of opening it", async () => {
  const mem = calledMem({ MEM_WORKER_HOST: "0.0.0.0", MEM_TV_TOKEN: "two words" });
  const { port } = JSON.parse((await mem("worker", "start", "--json")).stdout);
  if (own !== undefined) expect((await fetch(`http://${own}:${port}/api/stats`)).status).toBe(403);
  expect((await mem("status")).stderr).toContain("other machines are refused");
});

describe("without a change", () => {
  test("enable asks first, and fails where it cannot", async () => {
    const mem = calledMem();
    const { code, stderr } = await mem("tv", "enable");
    expect(code).toBe(64);
    expect(stderr).toContain("mem tv enable --yes");
    expect(settingsIn(mem.home.dataDir)).toMatchObject({ MEM_TV_TOKEN: "", MEM_WORKER_HOST: "127.0.0.1" });
  });

  test.each([
    ["127.0.0.1", "Other devices cannot reach 127.0.0.1."],
    ["localhost", "Other devices cannot reach localhost."],
    ["203.0.113.9", "This machine has no address 203.0.113.9."],
    ["none.invalid", "This machine has no address none.invalid."],
  ])("--host %s is refused", async (host, message) => {
    const mem = calledMem();
    const { code, stderr } = await mem("tv", "enable", "--yes", "--host", host);
    expect([code, stderr.split("\n")[0]]).toEqual([64, message]);
    expect(settingsIn(mem.home.dataDir).MEM_TV_TOKEN).toBe("");
  });

  test("a name that leads nowhere leaves the worker running with its settings", async () => {
    const mem = servedMem();
    const { pid } = JSON.parse((await mem("worker", "start", "--json")).stdout);
    const before = settingsIn(mem.home.dataDir);
    expect((await mem("tv", "enable", "--yes", "--host", "none.invalid")).code).toBe(64);
    expect(settingsIn(mem.home.dataDir)).toEqual(before);
    expect(JSON.parse((await mem("worker", "status", "--json")).stdout)).toMatchObject({ pid });
  });

  test("a worker that cannot start at the address runs again with the settings of before", async () => {
    if (own === undefined) return;
    // After the last port there is none to try instead.
    const port = 65_535;
    const taken = createServer().listen(port, own);
    await once(taken, "listening");
    onTestFinished(() => void taken.close());
    const mem = calledMem({ MEM_WORKER_PORT: String(port) });
    await mem("worker", "start");
    const before = settingsIn(mem.home.dataDir);
    const { code, stderr } = await mem("tv", "enable", "--yes", "--host", own);
    expect(code).not.toBe(0);
    expect(stderr).toContain("The settings are as before, and the worker runs with them.");
    expect(stderr).toContain(`No port could be bound at ${own}:${port}`);
    expect(settingsIn(mem.home.dataDir)).toEqual(before);
    expect((await fetch(`http://127.0.0.1:${port}/api/version`)).status).toBe(200);
  });

  test("url says how to open the page, and its address on this machine", async () => {
    const mem = servedMem();
    const { port } = JSON.parse((await mem("worker", "start", "--json")).stdout);
    const { code, stderr } = await mem("tv", "url");
    expect(code).toBe(78);
    expect(stderr).toContain("`mem tv enable`");
    const page = `http://127.0.0.1:${port}/tv`;
    expect(stderr).toContain(`${page}\n`);
    expect((await fetch(page)).status).toBe(200);
  });

  test("a host of the environment is named, since it takes precedence", async () => {
    const mem = calledMem({ MEM_WORKER_HOST: "0.0.0.0" });
    const { code, stderr } = await mem("tv", "disable");
    expect(code).toBe(65);
    expect(stderr).toContain("unset MEM_WORKER_HOST");
  });
});

describe("a closed page and the worker", () => {
  const problem =
    "MEM_WORKER_HOST is none.invalid, which this machine cannot bind, so the worker cannot start.";

  test("every command names an unknown host, and disable starts the worker again", async () => {
    const mem = calledMem({ MEM_WORKER_PORT: "37699" });
    const set = await mem("settings", "set", "MEM_WORKER_HOST", "none.invalid");
    expect([set.code, set.stderr.replaceAll("\n", " ")]).toEqual([0, expect.stringContaining(problem)]);
    const url = await mem("tv", "url");
    expect([url.code, url.stdout, url.stderr]).toEqual([69, "", expect.stringContaining(problem)]);
    const doctor = await mem("doctor", "--json");
    expect(doctor.code).toBe(1);
    const { items }: { items: { name: string }[] } = JSON.parse(doctor.stdout);
    expect(items.find(({ name }) => name === "Port")).toMatchObject({
      state: "fail",
      message: problem,
      next: expect.stringContaining("mem settings set MEM_WORKER_HOST 127.0.0.1"),
    });
    expect(doctor.stdout).not.toContain("another program");
    expect((await mem("worker", "start")).code).not.toBe(0);
    expect(JSON.parse((await mem("tv", "disable", "--json")).stdout)).toMatchObject({ worker: "running" });
    expect((await mem("worker", "status")).code).toBe(0);
  });

  test("disable leaves a worker stopped that the user stopped, and says so", async () => {
    const mem = calledMem();
    await mem("settings", "set", "MEM_TV_TOKEN", "secret");
    const { code, stderr } = await mem("tv", "disable");
    expect(code).toBe(0);
    expect(stderr).toContain("The worker is stopped. Start it: `mem worker start`.");
    expect((await mem("worker", "status")).code).toBe(69);
  });
});

test("a short token is reported at start, by doctor and with the address", async () => {
  if (own === undefined) return;
  const mem = calledMem({ MEM_WORKER_HOST: own });
  const weak = "MEM_TV_TOKEN has fewer than 16 characters";
  expect((await mem("settings", "set", "MEM_TV_TOKEN", "fifteen-letters")).stderr).toContain(weak);
  const before = await mem("doctor", "--json");
  expect(before.stdout).toContain(weak);
  await mem("worker", "start");
  // The log is written behind the worker's start.
  const logged = async () => (await mem("worker", "logs")).stdout;
  await expect.poll(logged).toContain(`SECURITY mem: ${weak}`);
  expect((await mem("status")).stderr.replaceAll("\n", " ")).toContain(weak);
  const doctor = JSON.parse((await mem("doctor", "--json")).stdout);
  const told = doctor.items.filter(({ message }: { message: string }) => message.includes(weak));
  expect(told).toMatchObject([{ name: "TV token", state: "warn", next: "mem tv disable && mem tv enable" }]);
  expect((await mem("tv", "url")).stderr.replaceAll("\n", " ")).toContain(weak);
  expect((await mem("settings", "set", "MEM_TV_TOKEN", "sixteen-letters-")).stderr).not.toContain(weak);
});

test.each([
  ["fd00::1", "http://[fd00::1]:1/tv?token=t"],
  ["box.local", "http://box.local:1/tv?token=t"],
])("the address of %s is %s", (host, url) => {
  expect(tvUrls({ host, port: 1, token: "t" })).toEqual([url]);
});
