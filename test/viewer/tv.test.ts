// The TV in a browser: on the worker's machine, and from another address with and without its token.
import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { type CalledWorker, callWorker, serveIn, sharedWorker } from "../helpers/called-worker.ts";
import { type WorkerHome, workerHome } from "../helpers/worker-process.ts";
import { seriousFindings, testBrowser } from "./browser.ts";
import { writeMany } from "./demo-data.ts";

const browser = testBrowser();
const shared = sharedWorker();

const token = "0aB-dEf_hIjKlMnOpQrStUvWxYz0123456789abcdEF";

async function record(worker: CalledWorker, title: string, more: { project?: string; source?: string } = {}) {
  const { project = "shop", source = "claude-code" } = more;
  const body = { claudeSessionId: `${project} ${source}`, project, title, platformSource: source };
  expect((await worker.post("/observations", body)).status).toBe(201);
}

test("the TV shows new observations of its project and source", async () => {
  const worker = await callWorker();
  await record(worker, "The first one");
  await record(worker, "Of another project", { project: "orchard" });
  await record(worker, "Of another source", { source: "codex" });
  const { page, errors, foreign } = await browser.open(worker, "tv?project=shop&source=claude-code");
  const rows = page.locator(".board li .title");
  await rows.first().waitFor();
  expect(await rows.allInnerTexts()).toEqual(["The first one"]);
  await record(worker, "The second one");
  await rows.filter({ hasText: "The second one" }).waitFor();
  expect(await rows.allInnerTexts()).toEqual(["The second one", "The first one"]);
  expect(await seriousFindings(page)).toEqual([]);
  await worker.post("/api/observations/4/status", { status: "rejected" });
  await rows.filter({ hasText: "The second one" }).waitFor({ state: "detached" });
  expect([...errors, ...foreign]).toEqual([]);
});

test("the TV finds its source behind any number of newer observations", async () => {
  const worker = await callWorker(({ database }) => writeMany(database, 510, Date.now() + 24 * 3_600_000));
  const { page } = await browser.open(worker, "tv?source=codex");
  await page.getByText("No observation yet from codex.").waitFor();
  await page.getByText("Sources of the newest observations: api.").waitFor();
  await record(worker, "The only one of this source", { source: "codex" });
  await page.locator(".board li", { hasText: "The only one of this source" }).waitFor();
  await page.goto(`http://127.0.0.1:${worker.port}/tv?project=orchard-api&source=codex`);
  await page.getByText("No observation yet in orchard-api from codex.").waitFor();
  await page.goto(`http://127.0.0.1:${worker.port}/tv?project=shpo`);
  await page.getByText("No observation yet in shpo.").waitFor();
  await page.getByText("Projects of the newest observations: orchard-api, shop.").waitFor();
});

test("the TV says since when it is not connected, and comes back by itself", async () => {
  const home = workerHome();
  const worker = await serveIn(home);
  await record(worker, "Before the outage");
  const { page } = await browser.open(worker, "tv");
  await page.getByText("Live").waitFor();
  await worker.stop();
  await page.getByText(/Not connected since \d\d:\d\d/).waitFor();
  const rows = page.locator(".board li .title");
  expect(await rows.allInnerTexts()).toEqual(["Before the outage"]);
  const again = await serveIn(onPort(home, worker.port));
  await record(again, "During the outage");
  await rows.filter({ hasText: "During the outage" }).waitFor();
  await page.getByText("Live").waitFor();
});

function onPort(home: WorkerHome, port: number): WorkerHome {
  return { ...home, env: { ...home.env, MEM_WORKER_PORT: String(port) } };
}

const own = Object.values(networkInterfaces())
  .flat()
  .find((one) => one?.family === "IPv4" && !one.internal)?.address;

// An address of a network of this machine is another machine's to the worker.
test.runIf(own !== undefined)(
  "another machine gets the TV with the token, which leaves the address",
  async () => {
    const home = workerHome({ MEM_WORKER_HOST: "0.0.0.0", MEM_TV_TOKEN: token });
    const worker = await serveIn(home);
    await record(worker, "Seen from the wall");
    const { page, errors } = await browser.open(worker, "tv");
    const origin = `http://${own}:${worker.port}`;
    const refused = await page.goto(`${origin}/tv`);
    expect(refused?.status()).toBe(401);
    expect(await page.content()).toContain("mem tv url");
    errors.length = 0;
    const asked: { path: string; bearer: string | undefined }[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      asked.push({ path: pathname + search, bearer: request.headers().authorization });
    });
    await page.goto(`${origin}/tv?token=${token}&project=shop`);
    await page.locator(".board li", { hasText: "Seen from the wall" }).waitFor();
    expect(page.url()).toBe(`${origin}/tv?project=shop`);
    const requests = asked.filter(({ path }) => !path.startsWith("/tv") && path !== "/favicon.ico");
    expect(requests.map(({ path }) => path.split("?")[0]).sort()).toEqual(["/api/observations", "/stream"]);
    expect(
      requests.filter(({ path, bearer }) => path.includes(token) || bearer !== `Bearer ${token}`),
    ).toEqual([]);
    expect(await page.content()).not.toContain(token);
    // Chromium says on plain HTTP that it ignores this header.
    expect(errors.filter((error) => !error.includes("Cross-Origin-Opener-Policy"))).toEqual([]);
    await worker.stop();
    const changed = { ...home, env: { ...home.env, MEM_TV_TOKEN: token.toLowerCase() } };
    await serveIn(onPort(changed, worker.port));
    await page.getByText("mem tv url").waitFor();
  },
);

test("a new row can be read from its first moment", async () => {
  const worker = await shared();
  await record(worker, "Just appeared");
  const { page } = await browser.open(worker, "tv", { reducedMotion: "no-preference" });
  await page.locator(".board li").waitFor();
  await page.evaluate(() => {
    for (const animation of document.getAnimations()) {
      animation.pause();
      animation.currentTime = 0;
    }
  });
  expect(await seriousFindings(page)).toEqual([]);
});

test("a worker that refuses the display names the command that allows it", async () => {
  const worker = await shared();
  const { page } = await browser.open(worker, "#/");
  await page.route("**/stream*", (route) => route.fulfill({ status: 403, json: {} }));
  await page.goto(`http://127.0.0.1:${worker.port}/tv`);
  await page.getByText("This worker shows nothing to this display.").waitFor();
  await page.getByText("mem tv enable").waitFor();
});

test("the TV connects again when the stream is silent for too long", async () => {
  const worker = await shared();
  await record(worker, "Before the silence");
  const { page } = await browser.open(worker, "#/");
  await page.clock.install();
  await page.goto(`http://127.0.0.1:${worker.port}/tv`);
  await page.getByText("Live").waitFor();
  await page.route("**/stream*", (route) => route.abort());
  await page.clock.fastForward(51_000);
  await page.getByText(/Not connected since/).waitFor();
  await page.unroute("**/stream*");
  await page.clock.fastForward(61_000);
  await page.getByText("Live").waitFor();
});
