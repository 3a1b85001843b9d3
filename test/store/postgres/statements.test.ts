import { expect, test } from "vitest";
import type { NewHostedObservation } from "../../../src/core/records/hosted-record.ts";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import {
  fixesOf,
  quotedStatements,
  salientStatements,
  shownStatements,
  standingRules,
} from "../../../src/store/postgres/statements.ts";
import { inTenant, inTransaction } from "../../../src/store/postgres/tenant.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

const rule: StatementMarks = { said_by: "user", standing: true, reach: "project", salience: 2 };
const said: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 1.5 };
const fix: StatementMarks = { ...said, said_by: "tool", families: ["npm test", "npm run"] };

function store(scope: ProjectScope, ...observations: Partial<NewHostedObservation>[]) {
  return inTenant(database.app, scope, (connection) =>
    insertObservations(
      connection,
      observations.map((one) => hostedObservation(scope, one)),
    ),
  );
}

const titles = (records: readonly { title: string }[]) => records.map(({ title }) => title);

test("standing rules include those for everywhere in a team transaction", async () => {
  const ours = await makeProject(database);
  const beside = await makeProject(database, ours.team_id);
  const theirs = await makeProject(database);
  const everywhere: StatementMarks = { ...rule, reach: "everywhere" };
  await store(ours, { title: "own", statement: rule }, { title: "said", statement: said });
  await store(beside, { title: "beside", statement: rule }, { title: "all", statement: everywhere });
  await store(theirs, { title: "theirs", statement: everywhere });
  const rulesIn = (project_id: string | null, limit = 10) =>
    inTenant(database.app, { team_id: ours.team_id, project_id }, (connection) =>
      standingRules(connection, ours, limit),
    );
  expect(titles(await rulesIn(null))).toEqual(["all", "own"]);
  expect(titles(await rulesIn(null, 1))).toEqual(["all"]);
  expect(titles(await rulesIn(ours.project_id))).toEqual(["own"]);
});

// The system's role has no policy, so the statement alone keeps other teams out.
test.each([
  ["whole", { standingRules, salientStatements }],
  ["quoted", quotedStatements],
  ["shown", shownStatements],
])("rules and statements that are read %s are of the team without a policy, too", async (_shape, readers) => {
  const ours = await makeProject(database);
  const theirs = await makeProject(database);
  const everywhere: StatementMarks = { ...rule, reach: "everywhere" };
  for (const scope of [ours, theirs])
    await store(scope, { title: "rule", statement: everywhere }, { title: "said", statement: said });
  const read = await inTransaction(database.system, async (connection) => [
    await readers.standingRules(connection, ours, 10),
    await readers.salientStatements(connection, ours, 10),
  ]);
  expect(read.map((records) => titles(records))).toEqual([["rule"], ["said"]]);
});

test("statements of a project come by salience, without plain observations", async () => {
  const scope = await makeProject(database);
  await store(
    scope,
    { title: "plain" },
    { title: "low", statement: { ...said, salience: -3 } },
    { title: "high", statement: { ...said, salience: 4.5 } },
  );
  const best = (limit: number) =>
    inTenant(database.app, scope, (connection) => salientStatements(connection, scope, limit));
  expect(titles(await best(5))).toEqual(["high", "low"]);
  expect(titles(await best(1))).toEqual(["high"]);
});

test("fixes are found under each of their command families, and go with their record", async () => {
  const scope = await makeProject(database);
  const other = await makeProject(database, scope.team_id);
  await store(other, { title: "other's", statement: fix });
  const [older] = await store(scope, { title: "older", statement: fix }, { title: "newer", statement: fix });
  const fixes = (family: string) =>
    inTenant(database.app, scope, (connection) =>
      fixesOf(connection, scope, { families: [family, "no such command"], limit: 5 }),
    );
  expect(titles(await fixes("npm test"))).toEqual(["newer", "older"]);
  expect(titles(await fixes("npm run"))).toEqual(["newer", "older"]);
  expect(await fixes("npm")).toEqual([]);
  await inTenant(database.app, scope, (connection) =>
    connection.query({
      text: "delete from observations where team_id = $1 and project_id = $2 and id = $3",
      values: [scope.team_id, scope.project_id, older?.id],
    }),
  );
  expect(titles(await fixes("npm test"))).toEqual(["newer"]);
});
