import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { createStderrLog } from "../../../src/core/log.ts";
import { numberedLines } from "../../../src/core/numbered-lines.ts";
import type { ProjectScope } from "../../../src/core/records/tenancy.ts";
import type { Embedder } from "../../../src/recall/embed/embedder.ts";
import { exportProject } from "../../../src/server/administer/export-project.ts";
import { importProject, readHeader } from "../../../src/server/administer/import-project.ts";
import { createMeaning } from "../../../src/server/search/meaning.ts";
import { createRecordEmbedding } from "../../../src/server/vectors/embed-records.ts";
import { createUseRenewal } from "../../../src/server/vectors/hosted-vectors.ts";
import { insertObservations } from "../../../src/store/postgres/observations.ts";
import type { Connections, Database } from "../../../src/store/postgres/open.ts";
import { countVectors } from "../../../src/store/postgres/vector-counts.ts";
import { prepareVectors } from "../../../src/store/postgres/vectors.ts";
import { wordVector } from "../../helpers/embedding-server.ts";
import { eventually } from "../../helpers/eventually.ts";
import { hostedObservation, makeProject } from "../../helpers/hosted-records.ts";
import { openTestDatabase } from "../../helpers/postgres.ts";
import { openVectorDatabase } from "../../helpers/vector-database.ts";

const database = await openVectorDatabase();
const { owner, system } = database;
// An export reads over two connections, and that one has one.
const elsewhere = await openTestDatabase();
const place = await prepareVectors(owner);
const schema = place.state === "on" ? place.schema : "";

/** An embedder that writes down what it is asked. */
function embedderOf(model: string, texts: string[]): Embedder {
  return {
    identity: { embedder: "http", model },
    batch: 4,
    async embed(some) {
      texts.push(...some);
      return some.map((text) => Float32Array.from(wordVector(text, 8)));
    },
    close: async () => undefined,
  };
}

/** A process that embeds with a model, how often it has looked for new records, and what it embedded. */
function startProcess(model: string) {
  const looked = { whole: 0, forNew: 0 };
  const texts: string[] = [];
  let aheadMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + aheadMs };
  const embedder = embedderOf(model, texts);
  const watched: Connections = {
    ...system,
    query(statement) {
      if (statement.name === "projects-with-records") looked.whole += 1;
      if (statement.name === "projects-with-new-records") looked.forNew += 1;
      return system.query(statement);
    },
  };
  const renewUse = createUseRenewal(watched, { identity: embedder.identity, clock });
  const { log } = createStderrLog("SILENT");
  const embedding = createRecordEmbedding({
    ...{ system: watched, embedder, schema, renewUse, clock, log },
    scanEveryMs: 20,
  });
  onTestFinished(() => embedding.stop());
  embedding.start();
  return {
    ...{ embedding, looked, texts },
    /** Everything is walked through again, and whatever else is done hourly. */
    anHourLater() {
      aheadMs += 61 * 60_000;
    },
  };
}

async function filled(count: number, over: Pick<Database, "system"> = database): Promise<ProjectScope> {
  const scope = await makeProject(over);
  const records = Array.from({ length: count }, (_, at) =>
    hostedObservation(scope, { title: `record ${at}` }),
  );
  await insertObservations(over.system, records);
  return scope;
}

/** How many vectors the project has, by model. */
async function vectorsOf({ project_id }: ProjectScope): Promise<Record<string, number>> {
  const { rows } = await system.query<{ model: string; count: number }>({
    text: `select model, count(*)::int as count
      from observation_vectors
      where project_id = $1 and embedding is not null
      group by model
      order by model`,
    values: [project_id],
  });
  return Object.fromEntries(rows.map(({ model, count }) => [model, count]));
}

type Process = ReturnType<typeof startProcess>;

async function looksAtAllAgain(process: Process): Promise<void> {
  const { whole } = process.looked;
  process.anHourLater();
  await eventually(() => expect(process.looked.whole).toBeGreaterThan(whole));
  // It looks again when it is through.
  const { forNew } = process.looked;
  await eventually(() => expect(process.looked.forNew).toBeGreaterThan(forNew + 1));
}

async function unusedFor(hours: number, model: string): Promise<void> {
  await owner.query(
    `update mem.embedder_states set used_at = used_at - interval '${hours} hours' where model = '${model}'`,
  );
}

test("processes with two models embed each record once and keep both vectors", async () => {
  const scope = await filled(10);
  const both = [startProcess("one"), startProcess("other")];
  const each = { one: 10, other: 10 };
  await eventually(async () => expect(await vectorsOf(scope)).toEqual(each));
  for (const { looked } of both) {
    const { forNew } = looked;
    await eventually(() => expect(looked.forNew).toBeGreaterThan(forNew + 10));
  }
  for (const process of both) await looksAtAllAgain(process);
  expect(both.map(({ texts }) => texts.length)).toEqual([10, 10]);
  expect(await vectorsOf(scope)).toEqual(each);
});

test("deletes a model's vectors after exactly a day without use", async () => {
  const scope = await filled(3);
  const earlier = startProcess("earlier");
  await eventually(async () => expect(await vectorsOf(scope)).toMatchObject({ earlier: 3 }));
  await earlier.embedding.stop();
  const later = startProcess("later");
  await eventually(async () => expect(await vectorsOf(scope)).toMatchObject({ later: 3 }));
  await unusedFor(23, "earlier");
  await looksAtAllAgain(later);
  expect(await vectorsOf(scope)).toMatchObject({ earlier: 3, later: 3 });
  await unusedFor(2, "earlier");
  // A look at new records, though it reaches down to the oldest, is no time to drop anything.
  await insertObservations(system, [hostedObservation(scope)]);
  await eventually(async () => expect(await vectorsOf(scope)).toMatchObject({ later: 4 }));
  const { forNew } = later.looked;
  await eventually(() => expect(later.looked.forNew).toBeGreaterThan(forNew + 2));
  expect(await vectorsOf(scope)).toMatchObject({ earlier: 3 });
  await looksAtAllAgain(later);
  expect(await vectorsOf(scope)).toEqual({ later: 4 });
});

test("embedding and searching note the use of a model once an hour", async () => {
  const stays = startProcess("stays");
  await eventually(() => expect(stays.looked.forNew).toBeGreaterThan(0));
  const isInUse = async (model: string) => {
    const text = "select used_at > now() - interval '1 day' as lately from embedder_states where model = $1";
    return (await system.query({ text, values: [model] })).rows;
  };
  await unusedFor(30, "stays");
  const { forNew } = stays.looked;
  await eventually(() => expect(stays.looked.forNew).toBeGreaterThan(forNew + 1));
  expect(await isInUse("stays")).toEqual([{ lately: false }]);
  stays.anHourLater();
  await eventually(async () => expect(await isInUse("stays")).toEqual([{ lately: true }]));
  const embedder = embedderOf("asked", []);
  const renewUse = createUseRenewal(system, { identity: embedder.identity, clock: systemClock });
  const { log } = createStderrLog("SILENT");
  const meaning = createMeaning({ embedder, schema, renewUse, clock: systemClock, log });
  expect(await isInUse("asked")).toEqual([]);
  expect(await meaning.within("some words", async (near) => near !== null)).toBe(true);
  expect(await isInUse("asked")).toEqual([{ lately: true }]);
});

test("records of an import get their vectors while the server runs", async () => {
  const running = startProcess("importing");
  await eventually(() => expect(running.looked.forNew).toBeGreaterThan(0));
  let text = "";
  await exportProject(elsewhere, {
    ...{ scope: await filled(7, elsewhere), names: { team: "t", project: "p" } },
    ...{ product: "1", clock: systemClock, onProgress: () => undefined },
    async write(part) {
      text += part;
    },
  });
  const scope = await makeProject(database);
  const lines = numberedLines(bytesOf(text));
  const header = await readHeader(lines);
  const { created } = await importProject(database.app, {
    lines,
    header,
    scope,
    onProgress: () => undefined,
  });
  expect(created.observations).toBe(7);
  await eventually(async () => expect(await vectorsOf(scope)).toEqual({ importing: 7 }));
  const counts = await countVectors(system, { embedder: "http", model: "importing" }, 5_000);
  expect(counts.done).toBe(counts.total);
});

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
