// Copies of a memory beside sync: an older database file over the present one, exports of synced records.
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { exportLine, readExportLine } from "../../../../src/core/records/memory-export.ts";
import { openSnapshot } from "../../../../src/store/sqlite/memory-export.ts";
import { createMemoryImport } from "../../../../src/store/sqlite/memory-import.ts";
import { createSyncRecords } from "../../../../src/store/sqlite/sync/sync-records.ts";
import { createMemoryStore, someTime } from "../../../helpers/memory-store.ts";
import { tempDir } from "../../../helpers/temp-dir.ts";
import { createTestLog, type TestLog } from "./devices.ts";

/** A device over a database file, which may be a copy of another one. */
function openDevice(path: string, log: TestLog) {
  const memory = createMemoryStore(path);
  onTestFinished(() => memory.close());
  const sync = createSyncRecords(memory.db, { ...memory.store, clean: (text) => text });
  const id = () => sync.state().device_id ?? "";
  return {
    path,
    memory,
    sync,
    async join(device: string) {
      await sync.adoptDevice(device, "nonce");
      await sync.adoptEpoch(log.epoch);
      await sync.includeEarlier();
      await sync.projects.setDefault(true);
    },
    async push() {
      const sent = await sync.outgoing(100);
      log.ops.push(...sent.map(({ row: _row, ...op }) => structuredClone({ ...op, device: id() })));
      await sync.stamp(sent, 1);
    },
    pull() {
      const ops = log.ops.slice(Number(sync.state().cursor));
      return sync.apply({ epoch: log.epoch, cursor: String(log.ops.length), ops, failed: [], now: 1 });
    },
    titles: () => memory.db.prepare("select title from observations order by title").pluck().all(),
    lines() {
      const snapshot = openSnapshot(path, {});
      const { device } = snapshot;
      const lines = [...snapshot.rows()].map(({ type, row }) => exportLine(type, row));
      snapshot.close();
      return lines.map((line) => ({ ...JSON.parse(line), ...(device !== undefined && { device }) }));
    },
    async add(lines: readonly object[]) {
      const add = createMemoryImport(memory.db);
      const counts: Record<string, number> = {};
      for (const line of lines) {
        const record = readExportLine(JSON.parse(JSON.stringify(line)));
        if ("fault" in record) throw new Error(record.fault);
        const { outcome } = await memory.store.commit(() => add(record));
        counts[`${record.type} ${outcome}`] = (counts[`${record.type} ${outcome}`] ?? 0) + 1;
      }
      return counts;
    },
  };
}

test("an older copy over the database file is noticed before a number is used twice", async () => {
  const log = createTestLog();
  const folder = tempDir();
  const device = openDevice(join(folder, "mem.db"), log);
  await device.join("laptop");
  device.memory.addObservation({ title: "one" });
  await device.push();
  device.memory.db.exec(`vacuum into '${join(folder, "copy.db")}'`);
  device.memory.addObservation({ title: "two" });
  await device.push();
  const copy = openDevice(join(folder, "copy.db"), log);
  copy.memory.addObservation({ title: "three", at: someTime + 1 });
  const before = copy.sync.state();
  expect(await copy.pull()).toMatchObject({ isCopy: true, changed: [] });
  expect(copy.sync.state()).toEqual(before);
  await copy.sync.adoptDevice("laptop-2", "nonce");
  expect((await copy.pull()).isCopy).toBeUndefined();
  await copy.push();
  expect(copy.titles()).toEqual(["one", "three", "two"]);
  const other = openDevice(join(folder, "other.db"), log);
  await other.join("other");
  await other.pull();
  expect(other.titles()).toEqual(["one", "three", "two"]);
});

test("records that are deleted on the hub do not come back with an older copy", async () => {
  const log = createTestLog();
  const folder = tempDir();
  const device = openDevice(join(folder, "mem.db"), log);
  await device.join("laptop");
  const { id } = device.memory.addObservation({ title: "one" });
  device.memory.db.exec(`vacuum into '${join(folder, "copy.db")}'`);
  await device.push();
  device.memory.db.prepare("delete from observations where id = ?").run(id);
  await device.push();
  const copy = openDevice(join(folder, "copy.db"), log);
  expect(await copy.pull()).toMatchObject({ isCopy: true });
  await copy.sync.adoptDevice("laptop-2", "nonce");
  await copy.pull();
  expect(copy.titles()).toEqual([]);
  expect(await copy.sync.outgoing(100)).toEqual([]);
});

test("an export adds nothing where sync brought its records, in both directions", async () => {
  const log = createTestLog();
  const folder = tempDir();
  const [laptop, desktop] = [openDevice(join(folder, "a.db"), log), openDevice(join(folder, "b.db"), log)];
  await laptop.join("laptop");
  await desktop.join("desktop");
  laptop.memory.addObservation({ title: "one" });
  laptop.memory.addSummary({ request: "Asked" });
  laptop.memory.addPrompt("Do it.");
  const { id } = laptop.memory.addObservation({ title: "gone" });
  await laptop.push();
  await desktop.pull();
  const exported = laptop.lines();
  const present = { "project present": 1, "session present": 1, "prompt present": 1 };
  const all = { ...present, "observation present": 2, "summary present": 1 };
  expect(await desktop.add(exported)).toEqual(all);
  expect(await laptop.add(desktop.lines())).toEqual(all);
  expect(await laptop.add(exported)).toEqual(all);
  laptop.memory.db.prepare("delete from observations where id = ?").run(id);
  await laptop.push();
  await desktop.pull();
  expect(await desktop.add(exported)).toEqual({
    ...{ ...all, "observation present": 1 },
    "observation deleted": 1,
  });
});
