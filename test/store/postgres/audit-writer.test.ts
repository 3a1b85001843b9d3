import { expect, test } from "vitest";
import { createAuditWriter } from "../../../src/store/postgres/audit-writer.ts";
import { makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const scope = await makeProject(database);
const row = {
  ...scope,
  api_key_id: null,
  action: "observation.read",
  resource_type: "observation",
  resource_id: null,
  details: { results: 1 },
  request_id: null,
};

const count = async () => {
  const { rows } = await database.system.query<{ n: number }>({
    text: "select count(*)::int as n from audit_log",
  });
  return rows[0]?.n;
};

test("commits a row before its write resolves, with few statements", async () => {
  let statements = 0;
  const writer = createAuditWriter({
    system: {
      query(statement) {
        statements += 1;
        return database.system.query(statement);
      },
    },
    onFailure: () => undefined,
  });
  await writer.write(row);
  expect(await count()).toBe(1);
  await Promise.all(Array.from({ length: 500 }, () => writer.write(row)));
  expect(await count()).toBe(501);
  expect(statements).toBeLessThan(20);
  expect(writer.failures()).toBe(0);
});

test("counts and reports lost rows without failing reads", async () => {
  const told: number[] = [];
  const writer = createAuditWriter({ system: database.system, onFailure: (_cause, rows) => told.push(rows) });
  await database.owner.query("alter table mem.audit_log rename to audit_gone");
  try {
    await Promise.all([writer.write(row), writer.write(row)]);
  } finally {
    await database.owner.query("alter table mem.audit_gone rename to audit_log");
  }
  await writer.settled();
  expect([writer.failures(), told.reduce((sum, rows) => sum + rows, 0)]).toEqual([2, 2]);
  await writer.write(row);
  expect(await count()).toBe(502);
});

test("a locked table delays reads briefly, and its rows are written later", async () => {
  const writer = createAuditWriter({ system: database.system, onFailure: () => undefined });
  const before = (await count()) ?? 0;
  const locker = await database.owner.connect();
  try {
    await locker.query("begin; lock table mem.audit_log in access exclusive mode");
    // Resolves although the lock is still held.
    await writer.write(row);
  } finally {
    await locker.query("commit");
    locker.release();
  }
  await writer.settled();
  expect([await count(), writer.failures()]).toEqual([before + 1, 0]);
});
