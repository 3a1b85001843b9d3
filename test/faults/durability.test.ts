// Acknowledged means on disk: between the write of a message and its reply stands a sync of the log.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../src/store/sqlite/open.ts";
import { toolUse } from "../helpers/posting-clients.ts";
import { createRandom, type Random } from "../helpers/random.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { volume } from "../helpers/volume.ts";
import { startWorker, type WorkerProcess, workerBundle, workerHome } from "../helpers/worker-process.ts";

test("the database is opened with synchronous FULL", () => {
  const db = openDatabase(join(tempDir(), "mem.db"), { product: "0.0.0", now: 0 });
  expect(db.pragma("synchronous", { simple: true })).toBe(2);
  expect(db.pragma("journal_mode", { simple: true })).toBe("wal");
  db.close();
});

// Where system calls can be traced they are; elsewhere the settings above have to do.
if (canTrace()) {
  test("no reply to single or concurrent posts leaves before their write is synced", async () => {
    const random = createRandom(3);
    const [posts, turns, together] = [10, volume(8, 3), 40];
    const trace = await traced(async (worker) => {
      for (let n = 0; n < posts; n++) await postOne(worker, random, `sync-${n}`);
      for (let turn = 0; turn < turns; turn++) {
        const posts = Array.from({ length: together }, (_, n) =>
          postOne(worker, random, `together-${turn}-${n}`),
        );
        await Promise.all(posts);
      }
    });
    const replies = repliesOf(trace);
    const single = replies.splice(0, posts);
    expect(single).toEqual(Array.from({ length: posts }, () => ({ synced: true, unsyncedWrites: 0 })));
    expect(replies).toHaveLength(turns * together);
    expect(replies.filter((reply) => reply.unsyncedWrites > 0)).toEqual([]);
  });
}

async function traced(post: (worker: WorkerProcess) => Promise<void>): Promise<string> {
  const home = workerHome();
  const trace = join(tempDir(), "trace");
  const calls = "trace=fsync,fdatasync,pwrite64,write,writev,sendto,sendmsg";
  const strace = ["strace", "-f", "-y", "-s", "4096", "-e", calls, "-o", trace];
  const worker = await startWorker(home, [...strace, process.execPath, workerBundle]);
  await post(worker);
  await worker.stop();
  return readFileSync(trace, "utf8");
}

async function postOne(worker: WorkerProcess, random: Random, id: string): Promise<void> {
  const answer = await worker.post("/api/sessions/observations", toolUse(random, { id, session: "sync" }));
  expect(answer).toMatchObject({ status: 200, body: { status: "queued" } });
}

interface Reply {
  /** A sync of the log stands between the reply before and this one. */
  synced: boolean;
  unsyncedWrites: number;
}

function repliesOf(trace: string): Reply[] {
  const replies: Reply[] = [];
  let written = 0;
  let onDisk = 0;
  let synced = false;
  // By thread: how much was written when the sync began that it has not come back from. No more of it is on disk then.
  const underWay = new Map<string, number>();
  const cameBack = (began: number): void => {
    onDisk = Math.max(onDisk, began);
    synced = true;
  };
  for (const line of trace.split("\n")) {
    const thread = line.split(" ", 1)[0] ?? "";
    if (/pwrite64\(\d+<[^>]*mem\.db-wal>/.test(line)) written += 1;
    else if (/(fsync|fdatasync)\(\d+<[^>]*mem\.db-wal>\)\s+= 0/.test(line)) cameBack(written);
    else if (/(fsync|fdatasync)\(\d+<[^>]*mem\.db-wal>.*<unfinished/.test(line))
      underWay.set(thread, written);
    else if (/<\.\.\. (fsync|fdatasync) resumed>.*= 0/.test(line)) {
      cameBack(underWay.get(thread) ?? 0);
      underWay.delete(thread);
    } else if (/(write|writev|sendto|sendmsg)\(\d+<(?:TCP|socket).*queued/.test(line)) {
      replies.push({ synced, unsyncedWrites: written - onDisk });
      synced = false;
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
