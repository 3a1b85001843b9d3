// Sends the cases of the matrix one after the other, and says of each what is not as the model has it.

import { newId } from "../../src/ids.ts";
import type { HostedServer } from "../../src/server/build.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import type { Random } from "../helpers/random.ts";
import {
  type Case,
  type Counts,
  expected,
  idKinds,
  idOf,
  isReached,
  mayShow,
  type Row,
  type Slot,
  targetOf,
} from "./tenancy-model.ts";
import { filePath, type Home, keepKeyElsewhere, keyKinds, rightsOf, type World } from "./tenancy-world.ts";

/** Every combination; a row without a place for an id is asked once per home and key. */
export function casesOf(rows: Readonly<Record<string, Row>>, world: World): Case[] {
  return Object.entries(rows).flatMap(([name, row]) =>
    (row.slots ?? [undefined]).flatMap((slot) =>
      world.homes.flatMap((home) =>
        keyKinds
          .filter((key) => slot?.teamKeys !== true || key.startsWith("team"))
          .flatMap((key) => kindsOf(slot).map((idKind): Case => ({ name, row, slot, idKind, home, key }))),
      ),
    ),
  );
}

function kindsOf(slot: Slot | undefined): Case["idKind"][] {
  if (slot === undefined) return ["nothing"];
  return slot.absent === undefined ? [...idKinds] : [...idKinds, "absent"];
}

/** One home for each combination of the rest; of the keys that open nothing, one id too. */
export function sampleOf(all: readonly Case[], random: Random): Case[] {
  const groups = new Map<string, Case[]>();
  for (const asked of all) {
    const { name, row, slot, key } = asked;
    const place = slot === undefined ? -1 : row.slots?.indexOf(slot);
    const idKind = rightsOf(key).length === 0 ? "any" : asked.idKind;
    const group = `${name} ${place} ${idKind} ${key}`;
    groups.set(group, [...(groups.get(group) ?? []), asked]);
  }
  return [...groups.values()].map((group) => random.pick(group));
}

/** Reads as the case does in a report. */
function titleOf({ name, slot, idKind, home, key }: Case): string {
  const where = slot === undefined ? "" : `, ${slot.noun} in ${slot.at} ${slot.name}`;
  return `${name}${where}: ${idKind}, by ${key} of ${home.canary}`;
}

interface Answer {
  status: number;
  headers: Record<string, unknown>;
  body: string;
}

interface MatrixDeps {
  server: Pick<HostedServer, "app">;
  system: Database["system"];
  world: World;
  /** Hears of a fault as soon as it is seen. */
  onFault(fault: string): void;
}

export interface Matrix {
  run(asked: Case): Promise<void>;
  /** Answers that were held against the first of their kind. */
  compared(): number;
}

export function createMatrix(deps: MatrixDeps): Matrix {
  const { world, onFault } = deps;
  const refusals = new Map<string, string>();
  let before: Map<string, string> | undefined;
  let compared = 0;

  // What cannot be had is answered alike, whyever; so is every key that does not hold, on every route.
  function compare(asked: Case, answer: Answer, status: number): void {
    const { name, slot, idKind, key, row } = asked;
    const isKeys = status === 401 || (status === 403 && row.teamOnly !== true && row.readsToo === undefined);
    if (idKind === "absent" || (!isKeys && isReached(asked))) return;
    if (!isKeys && idKind === "malformed" && slot?.malformed !== undefined) return;
    const place =
      slot === undefined ? "" : `${slot.at} ${slot.name} ${slot.noun} ${row.slots?.indexOf(slot)}`;
    // A refusal names the right that the route needs.
    const right = status === 403 ? row.access : "";
    const asker = name.startsWith("tool ") ? "tool" : "";
    const kind = isKeys ? `${asker} ${status} ${right}` : `${name} ${place} ${status}`;
    const first = refusals.get(kind);
    const shown = maskedOf(asked, answer);
    compared += 1;
    if (first === undefined) refusals.set(kind, shown);
    else if (first !== shown) onFault(`${titleOf(asked)} (${key}) is told apart:\n  ${first}\n  ${shown}`);
  }

  function maskedOf(asked: Case, { status, headers, body }: Answer): string {
    const { "x-request-id": _, date: _date, "content-length": _length, ...same } = headers;
    return `${status} ${JSON.stringify(same)} ${withoutId(asked, body)}`;
  }

  function withoutId({ slot, idKind, home }: Case, body: string): string {
    if (slot === undefined || idKind === "absent" || idKind === "never existed") {
      return body.replaceAll(/\b8000000000000001\b/g, "<id>").replaceAll(sentId ?? "<id>", "<id>");
    }
    return body.replaceAll(idOf(home, slot, idKind, world), "<id>");
  }
  let sentId: string | undefined;

  function lookForOthers(asked: Case, answer: Answer): void {
    const body = withoutId(asked, answer.body);
    for (const [canary, team, project] of body.matchAll(/canary(\d)(\d|t)z/g)) {
      const shown = project === "t" ? undefined : world.home(Number(team), Number(project));
      const isOwnTeam = shown === undefined && Number(team) === asked.home.team && answer.status === 200;
      if (!isOwnTeam && (shown === undefined || !mayShow(asked, world, shown))) {
        onFault(`${titleOf(asked)} shows ${canary}`);
      }
    }
    for (const [id] of body.matchAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g)) {
      const shown = world.owner(id);
      if (shown !== undefined && !mayShow(asked, world, shown)) {
        onFault(`${titleOf(asked)} shows an id of ${shown.canary}`);
      }
    }
  }

  // Rows of who is out of the key's reach are the same rows after it.
  async function lookForWrites(asked: Case, isStored: boolean): Promise<void> {
    const after = await fingerprints(deps.system);
    const { project_id } = targetOf(asked.home, asked.idKind, world);
    if (isStored && before?.get(project_id) === after.get(project_id)) {
      onFault(`${titleOf(asked)} stored nothing`);
    }
    for (const home of world.homes) {
      const isSame = before?.get(home.project_id) === after.get(home.project_id);
      const team = `team ${home.team_id}`;
      const isTeamSame = home.team === asked.home.team || before?.get(team) === after.get(team);
      if ((!isSame && !isTouched(asked, home)) || !isTeamSame) {
        onFault(`${titleOf(asked)} changed rows of ${home.canary}`);
      }
    }
    before = after;
  }

  // Counts are of what is there, as far as the key and the question reach.
  async function lookAtCounts(asked: Case, told: Counts): Promise<void> {
    const { slot, idKind, home, key } = asked;
    const isWhole = key.startsWith("team") && (slot === undefined || idKind === "absent");
    const project = isWhole ? null : targetOf(home, idKind, world).project_id;
    const isNone = !isReached(asked) || ["deleted", "never existed", "malformed"].includes(idKind);
    const found = await countsOf(deps.system, {
      team_id: home.team_id,
      project_id: project,
      slot: slot !== undefined,
    });
    for (const [kind, count] of Object.entries(found)) {
      const said = told[kind as keyof Counts];
      if (said !== undefined && said !== (isNone ? 0 : count)) {
        onFault(`${titleOf(asked)} counts ${said} ${kind} of ${count}`);
      }
    }
  }

  function isTouched(asked: Case, home: Home): boolean {
    if (home.team !== asked.home.team) return false;
    if (asked.key.startsWith("project")) return home === asked.home;
    return asked.slot === undefined || isReached(asked);
  }

  return {
    async run(asked) {
      const status = expected(asked);
      const { slot, home, idKind, row } = asked;
      const isWrite = row.access === "write" && status !== 401;
      if (isWrite) before ??= await fingerprints(deps.system);
      const key = slot?.withKey === true ? newId() : undefined;
      if (key !== undefined) {
        await keepKeyElsewhere(deps.system, world, { home: targetOf(home, idKind, world), key });
        before = isWrite ? await fingerprints(deps.system) : undefined;
      }
      sentId = slot === undefined || idKind === "absent" ? undefined : idOf(home, slot, idKind, world);
      let answer = await send(deps, asked, { id: sentId, key });
      if (key !== undefined && answer.status === 201) answer = await send(deps, asked, { id: sentId, key });
      const told = row.told?.(answer.status, answer.body) ?? answer.status;
      if (told !== status) {
        onFault(`${titleOf(asked)}: ${told} instead of ${status}: ${answer.body.slice(0, 300)}`);
      }
      compare(asked, answer, status);
      lookForOthers(asked, answer);
      if (isWrite) await lookForWrites(asked, row.stores === true && status < 300);
      if (row.counts !== undefined && status === 200) await lookAtCounts(asked, row.counts(answer.body));
      if (row.changes === true && status < 300) {
        await world.fill(idKind === "sibling project" ? world.home(home.team, home.project + 1) : home);
        before = undefined;
      }
    },
    compared: () => compared,
  };
}

interface Sent {
  id: string | undefined;
  /** The Idempotency-Key. */
  key: string | undefined;
}

async function send({ server, world }: MatrixDeps, asked: Case, { id, key }: Sent): Promise<Answer> {
  const { name, row, slot, home } = asked;
  const params = {
    path: {} as Record<string, unknown>,
    query: row.query?.() ?? {},
    body: row.body?.() ?? {},
    tool: row.body?.() ?? {},
  };
  for (const other of row.slots ?? [])
    if (other.at === "path") params.path[other.name] = home.ids[other.noun];
  const ofProject = row.slots?.find(
    ({ noun, at }) => (noun === "project" || noun === "label") && at !== "path",
  );
  if (ofProject !== undefined && ofProject.name !== slot?.name && !slot?.without?.includes(ofProject.name)) {
    params[ofProject.at][ofProject.name] = home.ids.project;
  }
  for (const left of slot?.without ?? []) for (const part of Object.values(params)) delete part[left];
  if (slot !== undefined && id !== undefined) params[slot.at][slot.name] = slot.write?.(id) ?? id;
  const toolName = name.startsWith("tool ") ? name.slice("tool ".length) : undefined;
  const [method = "", url = ""] = toolName === undefined ? name.split(" ") : ["POST", "/v1/mcp"];
  const payload =
    toolName === undefined
      ? params.body
      : { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: toolName, arguments: params.tool } };
  const text = world.key(home, asked.key);
  const answer = await server.app.inject({
    method: method as "GET",
    url: url.replaceAll(/:(\w+)/g, (_, param: string) => encodeURIComponent(String(params.path[param]))),
    query: Object.fromEntries(Object.entries(params.query).map(([field, value]) => [field, String(value)])),
    headers: {
      host: "127.0.0.1",
      ...(text === null ? {} : { authorization: `Bearer ${text}` }),
      ...(key === undefined ? {} : { "idempotency-key": key }),
    },
    ...(toolName === undefined && row.body === undefined && slot?.at !== "body" ? {} : { payload }),
  });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
}

/** What there is; observations of the file alone where it is asked for one. */
async function countsOf(
  system: Database["system"],
  { team_id, project_id, slot }: { team_id: string; project_id: string | null; slot: boolean },
): Promise<Counts> {
  const bounds = "team_id = $1 and ($2::uuid is null or project_id = $2)";
  const { rows } = await system.query<Required<Counts>>({
    text: `select
        (select count(*)::int from observations where ${bounds} and kind <> 'session_summary'
          and (not $3 or $4 = any (files_modified))) as observations,
        (select count(*)::int from observations where ${bounds} and kind = 'session_summary') as summaries,
        (select count(*)::int from sessions where ${bounds}) as sessions,
        (select count(*)::int from agent_events where ${bounds} and event_type = 'user_prompt'
          and not metadata @> '{"private":true}') as prompts`,
    values: [team_id, project_id, slot, filePath],
  });
  return rows[0] ?? { observations: 0 };
}

/** What tells that a row of a project, or of a team itself, was added, changed or deleted. */
async function fingerprints(system: Database["system"]): Promise<Map<string, string>> {
  const ofTable = (table: string, where = "") =>
    `select project_id::text as place, count(*) as n, sum(xmin::text::bigint) as sum from ${table} ${where} group by 1`;
  const tables = ["sessions", "agent_events", "generation_jobs", "observations", "idempotency_keys"];
  tables.push("observation_sources", "observation_search");
  const { rows } = await system.query<{ place: string; told: string }>({
    text: `select place, string_agg(n || ':' || sum, ' ' order by part) as told
      from (
        ${tables.map((table, part) => `select ${part} as part, t.* from (${ofTable(table)}) t`).join(" union all ")}
        union all select 10, t.* from (${ofTable("api_keys", "where revoked_at is not null")}) t
        union all select 11, id::text, 1, xmin::text::bigint from projects
        union all select 12, 'team ' || id, 1, xmin::text::bigint from teams
      ) parts
      group by place`,
  });
  return new Map(rows.map(({ place, told }) => [place, told]));
}
