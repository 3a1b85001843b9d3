// Sends the cases of the matrix one after the other, and says of each what is not as the model has it.

import { newId } from "../../src/core/ids.ts";
import type { HostedServer } from "../../src/server/build.ts";
import type { Database } from "../../src/store/postgres/open.ts";
import type { Random } from "../helpers/random.ts";
import { type Answer, type Answered, createComparison, lookForOthers, titleOf } from "./tenancy-answers.ts";
import { type Case, expected, idKinds, idOf, type Row, type Slot, targetOf } from "./tenancy-model.ts";
import { createTraces, lookAtCounts } from "./tenancy-traces.ts";
import { keepKeyElsewhere, keyKinds, type World } from "./tenancy-world.ts";

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

/**
 * One home for each combination of the rest. Where the key is refused whatever it asks for, one place and id too, and of
 * the keys that are no longer good one for each route; of the ids of nothing, one of a scope's keys that are answered alike.
 */
export function sampleOf(all: readonly Case[], random: Random): Case[] {
  const groups = new Map<string, Case[]>();
  for (const asked of all) {
    const { name, row, slot, key } = asked;
    const place = slot === undefined ? -1 : row.slots?.indexOf(slot);
    const status = expected(asked);
    const by = ["deleted", "never existed", "malformed"].includes(asked.idKind)
      ? `${key.split(" ")[0]} ${status}`
      : key;
    const refused = status === 401 ? "refused" : status === 403 ? `${key} refused` : undefined;
    const group = `${name} ${refused ?? `${place} ${asked.idKind} ${by}`}`;
    groups.set(group, [...(groups.get(group) ?? []), asked]);
  }
  return [...groups.values()].map((group) => random.pick(group));
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
  const comparison = createComparison(deps);
  const traces = createTraces(deps);

  /** Sends the case; with an idempotency key, which other tenants hold too, it repeats a 201 and returns the repeat. */
  async function ask(asked: Case): Promise<Answered> {
    const { slot, home, idKind } = asked;
    const id = slot === undefined || idKind === "absent" ? undefined : idOf(home, slot, idKind, world);
    if (slot?.withKey !== true)
      return { asked, sentId: id, answer: await send(deps, asked, { id, key: undefined }) };
    const key = newId();
    await keepKeyElsewhere(deps.system, world, { home: targetOf(home, idKind, world), key });
    traces.forget();
    if (isWrite(asked)) await traces.begin();
    const first = await send(deps, asked, { id, key });
    const answer = first.status === 201 ? await send(deps, asked, { id, key }) : first;
    return { asked, sentId: id, answer };
  }
  return {
    async run(asked) {
      const status = expected(asked);
      const { home, idKind, row } = asked;
      if (isWrite(asked)) await traces.begin();
      const answered = await ask(asked);
      const { body, status: said } = answered.answer;
      const told = row.told?.(said, body) ?? said;
      if (told !== status) onFault(`${titleOf(asked)}: ${told} instead of ${status}: ${body.slice(0, 300)}`);
      comparison.compare(answered, status);
      lookForOthers(answered, deps);
      if (isWrite(asked)) await traces.lookForWrites(asked, row.stores === true && status < 300);
      if (row.counts !== undefined && status === 200) await lookAtCounts(asked, row.counts(body), deps);
      if (row.changes !== true || status >= 300) return;
      await world.fill(idKind === "sibling project" ? world.home(home.team, home.project + 1) : home);
      traces.forget();
    },
    compared: comparison.compared,
  };
}

function isWrite(asked: Case): boolean {
  return asked.row.access === "write" && expected(asked) !== 401;
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
