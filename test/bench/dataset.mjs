// A database of 100,000 observations (or fewer) in 50 projects of skewed size, about 1 KB of Zipf text each: always the same,
// written through the product's own store, made once and kept in the temporary directory.
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { importBundle } from "./bundle.mjs";
import { root } from "./worker.mjs";

const full = 100_000;
const projects = 50;
const vocabularySize = 30_000;
const firstDay = Date.UTC(2026, 0, 1);

/** Copies the database into a data directory; it is made when it is not there yet. */
export async function installDataset(dataDir, say, observations = full) {
  const file = await datasetFile(say, observations);
  copyFileSync(file, join(dataDir, "mem.db"));
}

/** Path of the database. The name carries a digest of the code that writes it. */
export async function datasetFile(say, observations = full) {
  const folder = join(tmpdir(), `agent-mem-bench-${userInfo().uid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const digest = codeDigest();
  const file = join(folder, `observations-${observations}-${digest}.db`);
  if (existsSync(file)) return file;
  // 200 MB each: files that older code wrote are useless.
  for (const name of readdirSync(folder))
    if (!name.includes(digest)) rmSync(join(folder, name), { force: true });
  say(`making the data set of ${observations.toLocaleString("en")} observations (once)`);
  const { openDatabase, closeDatabase, createStore } = await importBundle(
    "store",
    `export { openDatabase, closeDatabase } from "./src/store/sqlite/open.ts";
     export { createStore } from "./src/store/sqlite/store.ts";`,
  );
  const unfinished = `${file}.${process.pid}`;
  const db = openDatabase(unfinished, { product: "0.0.0", now: firstDay });
  db.pragma("synchronous = off");
  fill({ store: createStore(db), db, observations });
  closeDatabase(db);
  renameSync(unfinished, file);
  for (const suffix of ["-wal", "-shm"]) rmSync(`${unfinished}${suffix}`, { force: true });
  return file;
}

/** Five-term questions, each with the project it is asked in; terms are neither the rarest nor the most common. */
export function questions(count) {
  const random = createRandom(99);
  return Array.from({ length: count }, () => ({
    project: projectName(pickProject(random)),
    words: Array.from({ length: 5 }, () => word(20 + Math.floor(2_000 * random() ** 2))),
  }));
}

function fill({ store, db, observations }) {
  const random = createRandom(1);
  const sessions = new Map();
  const write = db.transaction((from, to) => {
    for (let n = from; n < to; n++) addObservation(store, sessions, { n, random });
  });
  for (let n = 0; n < observations; n += 500) write.immediate(n, Math.min(n + 500, observations));
}

function addObservation(store, sessions, { n, random }) {
  const project = projectName(pickProject(random));
  const name = `${project}-${Math.floor(n / 2_000)}`;
  const at = firstDay + n * 180_000;
  if (!sessions.has(name)) sessions.set(name, addSession(store, { name, project, at }));
  const file = `/home/user/${project}/src/${word(zipf(random))}/${word(zipf(random))}.ts`;
  store.observations.insert({
    draft: {
      obs_type: ["discovery", "change", "feature", "bugfix", "refactor"][n % 5],
      title: text(random, 7),
      subtitle: null,
      summary: text(random, 14),
      narrative: text(random, 90),
      facts: [text(random, 8), text(random, 8)],
      concepts: ["what-changed"],
      files_read: [],
      files_modified: [file],
      provenance: "file",
    },
    sources: [],
    session_id: sessions.get(name),
    sdk_session_id: `sdk-${name}`,
    project,
    prompt_number: 1,
    generator: "local",
    agent_id: null,
    agent_type: null,
    discovery_tokens: 400,
    generation_key: null,
    created_at_epoch: at,
  });
}

function addSession(store, { name, project, at }) {
  const session = { project, host: "api", cwd: `/home/user/${project}`, now: at };
  const id = store.sessions.insert({ claude_session_id: name, sdk_session_id: `sdk-${name}`, ...session });
  store.sessions.complete(id, at);
  return id;
}

// Sizes fall off so that the largest project has about an eighth of all rows and the median one about one in a hundred.
const weights = Array.from({ length: projects }, (_, rank) => 1 / (rank + 2.2));
const totalWeight = weights.reduce((sum, weight) => sum + weight, 0);

function pickProject(random) {
  let left = random() * totalWeight;
  for (const [rank, weight] of weights.entries()) {
    left -= weight;
    if (left <= 0) return rank;
  }
  return projects - 1;
}

function projectName(rank) {
  return `project-${String(rank).padStart(2, "0")}`;
}

export function text(random, count) {
  return Array.from({ length: count }, () => word(zipf(random))).join(" ");
}

// The rank of a word by Zipf's law (exponent 1): the inverse of the harmonic sum is an exponential.
function zipf(random) {
  return Math.min(vocabularySize, Math.floor(Math.exp(random() * Math.log(vocabularySize + 1)))) - 1;
}

const syllables = "ba ce di fo gu ka le mi no pu ra se ti vo zu bre cli dro fla gri".split(" ");

export function word(rank) {
  let left = rank + syllables.length;
  let built = "";
  while (left > 0) {
    built += syllables[left % syllables.length];
    left = Math.floor(left / syllables.length);
  }
  return built;
}

// A linear congruential generator: the same numbers on every machine.
export function createRandom(seed) {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
}

function codeDigest() {
  const hash = createHash("sha256").update(readFileSync(new URL(import.meta.url)));
  for (const folder of ["src/store/sqlite", "src/store/sqlite/migrations", "src/core/records"]) {
    const files = readdirSync(join(root, folder), { withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { name } of files.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      hash.update(name).update(readFileSync(join(root, folder, name)));
    }
  }
  return hash.digest("hex").slice(0, 12);
}
