import { expect, test } from "vitest";
import { newId } from "../../../src/core/ids.ts";
import { compatibilityRows } from "../../acceptance/tenancy-compatibility-rows.ts";
import { rowsOfV1 } from "../../acceptance/tenancy-rows.ts";
import { makeWorld } from "../../acceptance/tenancy-world.ts";
import { openTestServer } from "../../helpers/hosted-server.ts";
import { describedRoutes } from "./described-fields.ts";

const server = await openTestServer();
const world = await makeWorld(server.database);
const rows = { ...rowsOfV1, ...compatibilityRows };

// A value that stands nowhere else, for each type of a column.
const marks = {
  uuid: newId(),
  text: "assignedfromoutside",
  number: 424_242_424,
  time: "1999-12-31T12:34:56Z",
};

interface Column {
  name: string;
  type: string;
}

async function columns(): Promise<Column[]> {
  const { rows: found } = await server.database.owner.query<Column>(
    `select distinct column_name as name, data_type as type from information_schema.columns
     where table_schema = 'mem' order by 1`,
  );
  return found;
}

function markOf({ type }: Column): unknown {
  if (type === "uuid") return marks.uuid;
  if (/int|double|numeric/.test(type)) return marks.number;
  if (/time|date/.test(type)) return marks.time;
  if (type === "ARRAY") return [marks.text];
  return type === "jsonb" ? { [marks.text]: marks.text } : marks.text;
}

/** Names of tables that hold a mark. */
async function marked(): Promise<string[]> {
  const { rows: tables } = await server.database.owner.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = 'mem' and c.relkind = 'r'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const { rowCount } = await server.database.owner.query(
      `select 1 from mem.${name} r where r::text ~ $1 limit 1`,
      [`${marks.uuid}|${marks.text}|${marks.number}|1999-12-31`],
    );
    if (rowCount !== 0) found.push(name);
  }
  return found;
}

const camel = (name: string) => name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

// Second spellings of described fields of the older routes: they mean what the sender may say.
const spellings = new Set([
  "content_session_id",
  "contentSessionId",
  "agent_id",
  "agent_type",
  "prompt_number",
  "promptNumber",
]);

test("no column of any table can be set by naming it in a body", async () => {
  const home = world.home(0, 0);
  const before = await marked();
  expect(before).toEqual([]);
  const all = await columns();
  const counts = { refused: 0, ignored: 0 };
  const routes = await describedRoutes(server);
  const ofEvents = routes.find(({ name }) => name === "POST /v1/events")?.body ?? [];
  for (const { name, method, url, writes, body } of routes) {
    if (!writes || method === "DELETE") continue;
    const row = rows[name];
    const isBatch = url.endsWith("/batch");
    const known = isBatch ? ofEvents : (body ?? []);
    const named = new Set([...known, ...(name.includes("/v1/") ? [] : spellings)]);
    const fields = all.flatMap((column) =>
      [...new Set([column.name, camel(column.name), `${camel(column.name)}Epoch`])]
        .filter((field) => !named.has(field))
        .map((field) => [field, markOf(column)] as const),
    );
    const send = async (sent: Record<string, unknown>) => {
      const base = isBatch ? rows["POST /v1/events"]?.body?.() : row?.body?.();
      const payload = { ...base, ...sent };
      const answer = await server.app.inject({
        method: method as "POST",
        url: url.replace(":sessionDbId", home.ids.sessionNumber).replace(":id", idFor(url, home.ids)),
        headers: {
          host: "x",
          authorization: `Bearer ${world.key(home, row?.teamOnly ? "team both" : "project both")}`,
        },
        payload: isBatch ? { events: [payload] } : payload,
      });
      const names = Object.keys(sent).join();
      expect([200, 201, 400, 409], `${name}, ${names}: ${answer.body}`).toContain(answer.statusCode);
      expect(answer.body, `${name} tells ${names}`).not.toContain(marks.uuid);
      return answer.statusCode === 400 ? answer.body : "ignored";
    };
    // A route that ignores all of them together ignores each. One that refuses is sent a few fields: what it names, it
    // refuses, and it is asked about each of the others alone. A column's name can have two types: the second body has the
    // other one.
    const together = [Object.fromEntries(fields), Object.fromEntries(fields.toReversed())];
    const answers = [];
    for (const sent of together) answers.push(await send(sent));
    if (answers.every((answer) => answer === "ignored")) counts.ignored += fields.length;
    else {
      for (let at = 0; at < fields.length; at += 10) {
        const some = fields.slice(at, at + 10);
        const refused = refusedFields(await send(Object.fromEntries(some)));
        counts.refused += some.filter(([field]) => refused.has(field)).length;
        for (const [field, value] of some.filter(([each]) => !refused.has(each))) {
          counts[(await send({ [field]: value })) === "ignored" ? "ignored" : "refused"] += 1;
        }
      }
    }
  }
  expect(await marked(), "a route stored what it must not").toEqual([]);
  console.info(`fields of the server's own: ${counts.refused} refused, ${counts.ignored} ignored`);
  expect(Math.min(counts.refused, counts.ignored)).toBeGreaterThan(100);
});

/** Fields that the answer names as none of the route's. */
function refusedFields(answer: string): Set<string> {
  const named = [...answer.matchAll(/must not have the fields? ([^"…]+)/g)];
  return new Set(named.flatMap(([, names = ""]) => names.split(", ")));
}

function idFor(url: string, ids: { session: string; job: string }): string {
  return url.includes("/jobs/") ? ids.job : ids.session;
}
