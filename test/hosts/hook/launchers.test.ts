// Every launcher, event and fault: exit 0, the worker's exact reply or nothing, and the event in the spool.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { claudeCode, claudeCodeIntegration } from "../../../src/hosts/claude-code.ts";
import { hostAgents } from "../../../src/hosts/registry.ts";
import { kebabCase } from "../../../src/text/kebab-case.ts";
import { findCanaries } from "../../helpers/temp-dir.ts";
import { volume } from "../../helpers/volume.ts";
import { announce, type Behaviour, fakeWorker } from "./fake-worker.ts";
import { answer, canary, password, payload, quotedLine, silent } from "./hook-payload.ts";
import { hookHome, type LauncherName, launchers, patientHome, runHook, spooled } from "./run-hook.ts";

const names: LauncherName[] = [
  "as registered",
  "as registered, without perl",
  "mem-hook.sh",
  "bash mem-hook.sh",
  "the Node bundle",
  "mem hook",
];
const clients: LauncherName[] = ["as registered", "the Node bundle"];
const events = claudeCodeIntegration.hooks.map(({ event }) => kebabCase(event));
const otherHosts = hostAgents.filter(
  ({ host, integration }) => host !== claudeCode && integration.hooks.length > 0,
);
// Setup is a question: unanswered, it leaves nothing to be taken up later.
const kept = (event: string) => (event === "setup" ? [] : [expect.objectContaining({ event })]);
const inputs = ["", " ", "{", "[]", "null", "\0\x01"];
// A shell passes on what it reads: each meets two inputs, the code that reads them meets all.
const inputsOf = (name: LauncherName) =>
  inputs.filter((_, at) => name === "the Node bundle" || at % 3 === names.indexOf(name) % 3);

describe.each(names)("%s", (name) => {
  const run = (event: string, home: ReturnType<typeof hookHome>, input = payload) =>
    runHook(launchers[name](event), home, input);

  test("sends the exact payload and prints the exact reply", async () => {
    const home = patientHome();
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    expect(await run("session-start", home)).toEqual({ ...silent, stdout: answer });
    expect(worker.requests).toEqual([
      { path: "/api/hooks/claude-code/session-start", body: expect.any(String) },
    ]);
    expect(worker.requests[0]?.body.trimEnd()).toBe(payload);
    expect(spooled(home)).toEqual([]);
  });

  test("ignores events of a host that the worker itself started", async () => {
    const home = patientHome({ MEM_GENERATING: "1" });
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    expect(await run("session-start", home)).toEqual(silent);
    expect(worker.requests).toEqual([]);
    expect(spooled(home)).toEqual([]);
  });

  test("spools the cleaned event without a worker", async () => {
    const home = hookHome();
    expect(await run("post-tool-use", home)).toEqual(silent);
    const [line, ...more] = spooled(home);
    expect(more).toEqual([]);
    expect(line).toMatchObject({
      host: "claude-code",
      event: "post-tool-use",
      payload: { tool_use_id: "toolu_1" },
    });
    expect(line?.payload?.tool_input).toEqual({ command: "echo  ünïcödé 'quoted' $HOME \\\"" });
    expect(findCanaries(join(home.dataDir, ".."), [canary, password])).toEqual([]);
  });

  test.each(inputsOf(name))("exits 0 silently on the input %j", async (input) => {
    expect(await run("post-tool-use", hookHome(), input)).toEqual(silent);
  });
});

// Another shell runs the same script, and `mem hook` the code of the bundle.
const bodies = names.filter((name) => name !== "bash mem-hook.sh" && name !== "mem hook");

describe.each(bodies)("%s", (name) => {
  const run = (event: string, home: ReturnType<typeof hookHome>, input = payload) =>
    runHook(launchers[name](event), home, input);

  test("sends 1.5 MB and prints a reply of 9,800 characters", async () => {
    const home = patientHome();
    const long = `{"text":"${"é".repeat(9_800)}"}`;
    const big = JSON.stringify({ session_id: "s1", tool_response: "x".repeat(1_500_000) });
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer: long });
    expect(await run("pre-tool-use", home, big)).toEqual({ ...silent, stdout: long });
    expect(worker.requests[0]?.body.trimEnd()).toBe(big);
  });

  test.each(["socket", "port"] as const)(
    "prints the reply to Setup over a %s to standard error",
    async (over) => {
      const home = patientHome();
      await fakeWorker({ dataDir: home.dataDir, over, does: "answer", answer: "update mem\n", proves: true });
      expect(await run("setup", home)).toEqual({ ...silent, stderr: "update mem\n" });
    },
  );

  test("prints and writes nothing at Setup without a worker", async () => {
    const home = hookHome();
    expect(await run("setup", home)).toEqual(silent);
    expect(existsSync(home.dataDir)).toBe(false);
  });

  test("exits 0 at Setup when standard error is closed", async () => {
    const home = patientHome();
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer: "update mem\n" });
    const script = `{ ${quotedLine(launchers[name]("setup"))}; echo "code $?"; } 2>&-`;
    expect(await runHook(["/bin/sh", "-c", script], home, payload)).toEqual({
      ...silent,
      stdout: "code 0\n",
    });
  });

  test.runIf(existsSync("/proc/self"))(
    "says at a session start alone that the data directory cannot be made",
    async () => {
      const home = hookHome({ MEM_DATA_DIR: "/proc/nope" });
      const systemMessage = "mem records nothing: /proc/nope cannot be made. Run `mem doctor`.";
      expect(JSON.parse((await run("session-start", home)).stdout)).toEqual({ systemMessage });
      expect(await run("post-tool-use", home)).toEqual(silent);
    },
  );
});

type Fault = [what: string, does: Behaviour];

const hangs: Fault = ["hangs", "hang"];
const otherFaults: Fault[] = [
  ["resets the connection", "reset"],
  ["drips", "drip"],
  ["closes without an answer", "silent-end"],
  ["answers garbage", "garbage"],
  ["is cut off in its answer", "cut"],
  ["answers 500", 500],
  ["answers 413", 413],
  ["answers 204", 204],
  ["answers 302", 302],
];
const faults = [hangs, ...otherFaults];

// How long a hook waits depends on the event, so that every event meets a worker that hangs. A client tells the other
// faults apart before it looks at the event: each of them meets one event, and each event one of them.
const meetings: [...Fault, events: string[]][] = [
  [...hangs, events],
  ...otherFaults.map(([what, does], at): [...Fault, string[]] => [
    what,
    does,
    [events[at % events.length] ?? ""],
  ]),
];

// The host's name is only a word of the address: each event meets one fault, and each fault an event; in full all events.
let met = 0;
const meetingsOfHosts = otherHosts.map(({ host, integration }) => {
  const some = integration.hooks.slice(0, volume(integration.hooks.length, 2));
  const itsMeetings = some.map(({ event }) => ({
    event: kebabCase(event),
    fault: faults[met++ % faults.length] ?? hangs,
  }));
  return [host.name, itsMeetings] as const;
});

describe.each(clients)("with a worker that has a fault, %s", (name) => {
  test.each(meetings)("that %s, spools events and exits 0 silently", async (_what, does, itsEvents) => {
    await Promise.all(
      itsEvents.map(async (event) => {
        const home = hookHome();
        await fakeWorker({ dataDir: home.dataDir, over: "socket", does, answer });
        expect({ event, ...(await runHook(launchers[name](event), home, payload)) }).toEqual({
          event,
          ...silent,
        });
        expect(spooled(home)).toEqual(kept(event));
        expect(findCanaries(home.dataDir, [canary, password])).toEqual([]);
      }),
    );
  });

  test.each(meetingsOfHosts)("%s goes on, whatever fault its events meet", async (host, itsMeetings) => {
    await Promise.all(
      itsMeetings.map(async ({ event, fault: [what, does] }) => {
        const home = hookHome();
        await fakeWorker({ dataDir: home.dataDir, over: "socket", does, answer });
        const run = await runHook(launchers[name](event, host), home, payload);
        expect({ event, what, ...run }).toEqual({ event, what, ...silent });
        expect(spooled(home)).toEqual([expect.objectContaining({ host, event })]);
      }),
    );
  });

  test("spools when the socket of a dead worker is left", async () => {
    const home = hookHome();
    mkdirSync(home.dataDir, { mode: 0o700 });
    const script = `require("net").createServer().listen("${join(home.dataDir, "worker.sock")}",()=>process.kill(process.pid,"SIGKILL"))`;
    spawnSync(process.execPath, ["-e", script]);
    expect(await runHook(launchers[name]("stop"), home, payload)).toEqual(silent);
    expect(spooled(home)).toHaveLength(1);
  });

  test("spools a refused payload of 5 MB shortened", async () => {
    const home = hookHome();
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: 413 });
    const big = { session_id: "s1", tool_use_id: "big", tool_response: { stdout: "y".repeat(5_000_000) } };
    expect(await runHook(launchers[name]("post-tool-use"), home, JSON.stringify(big))).toEqual(silent);
    const [line] = spooled(home);
    expect(line?.payload?.tool_use_id).toBe("big");
    expect(JSON.stringify(line).length).toBeLessThan(70_000);
  });

  test("a closed or empty standard input is left to the worker to count, and not spooled", async () => {
    const line = quotedLine(launchers[name]("stop"));
    for (const input of ["<&-", "</dev/null"]) {
      const home = hookHome();
      expect(await runHook(["/bin/sh", "-c", `{ ${line}; } ${input}`], home, "")).toEqual(silent);
      for (const does of ["answer", "reset"] as const) {
        const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does, answer: "" });
        expect(await runHook(["/bin/sh", "-c", `{ ${line}; } ${input}`], home, "")).toEqual(silent);
        expect(worker.requests).toMatchObject([{ body: "" }]);
        rmSync(join(home.dataDir, "worker.sock"));
      }
      expect(spooled(home)).toEqual([]);
    }
  });

  test("exits 0 when the reader has gone", async () => {
    const home = patientHome();
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    const line = quotedLine(launchers[name]("session-start"));
    const script = `{ ${line}; echo "code $?" >&2; } >&-`;
    expect(await runHook(["/bin/sh", "-c", script], home, payload)).toMatchObject({ stderr: "code 0\n" });
  });
});

describe.each(clients)("after a hook timeout, %s", (name) => {
  test("spools without asking for ten seconds, except at a session start", async () => {
    const home = hookHome();
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "hang" });
    const asked = async (event: string) => {
      const before = worker.requests.length;
      expect(await runHook(launchers[name](event), home, payload)).toEqual(silent);
      return worker.requests.length - before;
    };
    expect([await asked("stop"), await asked("post-tool-use"), await asked("session-start")]).toEqual([
      1, 0, 1,
    ]);
    const mark = join(home.dataDir, "worker-hung");
    expect(statSync(mark).mode & 0o777).toBe(0o600);
    const longAgo = Date.now() / 1000 - 11;
    utimesSync(mark, longAgo, longAgo);
    expect([await asked("stop"), await asked("stop")]).toEqual([1, 0]);
    expect(spooled(home)).toHaveLength(5);
  });

  test("ignores a mark from the future", async () => {
    const home = patientHome();
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    writeFileSync(join(home.dataDir, "worker-hung"), "");
    const later = Date.now() / 1000 + 600;
    utimesSync(join(home.dataDir, "worker-hung"), later, later);
    expect(await runHook(launchers[name]("stop"), home, payload)).toEqual({ ...silent, stdout: answer });
    expect(worker.requests).toHaveLength(1);
  });
});

test.each(clients)("MEM_HOOK_TIMEOUT_MS gets the reply of a slow worker, through %s", async (name) => {
  const home = hookHome({ MEM_HOOK_TIMEOUT_MS: "20000" });
  await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "late", answer });
  expect(await runHook(launchers[name]("stop"), home, payload)).toEqual({ ...silent, stdout: answer });
  expect(spooled(home)).toEqual([]);
});

test.each(clients)("a reply removes the hung mark, through %s", async (name) => {
  const home = patientHome();
  await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
  const mark = join(home.dataDir, "worker-hung");
  const { ino, mtimeMs } = statSync(join(home.dataDir, "worker.sock"));
  const longAgo = Date.now() - 60_000;
  writeFileSync(mark, `${ino}:${Math.floor(mtimeMs / 1_000)} ${longAgo}\n`);
  utimesSync(mark, longAgo / 1_000, longAgo / 1_000);
  expect(await runHook(launchers[name]("stop"), home, payload)).toEqual({ ...silent, stdout: answer });
  expect(existsSync(mark)).toBe(false);
});

describe("over a port, which any process may hold", () => {
  const node = launchers["the Node bundle"];

  test.each(clients)("delivers to a worker that proves itself, through %s", async (name) => {
    const home = patientHome();
    const options = { dataDir: home.dataDir, over: "port", does: "answer", answer, proves: true } as const;
    const worker = await fakeWorker(options);
    expect(await runHook(launchers[name]("session-start"), home, payload)).toEqual({
      ...silent,
      stdout: answer,
    });
    expect(worker.received()).toContain(`Host: 127.0.0.1:${worker.port}`);
  });

  test.each(events.slice(0, volume(events.length, 4)))("sends nothing to a stranger at %s", async (event) => {
    const home = patientHome();
    const options = { dataDir: home.dataDir, over: "port", does: "answer", answer, proves: false } as const;
    const stranger = await fakeWorker(options);
    expect(await runHook(node(event), home, payload)).toEqual(silent);
    expect(stranger.requests).toEqual([]);
    expect(stranger.received()).not.toContain("toolu_1");
    expect(spooled(home)).toEqual(kept(event));
  });

  test("a socket outside the data directory must prove itself too", async () => {
    const home = patientHome();
    const elsewhere = patientHome();
    const worker = await fakeWorker({
      dataDir: elsewhere.dataDir,
      over: "socket",
      does: "answer",
      answer,
      proves: true,
    });
    announce(home.dataDir, { port: 0, socket: join(elsewhere.dataDir, "worker.sock") });
    expect(await runHook(node("session-start"), home, payload)).toEqual({ ...silent, stdout: answer });
    expect(worker.requests).toHaveLength(1);
  });

  test("uses no proxy of the environment", async () => {
    let asked = 0;
    const proxy = createServer((socket) => {
      asked += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void proxy.close());
    const address = proxy.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
    const proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"];
    const env = Object.fromEntries(proxies.map((key) => [key, url]));
    for (const over of ["socket", "port"] as const) {
      for (const name of clients) {
        const home = patientHome(env);
        await fakeWorker({ dataDir: home.dataDir, over, does: "answer", answer, proves: true });
        expect((await runHook(launchers[name]("session-start"), home, payload)).stdout).toBe(answer);
      }
    }
    expect(asked).toBe(0);
  });
});
