import { expect, test } from "vitest";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { serverCounts } from "../../../src/store/postgres/server-counts.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

test("what the server holds is counted over all teams", async () => {
  for (const scope of [await makeProject(database), await makeProject(database)]) {
    await insertObservations(database.system, [hostedObservation(scope), hostedObservation(scope)]);
  }
  expect(await serverCounts(database.system)).toMatchObject({
    teams: 2,
    projects: 2,
    observations: 4,
    jobs_queued: 0,
  });
});
