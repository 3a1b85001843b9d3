// Every surface of the worker walks the same list of a search, whatever the size of its pages.
import { mkdirSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { tools } from "../../src/cli/mcp/tools.ts";
import { readPage } from "../../src/cli/tui/read-page.ts";
import type { Place } from "../../src/cli/tui/row-window.ts";
import { createWorkerClient, type WorkerClient } from "../../src/client/worker-client.ts";
import { searchLines } from "../../src/viewer/lines.ts";
import { createMemoryStore, someTime } from "../helpers/memory-store.ts";
import { type Mem, sharedMem } from "./mem.ts";

const mem = sharedMem();
beforeAll(() => fill(mem));

const topics = ["login redirect", "queue race", "login queue", "cart price", "pytest run"];

/** Records of each kind, many of them equal in words and time. */
async function fill({ home }: Mem): Promise<void> {
  mkdirSync(home.dataDir, { recursive: true });
  const memory = createMemoryStore(home.database);
  for (let n = 0; n < 260; n++) {
    const topic = topics[n % topics.length] ?? "";
    const owner = { session: `s${n % 40}`, at: someTime + Math.floor(n / 4) * 60_000 };
    const title = n % 7 === 0 ? `Fixed the ${topic}` : `Edited part ${n} of ${topic}`;
    const statement = { standing: n % 13 === 0, reach: "project", salience: 0 } as const;
    const said = { title: `Text ${n}`, summary: `Text ${n}`, subtitle: `Asked: fix the ${topic}` };
    memory.addObservation({ title, summary: title, routine: n % 11 === 0, ...owner });
    if (n % 13 === 0)
      memory.addObservation({ title, ...owner, statement: { said_by: "user", ...statement } });
    if (n % 6 === 0)
      memory.addObservation({ ...said, ...owner, statement: { said_by: "agent", ...statement } });
    if (n % 4 === 0) memory.addPrompt(`please fix the ${topic} number ${n}`, owner);
    if (n % 5 === 0) memory.addSummary({ request: `Fix ${topic} ${n}`, completed: title, ...owner });
  }
  memory.close();
  await mem("worker", "start");
}

interface Asked {
  client: WorkerClient;
  words: string;
  size: number;
}

const key = (kind: string, id: number | string) => `${kind} ${id}`;

async function walk(size: number, read: (offset: number) => Promise<string[]>): Promise<string[]> {
  const seen: string[] = [];
  for (;;) {
    const page = await read(seen.length);
    seen.push(...page);
    if (page.length < size) return seen;
  }
}

const surfaces: Record<string, (asked: Asked) => Promise<string[]>> = {
  "mem search": ({ words, size }) =>
    walk(size, async (offset) => {
      const page = ["--all", "--limit", String(size), "--offset", String(offset)];
      const { stdout } = await mem("search", words, "--json", ...page);
      const { items }: { items: { kind: string; id: number }[] } = JSON.parse(stdout);
      return items.map(({ kind, id }) => key(kind, id));
    }),
  MCP: ({ client, words, size }) =>
    walk(size, async (offset) => {
      const given = { query: words, limit: size, offset };
      const answer = await tools
        .find(({ name }) => name === "search")
        ?.run(client, given, { host: undefined });
      const results = (answer?.structured.results ?? []) as { kind: string; id: string }[];
      return results.map(({ kind, id }) => key(kind, id.replace(/^\D/, "")));
    }),
  viewer: ({ client, words, size }) =>
    walk(size, async (offset) => {
      const answer = await client.search({
        query: words,
        limit: size,
        offset,
        together: "true",
      });
      return searchLines(answer).map(({ kind, id }) => key(kind === "summary" ? "session" : kind, id));
    }),
  terminal: async ({ client, words }) => {
    const seen: string[] = [];
    const filters = { project: null, kind: null, type: null, since: null };
    let place: Place | null = null;
    do {
      const routes = client.under(AbortSignal.timeout(60_000));
      const page = await readPage(routes, { is: "search", words, filters }, place, someTime);
      seen.push(...page.rows.map(({ kind, id }) => key(kind === "summary" ? "session" : kind, id)));
      place = page.next;
    } while (place !== null);
    return seen;
  },
};

test.each(["how did we fix the login redirect", "login", " "])(
  "each surface walks one list without repeats or losses: %s",
  async (words) => {
    const client = createWorkerClient({ dataDir: mem.home.dataDir });
    const whole = await surfaces["mem search"]?.({ client, words, size: 100 });
    expect(whole?.length).toBeGreaterThan(100);
    expect(new Set(whole).size).toBe(whole?.length);
    for (const [name, walked] of Object.entries(surfaces))
      for (const size of name === "terminal" ? [40] : [9, 40])
        expect({ name, size, list: await walked({ client, words, size }) }).toEqual({
          name,
          size,
          list: whole,
        });
    await client.close();
  },
);

test("a page of one kind has the hits of that kind in the same order", async () => {
  const client = createWorkerClient({ dataDir: mem.home.dataDir });
  const query = "login redirect";
  const together = await client.search({ query, limit: 100, together: "true" });
  const first = await client.search({ query, limit: 10 });
  const second = await client.search({ query, type: "observations", limit: 10, offset: 10 });
  await client.close();
  const ids = (hits: { id: number }[]) => hits.map(({ id }) => id);
  const pages = ids([...first.observations, ...second.observations]);
  // A text that a better hit of another kind has is left out of the list of all kinds.
  const inBoth = (list: number[], other: number[]) => list.filter((id) => other.includes(id));
  const shown = ids(together.observations);
  expect(inBoth(pages, shown).length).toBeGreaterThan(2);
  expect(inBoth(pages, shown)).toEqual(inBoth(shown, pages));
});

test("a list without words fills its page with what is no routine step", async () => {
  const { stdout } = await mem("search", "--type", "observations", "--limit", "40", "--json");
  const { items }: { items: { routine?: number }[] } = JSON.parse(stdout);
  expect(items).toHaveLength(40);
  expect(items.filter(({ routine }) => routine === 1)).toEqual([]);
});
