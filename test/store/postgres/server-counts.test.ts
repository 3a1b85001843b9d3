import { expect, test } from "vitest";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { serverCounts } from "../../../src/store/postgres/server-counts.ts";
import { hostedObservation } from "../../helpers/hosted-records.ts";
import { addTestKey } from "../../helpers/hosted-server.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

test("what the server holds is counted over all teams, keys that ended left out", async () => {
  for (const team of ["one", "two"]) {
    const { team_id, project_id } = await addTestKey(database, { team, project: "p" });
    const scope = { team_id, project_id: project_id ?? "" };
    await insertObservations(database.system, [hostedObservation(scope), hostedObservation(scope)]);
  }
  const ended = await addTestKey(database, { team: "two" });
  await database.system.query({
    text: "update api_keys set revoked_at = now() where id = $1",
    values: [ended.id],
  });
  await database.system.query({ text: "update teams set retention_days = 30 where name = 'two'" });
  expect(await serverCounts(database.system)).toEqual({
    teams: 2,
    projects: 2,
    active_keys: 2,
    observations: 4,
    jobs_queued: 0,
    jobs_processing: 0,
    jobs_failed: 0,
    teams_with_retention: 1,
  });
});
