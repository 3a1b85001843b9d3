// Three teams of three projects on one server: the same words in each, a separate canary, and every kind of key.
import { systemClock } from "../../src/core/clock.ts";
import { newId } from "../../src/core/ids.ts";
import { type Scope, scopes } from "../../src/core/records/tenancy.ts";
import { insertKey } from "../../src/store/postgres/api-keys.ts";
import { insertObservations } from "../../src/store/postgres/observations.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import { ensureProject, ensureTeam } from "../../src/store/postgres/teams.ts";
import { freshKey } from "../../src/tenancy/keys/new-key.ts";
import { hostedObservation } from "../helpers/hosted-records.ts";
import { countWrites } from "./tenancy-writes.ts";

/** What an id can name. The numbers and the names are how the older routes say it. */
export type Noun =
  | "project"
  | "label"
  | "event"
  | "session"
  | "job"
  | "failedJob"
  | "memory"
  | "key"
  | "sessionNumber"
  | "sessionName"
  | "observationNumber"
  | "summaryNumber"
  | "promptNumber";

export type Ids = Record<Noun, string>;

/** One project with its records. */
export interface Home {
  team: number;
  project: number;
  team_id: string;
  project_id: string;
  /** Stands in every record of the project and in its name, nowhere else. */
  canary: string;
  ids: Ids;
  /** Ids of what was there and is not any more. */
  gone: Ids;
}

export const keyKinds = [
  "team read",
  "team write",
  "team both",
  "project read",
  "project write",
  "project both",
  "expired",
  "revoked",
  "malformed",
  "none",
] as const;
export type KeyKind = (typeof keyKinds)[number];

export interface World {
  homes: Home[];
  home(team: number, project: number): Home;
  /** The text of a key; a project's key is the home's own. */
  key(home: Home, kind: KeyKind): string | null;
  /** The home that an id belongs to. */
  owner(id: string): Home | undefined;
  /** New records for a home whose old ones were deleted. */
  fill(home: Home): Promise<void>;
}

/** A record of the same device in every home. */
export const everyonesOrigin = "everyone-1";
/** The text of a record in every home. */
export const everyonesText = "The same fact everywhere.";
/** The host's name of a session that every project has. */
export const everyonesSession = "session of everyone";

/** A command family that failed in every project. */
export const everyonesCommand = "npm test";

/** Stands in every record of every project. */
export const lure = "login redirect";
export const filePath = "src/login.ts";

export async function makeWorld({ system, owner }: Pick<Database, "system" | "owner">): Promise<World> {
  // Numbers that stand nowhere else in an answer.
  for (const table of ["sessions", "agent_events", "observations"]) {
    await owner.query(`select setval('${table}_seq_seq', 7000000 + ${table.length} * 100000)`);
  }
  const owners = new Map<string, Home>();
  const keys = new Map<string, string | null>();
  const homes: Home[] = [];

  async function fill(home: Home): Promise<void> {
    home.ids = await makeRecords(system, home);
    for (const id of Object.values(home.ids)) owners.set(id, home);
  }
  for (const team of [0, 1, 2]) {
    const team_id = await ensureTeam(system, { id: newId(), name: `team canary${team}tz` });
    await system.query({
      text: `insert into usage_rollups (team_id, month, kind, total)
        values ($1, date_trunc('month', now() at time zone 'UTC')::date, $2, 1)`,
      values: [team_id, `canary${team}tz`],
    });
    for (const project of [0, 1, 2]) {
      const canary = `canary${team}${project}z`;
      const project_id = await ensureProject(system, { id: newId(), team_id, name: `app ${canary}` });
      const home: Home = { team, project, team_id, project_id, canary, ids: noIds(), gone: noIds() };
      homes.push(home);
      await fill(home);
      home.gone = { ...home.ids, project: newId(), label: `app gone${team}${project}` };
      await removeRecords(system, home);
      await fill(home);
      for (const kind of keyKinds) keys.set(`${team} ${project} ${kind}`, await makeKey(system, home, kind));
    }
  }
  await addStranger(system);
  await countWrites({ owner });
  return {
    homes,
    home: (team, project) => homes[(team % 3) * 3 + (project % 3)] ?? lost(),
    key: ({ team, project }, kind) => keys.get(`${team} ${project} ${kind}`) ?? null,
    owner: (id) => owners.get(id),
    fill,
  };
}

// A team of no key: a rule of it for everywhere would stand before all others. Its many notes keep the words of the lure
// rare where bounds are gone: words that stand in every record say nothing, and nothing would be quoted.
async function addStranger(system: Database["system"]): Promise<void> {
  const team_id = await ensureTeam(system, { id: newId(), name: "team of no key" });
  const scope = { team_id, project_id: await ensureProject(system, { id: newId(), team_id, name: "app" }) };
  const title = `Always the ${lure} canary9tz`;
  const statement = { said_by: "user", standing: true, reach: "everywhere", salience: 4 } as const;
  const notes = Array.from({ length: 1_000 }, (_, at) => hostedObservation(scope, { title: `Note ${at}` }));
  await insertObservations(system, [
    hostedObservation(scope, { title, obs_type: "decision", statement }),
    ...notes,
  ]);
}

function lost(): never {
  throw new RangeError("there are three teams of three projects");
}

function noIds(): Ids {
  const nouns: Noun[] = ["project", "label", "event", "session", "job", "failedJob", "memory", "key"];
  const more: Noun[] = ["sessionNumber", "sessionName", "observationNumber", "summaryNumber", "promptNumber"];
  return Object.fromEntries([...nouns, ...more].map((noun) => [noun, ""])) as Ids;
}

/** Rights of a kind; none of those that hold no longer. */
export function rightsOf(kind: KeyKind): readonly Scope[] {
  if (kind.endsWith("read")) return ["memories:read"];
  if (kind.endsWith("write")) return ["memories:write"];
  return kind.endsWith("both") ? scopes : [];
}

async function makeKey(system: Database["system"], home: Home, kind: KeyKind): Promise<string | null> {
  if (kind === "none") return null;
  const rights = rightsOf(kind);
  const made = freshKey(
    {
      team_id: home.team_id,
      project_id: kind.startsWith("project") ? home.project_id : null,
      scopes: rights.length === 0 ? scopes : rights,
    },
    { label: kind, expiresInDays: 90, now: systemClock.now() },
  );
  if (kind === "malformed") return `${made.apiKey.slice(0, -1)}${made.apiKey.endsWith("A") ? "B" : "A"}`;
  await insertKey(system, { ...made, parent_id: null });
  if (kind === "expired" || kind === "revoked") {
    const ended = kind === "expired" ? "expires_at" : "revoked_at";
    await system.query({
      text: `update api_keys set ${ended} = now() - interval '1 day' where id = $1`,
      values: [made.id],
    });
  }
  return made.apiKey;
}

async function makeRecords(system: Database["system"], home: Home): Promise<Ids> {
  const { team_id, project_id, canary } = home;
  const [session, event, job, memory, summary] = [newId(), newId(), newId(), newId(), newId()];
  const failedJob = newId();
  const told = `the ${lure} ${canary}`;
  const name = `session ${newId()}`;
  const epoch = "(select memory_epoch from projects where id = $2)";
  const { rows } = await system.query<{ session: string; prompt: string }>({
    text: `with made as (
        insert into sessions (id, team_id, project_id, content_session_id, title, memory_epoch)
        values ($3, $1, $2, $4, $5, ${epoch}) returning seq),
      prompted as (
        insert into agent_events (id, team_id, project_id, session_id, source_type, event_type, payload, metadata,
          memory_epoch, occurred_at)
        values (gen_random_uuid(), $1, $2, $3, 'hook', 'user_prompt', jsonb_build_object('prompt', $5::text),
          '{"promptNumber":1}', ${epoch}, now()) returning seq),
      used as (
        insert into agent_events (id, team_id, project_id, session_id, source_type, event_type, payload, memory_epoch,
          occurred_at)
        values ($6, $1, $2, $3, 'hook', 'tool_use', jsonb_build_object('tool_name', 'Bash', 'tool_response', $5::text),
          ${epoch}, now()) returning seq),
      queued as (
        insert into generation_jobs (id, team_id, project_id, session_id, source_type, source_id, memory_epoch)
        values ($7, $1, $2, $3, 'agent_event', $6, ${epoch})),
      failed as (
        insert into generation_jobs (id, team_id, project_id, source_type, source_id, status, memory_epoch)
        values ($8, $1, $2, 'agent_event', gen_random_uuid(), 'failed', ${epoch})),
      shared as (
        insert into sessions (id, team_id, project_id, content_session_id, memory_epoch)
        values (gen_random_uuid(), $1, $2, $9, ${epoch}) on conflict do nothing),
      repeatable as (
        insert into idempotency_keys (team_id, project_id, key, body_hash, event_ids)
        values ($1, $2, gen_random_uuid()::text, '', '{}'))
      select made.seq::text as session, prompted.seq::text as prompt from made, prompted, used`,
    values: [team_id, project_id, session, name, told, event, job, failedJob, everyonesSession],
  });
  const record = { session_id: session, title: `Fixed ${told}`, narrative: told, files_modified: [filePath] };
  const source = {
    id: newId(),
    source_type: "agent_event" as const,
    source_id: event,
    generation_job_id: job,
  };
  const stored = await insertObservations(system, [
    hostedObservation(home, {
      ...record,
      id: memory,
      content: everyonesText,
      obs_type: "decision",
      statement: { said_by: "agent", standing: false, reach: "project", salience: 3 },
      concepts: ["how-it-works", "what-changed"],
      created_by_job_id: job,
      sources: [source],
    }),
    hostedObservation(home, { ...record, id: summary, kind: "session_summary", obs_type: "session_summary" }),
    hostedObservation(home, {
      ...record,
      title: `Failed: ${told}`,
      // A third quote of the project itself would leave no room for one of a neighbor.
      routine: true,
      statement: {
        ...{ said_by: "tool", standing: false, reach: "project", salience: 1 },
        families: [everyonesCommand],
      },
    }),
    hostedObservation(home, {
      ...record,
      title: `Always ${told}`,
      obs_type: "decision",
      statement: { said_by: "user", standing: true, reach: "project", salience: 4 },
    }),
  ]);
  await system.query({
    text: `insert into shared_records (team_id, project_id, device, kind, origin_id, revision, observation_id)
      values ($1, $2, 'laptop', 'observation', $3, 5, $4) on conflict do nothing`,
    values: [team_id, project_id, everyonesOrigin, memory],
  });
  const key = freshKey(
    { team_id, project_id, scopes: ["memories:read"] },
    { label: canary, expiresInDays: 1, now: systemClock.now() },
  );
  await insertKey(system, { ...key, parent_id: null });
  return {
    project: project_id,
    label: `app ${canary}`,
    event,
    session,
    job,
    failedJob,
    memory,
    key: key.id,
    sessionNumber: rows[0]?.session ?? "",
    sessionName: name,
    observationNumber: String(stored[0]?.seq),
    summaryNumber: String(stored[1]?.seq),
    promptNumber: rows[0]?.prompt ?? "",
  };
}

/** Has every other home keep an idempotency key of that name. */
export async function keepKeyElsewhere(
  system: Database["system"],
  world: World,
  { home, key }: { home: Home; key: string },
): Promise<void> {
  await system.query({
    text: `insert into idempotency_keys (team_id, project_id, key, body_hash, event_ids)
      select team_id, id, $1, decode('00', 'hex'), '{}' from projects where id = any ($2::uuid[])`,
    values: [`key:${key}`, world.homes.filter((other) => other !== home).map(({ project_id }) => project_id)],
  });
}

async function removeRecords(system: Database["system"], { project_id, ids }: Home): Promise<void> {
  for (const table of ["generation_jobs", "observations", "agent_events", "sessions", "api_keys"]) {
    await system.query({
      text: `delete from ${table} where project_id = $1 and ($2::uuid is null or id = $2)`,
      values: [project_id, table === "api_keys" ? ids.key : null],
    });
  }
}
