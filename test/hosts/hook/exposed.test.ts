// A hook sends nothing through a data directory, socket or worker.json that other users can change.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { findCanaries } from "../../helpers/temp-dir.ts";
import { announce, type FakeWorker, fakeWorker } from "./fake-worker.ts";
import { answer, payload, silent } from "./hook-payload.ts";
import { type HookHome, hookHome, type LauncherName, launchers, patientHome, runHook } from "./run-hook.ts";

const names: LauncherName[] = [
  "as registered",
  "as registered, without perl",
  "mem-hook.sh",
  "bash mem-hook.sh",
  "the Node bundle",
];
const clients: LauncherName[] = ["as registered", "as registered, without perl", "the Node bundle"];
const events = ["session-start", "user-prompt-submit", "post-tool-use", "setup"];
// The check of a directory is the same for every event: in a directory each launcher gets one of the events. Every launcher
// gets all of them, and so does every directory.
const eventsOf = (name: LauncherName, directory: number) =>
  events.filter((_, at) => (at + names.indexOf(name) + directory) % events.length === 0);
const other = 65_534;
const isRoot = process.getuid?.() === 0;

interface Exposed {
  needsRoot?: true;
  over?: "port";
  /** Opens the directory after the worker in it listens. */
  open(home: HookHome): void;
}

const sticky = (home: HookHome) => chmodSync(dirname(home.dataDir), 0o1777);
const directories: Record<string, Exposed> = {
  "writable by everybody": { open: ({ dataDir }) => chmodSync(dataDir, 0o777) },
  "writable by its group": { open: ({ dataDir }) => chmodSync(dataDir, 0o770) },
  "writable by others, but not readable": { open: ({ dataDir }) => chmodSync(dataDir, 0o702) },
  "sticky and writable by everybody": { open: ({ dataDir }) => chmodSync(dataDir, 0o1777) },
  "another user's": { needsRoot: true, open: ({ dataDir }) => chownSync(dataDir, other, other) },
  "another user's, open to everybody, in a sticky directory": {
    needsRoot: true,
    open(home) {
      sticky(home);
      chmodSync(home.dataDir, 0o777);
      for (const name of readdirSync(home.dataDir)) chownSync(join(home.dataDir, name), other, other);
      chownSync(home.dataDir, other, other);
    },
  },
  "another user's, with a socket of ours": {
    needsRoot: true,
    open: ({ dataDir }) => chownSync(dataDir, other, 0),
  },
  "behind a link, and another user's": {
    needsRoot: true,
    open({ dataDir }) {
      renameSync(dataDir, `${dataDir}-there`);
      symlinkSync(`${dataDir}-there`, dataDir);
      chownSync(`${dataDir}-there`, other, other);
    },
  },
  "writable by everybody, with a worker on a port": {
    over: "port",
    open: ({ dataDir }) => chmodSync(dataDir, 0o777),
  },
  "another user's, with a worker on a port": {
    needsRoot: true,
    over: "port",
    open: ({ dataDir }) => chownSync(dataDir, other, other),
  },
};

describe.each(names)("%s, with a data directory that is", (name) => {
  for (const [directory, [what, { needsRoot, over = "socket", open }]] of Object.entries(
    directories,
  ).entries()) {
    test.runIf(isRoot || needsRoot !== true)(
      `${what}, sends nothing, prints nothing and writes nothing`,
      async () => {
        const home = hookHome();
        const stranger = await fakeWorker({
          dataDir: home.dataDir,
          over,
          does: "answer",
          answer,
          proves: true,
        });
        open(home);
        const before = readdirSync(home.dataDir).sort();
        for (const event of eventsOf(name, directory))
          expect({ event, ...(await runHook(launchers[name](event), home, payload)) }).toEqual({
            event,
            ...silent,
          });
        expect(stranger.received()).toBe("");
        expect(readdirSync(home.dataDir).sort()).toEqual(before);
        expect(findCanaries(dirname(home.dataDir), ["toolu_1"])).toEqual([]);
      },
    );
  }

  test("our own, below one that everybody can write to, is used as ever", async () => {
    const home = patientHome();
    const worker = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    sticky(home);
    expect(await runHook(launchers[name]("session-start"), home, payload)).toEqual({
      ...silent,
      stdout: answer,
    });
    expect(worker.requests).toHaveLength(1);
  });

  test("our own behind a link, or open to pass through, is used as ever", async () => {
    const home = patientHome();
    await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    chmodSync(home.dataDir, 0o711);
    const link = join(dirname(home.dataDir), "link");
    symlinkSync(home.dataDir, link);
    home.env.MEM_DATA_DIR = link;
    expect(await runHook(launchers[name]("session-start"), home, payload)).toEqual({
      ...silent,
      stdout: answer,
    });
  });
});

// The shells run one script.
describe.each(clients)("%s", (name) => {
  test.runIf(isRoot).each([
    ["another user's socket", (socket: string) => chownSync(socket, other, other)],
    ["a socket that everybody can write to", (socket: string) => chmodSync(socket, 0o666)],
    ["a socket that the group can write to", (socket: string) => chmodSync(socket, 0o620)],
  ])("%s is not connected to", async (_what, change) => {
    const home = hookHome();
    const stranger = await fakeWorker({ dataDir: home.dataDir, over: "socket", does: "answer", answer });
    change(join(home.dataDir, "worker.sock"));
    announce(home.dataDir, { port: 1 });
    expect(await runHook(launchers[name]("post-tool-use"), home, payload)).toEqual(silent);
    expect(stranger.received()).toBe("");
  });

  test.runIf(isRoot).each([
    ["another user's", (file: string) => chownSync(file, other, other)],
    ["writable by everybody", (file: string) => chmodSync(file, 0o666)],
    ["writable by its group", (file: string) => chmodSync(file, 0o660)],
    [
      "a link",
      (file: string) => {
        renameSync(file, `${file}-there`);
        symlinkSync(`${file}-there`, file);
      },
    ],
  ])("a worker.json that is %s leads nowhere", async (_what, change) => {
    const home = hookHome();
    const options = { dataDir: home.dataDir, over: "port", does: "answer", answer, proves: true } as const;
    const stranger: FakeWorker = await fakeWorker(options);
    change(join(home.dataDir, "worker.json"));
    expect(await runHook(launchers[name]("post-tool-use"), home, payload)).toEqual(silent);
    expect(stranger.received()).toBe("");
  });
});

describe("what others could have put into an open data directory is not run:", () => {
  const shells: LauncherName[] = ["as registered", "mem-hook.sh", "bash mem-hook.sh"];

  test.each(shells)("no runtime is taken from there, %s", async (name) => {
    const home = hookHome();
    mkdirSync(home.dataDir);
    const trap = join(dirname(home.dataDir), "trap.sh");
    writeFileSync(trap, `#!/bin/sh\ntouch '${trap}-sprung'\n`, { mode: 0o755 });
    writeFileSync(join(home.dataDir, "hook-runtime"), `${trap}\n${trap}\n`, { mode: 0o600 });
    chmodSync(home.dataDir, 0o777);
    expect(await runHook(launchers[name]("stop"), home, payload)).toEqual(silent);
    expect(existsSync(`${trap}-sprung`)).toBe(false);
  });
});
