// Acknowledged means on disk: between the write of a message and its reply stands a sync of the log.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { toolUse } from "../helpers/posting-clients.ts";
import { createRandom } from "../helpers/random.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startWorker, workerBundle, workerHome } from "../helpers/worker-process.ts";

test("the database is opened with synchronous FULL", () => {
  const db = openDatabase(join(tempDir(), "mem.db"), { product: "0.0.0", now: 0 });
  expect(db.pragma("synchronous", { simple: true })).toBe(2);
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
  db.close();
});

// Where system calls can be traced they are; elsewhere the settings above have to do.
if (canTrace()) {
  test("no reply leaves the worker while a write to the log is not synced", async () => {
    const home = workerHome();
    const trace = join(tempDir(), "trace");
    const calls = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg";
    const strace = ["strace", "-f", "-y", "-s", "4096", "-e", calls, "-o", trace];
    const worker = await startWorker(home, [...strace, process.execPath, workerBundle]);
    const random = createRandom(3);
    const posts = 20;
    for (let n = 0; n < posts; n++) {
      const answer = await worker.post(
        "/api/sessions/observations",
        toolUse(random, { id: `sync-${n}`, session: "sync" }),
      );
      expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
    }
    await worker.stop();
    expect(repliesOf(readFileSync(trace, "utf8"))).toEqual(
      Array.from({ length: posts }, () => ({ synced: true, unsyncedWrites: 0 })),
    );
  });
}

interface Reply {
  /** A sync of the log stands between the reply before and this one. */
  synced: boolean;
  unsyncedWrites: number;
}

function repliesOf(trace: string): Reply[] {
  const replies: Reply[] = [];
  let state: Reply = { synced: false, unsyncedWrites: 0 };
  for (const line of trace.split("\n")) {
    if (/pwrite64\(\d+<[^>]*mem\.db-wal>/.test(line)) state.unsyncedWrites += 1;
    // Another thread's call may cut the line in two; the thread that syncs replies only after it has returned.
    else if (/(fsync|fdatasync)\(\d+<[^>]*mem\.db-wal>(\)| <unfinished)/.test(line))
      state = { synced: true, unsyncedWrites: 0 };
    else if (/(write|writev|sendto|sendmsg)\(\d+<(?:TCP|socket).*queued/.test(line)) {
      replies.push(state);
      state = { ...state, synced: false };
    }
  }
  return replies;
}

function canTrace(): boolean {
  try {
    execFileSync("strace", ["-f", "-y", "-e", "trace=fsync", "true"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
