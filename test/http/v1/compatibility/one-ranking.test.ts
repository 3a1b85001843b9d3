// The hosted searches give one order: /api/search in pages of any size, and /v1/search.
import { expect, test } from "vitest";
import { insertObservations } from "../../../../src/store/postgres/observations.ts";
import { inTenant } from "../../../../src/store/postgres/tenant.ts";
import { hostedObservation } from "../../../helpers/hosted-records.ts";
import { requestsTo } from "../../../helpers/hosted-requests.ts";
import { openTestServer } from "../../../helpers/hosted-server.ts";

const server = await openTestServer();
const key = await server.addKey({ project: "shop" });
const { get, post } = requestsTo(server, key);
const scope = { team_id: key.team_id, project_id: key.project_id ?? "" };
const said = { standing: false, reach: "project", salience: 0, kind: null } as const;

await inTenant(server.database.app, scope, (connection) =>
  insertObservations(
    connection,
    Array.from({ length: 90 }, (_, n) => {
      const title = n % 3 === 0 ? "Fixed the login redirect" : `Edited part ${n} of the login`;
      if (n % 9 === 1) return hostedObservation(scope, { kind: "session_summary", title, summary: title });
      if (n % 9 !== 2) return hostedObservation(scope, { title, routine: n % 10 === 0 });
      const subtitle = "Asked: why does the login redirect loop?";
      return hostedObservation(scope, {
        title: `Text ${n}`,
        subtitle,
        statement: { said_by: "agent", ...said },
      });
    }),
  ),
);

interface Hit {
  id: number;
  title: string;
  rank: number;
}

async function pageOf(limit: number, offset: number): Promise<Hit[]> {
  const answer = await get(`/api/search?query=login+redirect&together=true&limit=${limit}&offset=${offset}`);
  const { observations, sessions }: { observations: Hit[]; sessions: Hit[] } = answer.body;
  return [...observations, ...sessions].sort((a, b) => a.rank - b.rank);
}

test("pages of a hosted search neither repeat nor lose a record", async () => {
  const whole = await pageOf(100, 0);
  expect(whole).toHaveLength(90);
  const seen: Hit[] = [];
  for (let offset = 0; offset < 90; offset += 7) seen.push(...(await pageOf(7, offset)));
  expect(seen.map(({ id }) => id).sort()).toEqual(whole.map(({ id }) => id).sort());
  expect(new Set(seen.map(({ id }) => id)).size).toBe(90);
});

test("a team's search has the order of the same server's pages, for every limit", async () => {
  const whole = (await pageOf(100, 0)).map(({ rank }) => rank);
  for (const limit of [5, 40, 100]) {
    const answer = await post("/v1/search", { query: "login redirect", limit });
    const { observations }: { observations: { score: number; title: string }[] } = answer.body;
    expect(observations.map(({ score }) => -score)).toEqual(whole.slice(0, limit));
  }
});

test("a hosted statement that only its turn's prompt matches comes behind the others", async () => {
  const titles = (await pageOf(50, 0)).map(({ title }) => title);
  expect(titles.filter((title) => title.startsWith("Text"))).toEqual([]);
});
