import { expect, test } from "vitest";
import type { NewHostedObservation } from "../../../src/core/records/hosted-record.ts";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { replacesRule } from "../../../src/statements/rules/contradictions.ts";
import { isSameRule } from "../../../src/statements/rules/same-rule.ts";
import { deleteObservation } from "../../../src/store/postgres/deletion.ts";
import { insertObservations, observationById } from "../../../src/store/postgres/observations.ts";
import { type EndedTurn, markOutdated } from "../../../src/store/postgres/outdated.ts";
import { rankableRecords } from "../../../src/store/postgres/rankable.ts";
import { salientStatements, standingRules } from "../../../src/store/postgres/statements.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import { makeSession } from "../../helpers/hosted-jobs.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

const rule: StatementMarks = { said_by: "user", standing: true, reach: "project", salience: 2 };
const said: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 1.5 };
const tool: StatementMarks = { ...said, said_by: "tool", families: ["npm test"] };
const now = 1_790_000_000_000;

const nothing: EndedTurn = {
  settled: [],
  passed: [],
  replacesFix: () => true,
  finished: undefined,
  replaces: () => false,
  saysSame: (one, other) => isSameRule(one.summary, other.summary),
};

/** Stores the records as one batch, and marks what it makes outdated; their ids. */
async function complete(
  scope: ProjectScope,
  observations: Partial<NewHostedObservation>[],
  turns: Partial<EndedTurn> = {},
): Promise<string[]> {
  const made = observations.map((one) => hostedObservation(scope, { created_at_epoch: now, ...one }));
  await inTenant(database.app, scope, async (connection) => {
    await insertObservations(connection, made);
    await markOutdated(connection, scope, made, { ...nothing, ...turns });
  });
  return made.map(({ id }) => id);
}

const statusesOf = (scope: ProjectScope, ids: readonly string[]) =>
  inTenant(database.app, scope, async (connection) => {
    const found = [];
    for (const id of ids) found.push((await observationById(connection, scope, id))?.status);
    return found;
  });

test("a newer fix supersedes what was known of its command, in its project alone", async () => {
  const scope = await makeProject(database);
  const beside = await makeProject(database, scope.team_id);
  const failure = { obs_type: "discovery", statement: tool };
  const fix = { obs_type: "bugfix", statement: tool };
  const other = await complete(beside, [failure]);
  const older = await complete(scope, [
    failure,
    fix,
    { ...failure, statement: { ...tool, families: ["make"] } },
    { ...failure, statement: { ...tool, said_by: "agent" } },
  ]);
  const newer = await complete(scope, [fix]);
  expect(await statusesOf(scope, older)).toEqual(["superseded", "superseded", "active", "active"]);
  expect(await statusesOf(scope, newer)).toEqual(["active"]);
  expect(await statusesOf(beside, other)).toEqual(["active"]);
});

test("a new failure supersedes an older one, and no fix", async () => {
  const scope = await makeProject(database);
  const older = await complete(scope, [
    { obs_type: "bugfix", statement: tool },
    { obs_type: "discovery", statement: tool },
  ]);
  await complete(scope, [{ obs_type: "discovery", statement: tool }]);
  expect(await statusesOf(scope, older)).toEqual(["active", "superseded"]);
});

test("a passing command ends its earlier failures, not failures of the same turn", async () => {
  const scope = await makeProject(database);
  const failure = (summary: string) => ({ obs_type: "discovery", statement: tool, summary });
  const turns = { passed: ["npm test"] };
  const older = await complete(scope, [failure("fixed")]);
  const narrower = await complete(scope, [
    { ...failure("still"), statement: { ...tool, families: ["make"] } },
  ]);
  const same = await complete(scope, [{ ...failure("fixed now"), created_at_epoch: now - 1 }], turns);
  expect(await statusesOf(scope, [...older, ...narrower, ...same])).toEqual([
    "superseded",
    "active",
    "active",
  ]);
});

test("work that a later turn finished is neither injected nor ranked", async () => {
  const scope = await makeProject(database);
  const beside = await makeProject(database, scope.team_id);
  const open = { summary: "open", statement: said, created_at_epoch: now - 1 };
  const other = await complete(beside, [open]);
  const ids = await complete(scope, [
    open,
    { ...open, created_at_epoch: now },
    { ...open, summary: "else" },
    { ...open, statement: { ...said, said_by: "user" } },
    // Kept by an agent, which says itself when it is done.
    { ...open, generator: "agent" },
  ]);
  await complete(scope, [], { finished: { at: now, finishes: (text) => text === "open" } });
  expect(await statusesOf(scope, ids)).toEqual(["superseded", "active", "active", "active", "active"]);
  expect(await statusesOf(beside, other)).toEqual(["active"]);
  const [statements, rankable] = await inTenant(database.app, scope, (connection) =>
    Promise.all([salientStatements(connection, scope, 9), rankableRecords(connection, scope, 9)]),
  );
  expect([statements.length, rankable.length]).toEqual([4, 4]);
});

test("a rule supersedes what it replaces until it is deleted", async () => {
  const scope = await makeProject(database);
  const say = (text: string) =>
    complete(scope, [{ title: text, summary: text, statement: rule }], { replaces: replacesRule });
  const rules = async () =>
    (await inTenant(database.app, scope, (connection) => standingRules(connection, scope, 9))).map(
      ({ summary }) => summary,
    );
  await say("Always indent with tabs.");
  await say("Never push to main.");
  const [spaces = ""] = await say("From now on indent with two spaces instead of tabs.");
  expect(await rules()).toEqual([
    "From now on indent with two spaces instead of tabs.",
    "Never push to main.",
  ]);
  const by = { api_key_id: null, request_id: null };
  await deleteObservation(database.app, { tenant: scope, id: spaces, by });
  expect(await rules()).toEqual(["Never push to main.", "Always indent with tabs."]);
  await say("Tabs instead of spaces.");
  await say("use tabs, not spaces");
  expect((await rules()).filter((text) => text.includes("spaces"))).toEqual(["use tabs, not spaces"]);
});

test("a wish is a rule once another session says it in other words", async () => {
  const wish: StatementMarks = { ...rule, standing: false, kind: "rule" };
  /** Whether each is sure when it is said, and the status of the first one. */
  const said = async (...texts: [session: number, text: string][]) => {
    const scope = await makeProject(database);
    const sessions = [await makeSession(database, scope), await makeSession(database, scope)];
    const ids: string[] = [];
    const sure = [];
    for (const [session, text] of texts) {
      const session_id = sessions[session] ?? null;
      ids.push(...(await complete(scope, [{ title: text, summary: text, statement: wish, session_id }])));
      const rules = await inTenant(database.app, scope, (connection) => standingRules(connection, scope, 9));
      sure.push(rules.some(({ id }) => id === ids.at(-1)));
    }
    return [...sure, ...(await statusesOf(scope, ids.slice(0, 1)))];
  };
  const first = "Use pnpm here, not npm.";
  expect(await said([0, first], [1, "Use pnpm, never npm."])).toEqual([false, true, "superseded"]);
  expect(await said([0, first], [0, "Use pnpm, never npm."])).toEqual([false, false, "active"]);
  expect(await said([0, first], [1, first])).toEqual([false, false, "active"]);
  expect(await said([0, first], [1, "Use yarn here, not bun."])).toEqual([false, false, "active"]);
});
