import { beforeAll, describe, expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import type { ObservationFilter } from "../../../src/core/records/hosted-record.ts";
import {
  insertObservations,
  observationsOfTime,
  seqsOfTime,
} from "../../../src/store/postgres/observations.ts";
import type { Queryable } from "../../../src/store/postgres/open.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();
const scope = await makeProject(database);
const everything: ObservationFilter = { kind: null, obs_type: null, platform_source: null };
const session = newId();
const count = 3_000;
// Every fifth is of the session.
const of = (n: number) => (n % 5 === 0 ? session : null);
const span = { start: 100_000, end: 200_000 };

beforeAll(async () => {
  await database.system.query({
    text: `insert into sessions (id, team_id, project_id, content_session_id, platform_source, memory_epoch)
      values ($1, $2, $3, 'a', 'codex', 1)`,
    values: [session, scope.team_id, scope.project_id],
  });
  await inTenant(database.app, scope, (connection) =>
    insertObservations(
      connection,
      Array.from({ length: count }, (_, n) =>
        hostedObservation(scope, { title: `record ${n}`, session_id: of(n), created_at_epoch: n * 1000 }),
      ),
    ),
  );
});

async function planOf(connection: Queryable, filter: ObservationFilter, mode: string): Promise<string> {
  await connection.query({ text: `set local plan_cache_mode = force_${mode}_plan` });
  await observationsOfTime(connection, scope, { filter, limit: 20, ...span });
  const { kind, obs_type, platform_source } = filter;
  const given = [scope.team_id, scope.project_id, span.start, span.end, kind, obs_type, platform_source, 20];
  const values = given.map((value) => (value === null ? "null" : `'${value}'`)).join(", ");
  const { rows } = await connection.query<{ "QUERY PLAN": string }>({
    text: `explain execute "observations-of-time" (${values})`,
  });
  return rows.map((row) => row["QUERY PLAN"]).join("\n");
}

describe("the records of a time", () => {
  test("includes the first and the last millisecond, newest first, filtered", async () => {
    await inTenant(database.app, scope, async (connection) => {
      const found = await observationsOfTime(connection, scope, { filter: everything, limit: 200, ...span });
      expect(found.map(({ title }) => title)).toEqual(
        Array.from({ length: 101 }, (_, n) => `record ${200 - n}`),
      );
      expect(await seqsOfTime(connection, scope, { filter: everything, limit: 200, ...span })).toEqual(
        found.map(({ seq }) => seq),
      );
      const filter = { ...everything, platform_source: "codex" };
      const ofHost = await observationsOfTime(connection, scope, { filter, limit: 2, ...span });
      expect(ofHost.map(({ title }) => title)).toEqual(["record 200", "record 195"]);
    });
  });

  // Before and after the tables have statistics.
  test.each(["", "analyze"])(
    "are read along their index, in its order, whatever the plan (%s)",
    async (first) => {
      if (first !== "") await database.owner.query({ text: first });
      for (const mode of ["custom", "generic"]) {
        for (const filter of [everything, { ...everything, platform_source: "codex" }]) {
          const plan = await inTenant(database.app, scope, (connection) => planOf(connection, filter, mode));
          expect(plan).toContain("Index Scan Backward using observations_by_time");
          expect(plan).not.toMatch(/Sort|Nested Loop|Hash Join/);
        }
      }
    },
  );
});
