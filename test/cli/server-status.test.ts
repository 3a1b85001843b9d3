import { expect, test } from "vitest";
import { displayWidth } from "../../src/text/terminal-text.ts";
import { openTestDatabase } from "../helpers/postgres.ts";
import { calledMem } from "./mem.ts";

const database = await openTestDatabase();
const atHome = () => calledMem({ MEM_DATABASE_URL: database.url, MEM_EVENT_RETENTION_DAYS: "12" });
const empty = {
  teams: 0,
  projects: 0,
  active_keys: 0,
  observations: 0,
  jobs_queued: 0,
  jobs_processing: 0,
  jobs_failed: 0,
  teams_with_retention: 0,
};

test("shows the status of an empty and a filled database, also as JSON", async () => {
  const mem = atHome();
  const first = await mem("server", "status", "--json");
  expect([first.code, first.stderr]).toEqual([0, ""]);
  expect(JSON.parse(first.stdout)).toMatchObject({
    database: "named",
    counts: empty,
    event_retention_days: 12,
  });
  await mem("keys", "create", "--team", "acme", "--project", "shop", "--scope", "memories:read");
  await database.system.query({ text: "update teams set retention_days = 3" });
  const { code, stdout } = await mem("server", "status");
  expect(code).toBe(0);
  expect(stdout).toContain("teams     1, with 1 project and 1 active key\n");
  expect(stdout).toContain("events    raw events and prompts: kept 12 days; 1 team set their own\n");
  for (const line of stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
});

test("audits keys created and revoked on the host", async () => {
  const mem = atHome();
  const made = await mem(
    "keys",
    "create",
    "--team",
    "new",
    "--project",
    "p",
    "--scope",
    "memories:read",
    "--json",
  );
  const { id, team_id: teamId } = JSON.parse(made.stdout);
  await mem("keys", "create", "--team", "new", "--project", "p", "--scope", "memories:read");
  expect((await mem("keys", "revoke", id)).code).toBe(0);
  const { rows } = await database.system.query<{ action: string }>({
    text: "select action from audit_log where team_id = $1 order by seq",
    values: [teamId],
  });
  expect(rows.map(({ action }) => action)).toEqual([
    "team.created",
    "project.created",
    "key.created",
    "key.created",
    "key.revoked",
  ]);
});
