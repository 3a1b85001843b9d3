// Random records, deleted and restored in random order.
import { expect, test } from "vitest";
import type { DraftObservation } from "../../../src/core/records/drafts.ts";
import { disagreements } from "../../../src/store/sqlite/derived-check.ts";
import { createMemoryStore, type MemoryStore } from "../../helpers/memory-store.ts";
import { createRandom, type Random } from "../../helpers/random.ts";
import { volume } from "../../helpers/volume.ts";

const seeds = Array.from({ length: volume(40, 8) }, (_, at) => at + 1);
const tables = [
  ...["sessions", "user_prompts", "observations", "session_summaries", "raw_events", "pending_messages"],
  ...["observation_sources", "observation_files", "observation_blobs", "fix_commands", "observation_terms"],
  ...["context_ledger", "injections", "injection_texts", "message_counts"],
];
const fullTexts = ["observations_fts", "session_summaries_fts", "user_prompts_fts"];

test.each(seeds)("seed %i: what is deleted is found nowhere, and restored it is as before", (seed) => {
  const random = createRandom(seed);
  const memory = createMemoryStore();
  const { store } = memory;
  const words = fill(memory, random);
  const before = rowsOf(memory);
  const found = hitsOf(memory, words);
  const removed: { trash: number; before: ReturnType<typeof rowsOf> }[] = [];
  const kinds = ["observation", "observation", "summary", "prompt", "session"] as const;
  for (let step = 0; step < 6; step++) {
    const kind = random.pick(kinds);
    const at = rowsOf(memory);
    const word = wordOf(memory, kind, random);
    if (word === undefined) continue;
    const done = store.deletions[kind](word.id, 100 + step);
    if (done === undefined) continue;
    removed.push({ trash: done.trash_id, before: at });
    if (kind !== "session") expect(placesOf(memory, `${kind[0]}word${word.id}x`)).toEqual([]);
    expect(disagreements(memory.db)).toEqual({});
  }
  for (const { trash, before: then } of removed.toReversed()) {
    expect(store.restore(trash, 0)).toMatchObject({ trash_id: trash });
    expect(rowsOf(memory)).toEqual(then);
  }
  expect(rowsOf(memory)).toEqual(before);
  expect(hitsOf(memory, words)).toEqual(found);
  expect(disagreements(memory.db)).toEqual({});
  memory.close();
});

/** Sessions with records; each record has a word that no other has. */
function fill({ db, store, ...add }: MemoryStore, random: Random): string[] {
  const words: string[] = [];
  for (const session of ["one", "two", "three"]) {
    const id = store.sessions.insert({
      ...{
        claude_session_id: session,
        sdk_session_id: `sdk ${session}`,
        project: random.pick(["app", "lib"]),
      },
      ...{ host: "api", cwd: null, now: random.between(1, 9) },
    });
    const project = store.sessions.byId(id)?.project ?? "";
    const owner = { session, project };
    const events = ["a", "b", "c"].map((key) => {
      const kind = random.pick(["observation", "summarize"] as const);
      const payload = JSON.stringify({
        prompt_key: "k",
        type: kind,
        prompt_number: 1,
        tool_name: `tool ${key}`,
      });
      const event = store.rawEvents.insert({ session_id: id, kind, event_key: key, payload, now: 5 }) ?? 0;
      store.pending.count("accepted", 1);
      if (random.next() < 0.3) store.pending.enqueue(event, id, 5);
      else store.pending.count("done", 1);
      return event;
    });
    const next = (table: string) =>
      Number(
        db.prepare(`select coalesce(max(seq), 0) + 1 from sqlite_sequence where name = ?`).pluck().get(table),
      );
    for (let n = random.between(1, 4); n > 0; n--) {
      const word = `oword${next("observations")}x`;
      const statement: Partial<DraftObservation> =
        random.next() < 0.5
          ? {}
          : {
              statement: {
                ...{ said_by: "agent", standing: false, reach: "project", salience: random.next() * 7 - 3 },
                families: [`run ${random.between(1, 3)}`],
              },
            };
      const sources = events.filter(() => random.next() < 0.5);
      const files_read = random.next() < 0.5 ? [`src/${word}.ts`] : [];
      add.addObservation({ ...owner, title: word, narrative: word, sources, files_read, ...statement });
      words.push(word);
    }
    add.addSummary({ ...owner, request: `sword${next("session_summaries")}x` });
    add.addPrompt(`pword${next("user_prompts")}x`, { ...owner, private: random.next() < 0.2 });
    const ids = db.prepare<[], number>("select id from observations").pluck().all();
    for (let n = 0; n < 3; n++) {
      const [one, other] = [random.pick(ids), random.pick(ids)];
      store.contextLedger.add({ session, reader: "" }, [`record:${one}`], 5);
      const records = [one, other].map((each) => ({ kind: "observation" as const, id: each }));
      const text = `oword${one}x oword${other}x`;
      store.injections.add(
        { session, reader: "" },
        { moment: "start", cause: null, text, tokens: 2, records },
        5,
      );
      if (one < other && random.next() < 0.5)
        store.review.setStanding(one, { status: "superseded", pinned: 0, superseded_by: other });
    }
    db.prepare(
      "insert or ignore into observation_blobs values (?, 'a.ts', 'a.ts', 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391', 0, null, null)",
    ).run(random.pick(ids));
  }
  return words;
}

const tableOf = {
  observation: "observations",
  summary: "session_summaries",
  prompt: "user_prompts",
  session: "sessions",
};

function wordOf({ db }: MemoryStore, kind: keyof typeof tableOf, random: Random): { id: number } | undefined {
  const ids = db.prepare<[], number>(`select id from ${tableOf[kind]}`).pluck().all();
  return ids.length === 0 ? undefined : { id: random.pick(ids) };
}

/** Reviews that follow from a deletion and its undo count as two revisions. */
function rowsOf({ db }: MemoryStore): Record<string, string[]> {
  const rows = (table: string) => db.prepare<[], object>(`select * from ${table}`).all();
  return Object.fromEntries(
    tables.map((table) => [
      table,
      rows(table)
        // For other devices a restored row is another record.
        .map((row) => JSON.stringify({ ...row, revision: undefined, incarnation: undefined }))
        .sort(),
    ]),
  );
}

function placesOf(memory: MemoryStore, word: string): string[] {
  const found = Object.entries(rowsOf(memory)).flatMap(([table, rows]) =>
    rows.some((row) => row.includes(word)) ? [table] : [],
  );
  return [...found, ...fullTexts.filter((table) => idsWith(memory, table, word).length > 0)];
}

function idsWith({ db }: MemoryStore, table: string, word: string): unknown[] {
  return db.prepare(`select rowid from ${table} where ${table} match ? order by rowid`).pluck().all(word);
}

function hitsOf(memory: MemoryStore, words: readonly string[]): unknown[] {
  return words.map((word) => idsWith(memory, "observations_fts", word));
}
