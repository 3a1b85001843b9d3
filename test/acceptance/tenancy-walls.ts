// The two walls between tenants, each taken down or holed on purpose: the bounds in the statements, and the policies.
import { systemClock } from "../../src/core/clock.ts";
import { createStderrLog } from "../../src/core/log.ts";
import { buildServer, type HostedServer } from "../../src/server/build.ts";
import { loadServerSettings } from "../../src/settings/server.ts";
import type { Connections, Database, Queryable, Statement } from "../../src/store/postgres/open.ts";

export interface Rewriting {
  database: Database;
  /** Rewrites the text of each statement on the tenants' pool. */
  rewrite: (text: string) => string;
  /** Hears of every text, as the product has it. */
  onText: (text: string) => void;
}

/** The database with its tenants' statements rewritten on their way. */
export function rewriting(database: Database): Rewriting {
  const made: Rewriting = { database, rewrite: (text) => text, onText: () => undefined };
  const over = (connection: Queryable): Queryable => ({
    query: ({ name: _, text, ...rest }: Statement) => {
      made.onText(text);
      return connection.query({ ...rest, text: made.rewrite(text) });
    },
  });
  const app: Connections = {
    ...over(database.app),
    borrow: (work) => database.app.borrow((connection) => work(over(connection))),
  };
  made.database = { ...database, app };
  return made;
}

/** A server that remembers nothing yet. */
export async function freshServer(database: Database): Promise<HostedServer> {
  const server = buildServer({
    database,
    role: "http",
    settings: loadServerSettings({ MEM_AUTH_MODE: "api-key", MEM_AUTH_FAILURES_PER_MIN: "0" }),
    log: createStderrLog("SILENT").log,
    clock: systemClock,
    address: () => ({ host: "127.0.0.1", port: 80 }),
  });
  await server.ready();
  return server;
}

/** A policy of the tenants' role. */
export interface Policy {
  table: string;
  bound: string;
}

export async function policiesOf({ owner }: Pick<Database, "owner">): Promise<Policy[]> {
  const { rows } = await owner.query<Policy>(
    `select tablename as table, qual as bound from pg_policies
     where schemaname = 'mem' and policyname = 'tenant' order by tablename`,
  );
  return rows;
}

/** Has the policy say `bound`; `true` opens the table to every tenant. */
export async function alterPolicy(
  { owner }: Pick<Database, "owner">,
  table: string,
  bound: string,
): Promise<void> {
  await owner.query(`alter policy tenant on mem.${table} using (${bound}) with check (${bound})`);
}

/** A text with one of its bounds gone. */
export interface Mutant {
  /** The text as the product has it. */
  of: string;
  text: string;
  /** What is gone, with the words before it. */
  what: string;
}

const parameter = String.raw`\$\d+`;
const equals = new RegExp(String.raw`\b(?:\w+\.)?(?:team_id|project_id) = ${parameter}`, "g");
const optional = new RegExp(
  String.raw`\(${parameter}::uuid is null or (?:\w+\.)?(?:project_id|id) = ${parameter}\)`,
  "g",
);

interface Bound {
  from: number;
  to: number;
  alias: string;
}

/** Where the text says which tenant it is about. */
function boundsOf(text: string): Bound[] {
  const optionals = [...text.matchAll(optional)].map(placeOf);
  const plain = [...text.matchAll(equals)]
    .map(placeOf)
    .filter(({ from }) => !optionals.some((other) => from > other.from && from < other.to));
  const team = /\bteams\s+(?:set .*)?where (id = \$1)/s.exec(text);
  const ofTeam =
    team === null ? [] : [{ from: text.indexOf("id = $1"), to: text.indexOf("id = $1") + 7, alias: "" }];
  return [...optionals, ...plain, ...ofTeam].sort((left, right) => left.from - right.from);
}

function placeOf(match: RegExpMatchArray): Bound {
  const from = match.index ?? 0;
  return {
    from,
    to: from + match[0].length,
    alias: /(\w+)\.(?:team_id|project_id|id)/.exec(match[0])?.[1] ?? "",
  };
}

/** One mutant for each bound of a text, one for all bounds of a table, one for all bounds. */
export function mutantsOf(text: string): Mutant[] {
  const bounds = boundsOf(text);
  const single = bounds.map((bound) => [bound]);
  const pairs = bounds.flatMap((bound, at) => {
    const next = bounds[at + 1];
    const between = next === undefined ? "" : text.slice(bound.to, next.from);
    return next !== undefined && next.alias === bound.alias && /^\s+and\s+$/.test(between)
      ? [[bound, next]]
      : [];
  });
  const all = bounds.length > 2 ? [bounds] : [];
  return [...single, ...pairs, ...all].map((gone) => ({
    of: text,
    text: without(text, gone),
    what: gone.map(({ from, to }) => text.slice(from, to)).join(" and "),
  }));
}

/** The text without any bound; whole tables are never emptied. */
export function unbound(text: string): string {
  const bounds = boundsOf(text);
  const empties = /^\s*delete from \w+ where team_id = \$1 and project_id = \$2\s*$/.test(text);
  return without(text, empties ? bounds.slice(0, 1) : bounds);
}

// The parameters stay, with their type.
function without(text: string, gone: readonly Bound[]): string {
  let left = text;
  for (const { from, to } of [...gone].reverse()) {
    const parameters = new Set(text.slice(from, to).match(/\$\d+/g));
    const kept = [...parameters].map((name) => `${name}::uuid is null`).join(" or ");
    left = `${left.slice(0, from)}(${kept} or true)${left.slice(to)}`;
  }
  return left;
}
