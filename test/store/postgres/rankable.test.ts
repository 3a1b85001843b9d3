import { expect, test } from "vitest";
import type { NewHostedObservation } from "../../../src/core/records/hosted-record.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import { askedPrompts, rankableRecords } from "../../../src/store/postgres/rankable.ts";
import { inTenant } from "../../../src/store/postgres/tenant.ts";
import type { Json } from "../../../src/text/json.ts";
import { enqueueEvent, makeSession } from "../../helpers/hosted-jobs.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";

const database = await openTestDatabase();

function store(scope: ProjectScope, ...observations: Partial<NewHostedObservation>[]) {
  return inTenant(database.app, scope, (connection) =>
    insertObservations(
      connection,
      observations.map((one) => hostedObservation(scope, one)),
    ),
  );
}

test("ranks a prompt against the newest records, not routine ones or summaries", async () => {
  const scope = await makeProject(database);
  const beside = await makeProject(database, scope.team_id);
  const session_id = await makeSession(database, scope);
  await store(beside, { title: "beside" });
  await store(
    scope,
    { title: "account", summary: "what was done" },
    { title: "read", routine: true },
    { title: "summary", kind: "session_summary" },
    { title: "note", kind: "manual", content: "the whole note" },
    {
      title: "rule",
      session_id,
      statement: { said_by: "user", standing: true, reach: "everywhere", salience: 2 },
    },
  );
  const newest = (limit: number) =>
    inTenant(database.app, scope, (connection) => rankableRecords(connection, scope, limit));
  expect(await newest(10)).toMatchObject([
    {
      ...{ title: "rule", sdk_session_id: session_id, said_by: "user", standing: 1 },
      ...{ reach: "everywhere", salience: 2 },
    },
    { title: "note", summary: "the whole note" },
    { title: "account", summary: "what was done", sdk_session_id: "", standing: 0, salience: null },
  ]);
  expect(await newest(1)).toHaveLength(1);
});

test("reads the project's prompts under every name, without private ones", async () => {
  const scope = await makeProject(database);
  const beside = await makeProject(database, scope.team_id);
  const session = await makeSession(database, scope);
  const add = (event_type: string, payload: Json) =>
    enqueueEvent(database, scope, { session, event_type, payload, turn: false });
  await add("user_prompt", { prompt: "one" });
  await add("UserPromptSubmit", { prompt: "two" });
  await add("tool_use", { prompt: "no prompt" });
  await add("prompt", "three");
  await add("user_prompt", { prompt: "hidden" });
  await database.system.query({
    text: `update agent_events set metadata = '{"private": true}' where payload ->> 'prompt' = 'hidden'`,
  });
  const other = await makeSession(database, beside);
  await enqueueEvent(database, beside, { session: other, event_type: "prompt", payload: "beside" });
  const newest = (limit: number) =>
    inTenant(database.app, scope, (connection) => askedPrompts(connection, scope, limit));
  expect(await newest(10)).toMatchObject([
    { prompt_text: "three", sdk_session_id: session },
    { prompt_text: "two" },
    { prompt_text: "one" },
  ]);
  expect(await newest(1)).toHaveLength(1);
});
