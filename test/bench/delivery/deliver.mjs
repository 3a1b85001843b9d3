// One run of the bench: every scenario's sessions go through the product, then its new session begins.
import { join } from "node:path";
import { createTranscript } from "../transcripts.mjs";
import { sessionsBetween } from "./between.mjs";
import { createSession } from "./claude-code-session.mjs";
import { drained, importPast, post, runHooks, startProduct } from "./product.mjs";
import { applyUse, createProject, prepareFile } from "./project-files.mjs";

// Sessions of several projects run beside each other, as a user's do.
const parallel = 3;

/**
 * What was injected for each of `scenarios`, by moment; undefined for a moment that did not come. `set` is the whole set,
 * whose other pasts may be mixed in. With `isImported` the past is written as transcripts, and imported. `inspect` is called with the product once the queue is empty.
 */
export async function deliver(
  scenarios,
  { set, noiseSessions, mixed, product: options, inspect, isImported = false },
) {
  const product = await startProduct(options);
  try {
    const projects = scenarios.map((scenario, at) => {
      const between = sessionsBetween(scenario, { ...set, noiseSessions, mixed });
      return projectOf(product, { scenario, at, sessions: [...scenario.past, ...between] });
    });
    const waiting = [...projects];
    const lane = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        await feed(product, next, isImported ? toTranscript : toHooks);
    };
    // All lanes end before the home goes: they write files below it.
    const ended = await Promise.allSettled(Array.from({ length: parallel }, lane));
    for (const { status, reason } of ended) if (status === "rejected") throw reason;
    if (isImported) await importPast(product);
    await drained(product);
    inspect?.(product);
    return projects.map((project) => newSession(product, project));
  } finally {
    await product.stop();
  }
}

// Names that say nothing: a project's name is a word that searches find.
const names = [
  "harbor",
  "lantern",
  "quarry",
  "meadow",
  "orchid",
  "pylon",
  "tundra",
  "willow",
  "cobalt",
  "falcon",
];

function projectOf({ home }, { scenario, at, sessions }) {
  return { scenario, sessions, directory: join(home, "work", `${names[at % names.length]}-${at + 10}`) };
}

async function feed(product, { scenario, sessions, directory }, open) {
  const uses = sessions.flatMap(({ turns }) => turns).flatMap(({ did = [] }) => did);
  const { before } = scenario.now;
  await createProject(directory, before === undefined ? uses : [...uses, { ...before, isUpcoming: true }]);
  for (const [at, { turns }] of sessions.entries()) {
    const session = createSession({ name: `${scenario.id} ${at}`, directory, home: product.home });
    const { send, close } = open(product, session);
    await send(session.start());
    for (const { prompt, did = [], closing } of turns) {
      const turn = session.turn(prompt);
      await send(turn.prompt());
      for (const use of did) {
        const call = turn.tool(use);
        prepareFile(directory, use);
        await send(call.before());
        applyUse(directory, use);
        await send(call.after());
      }
      await send(turn.stop(closing));
    }
    await send(session.end());
    close();
  }
}

function toHooks(product) {
  return { send: (payload) => post(product, payload), close: () => undefined };
}

function toTranscript(_product, session) {
  const transcript = createTranscript(session.start().transcript_path);
  return { send: (payload) => transcript.add(payload, Date.now()), close: transcript.write };
}

function newSession(product, { scenario, directory }) {
  const session = createSession({ name: `${scenario.id} now`, directory, home: product.home });
  const turn = session.turn(scenario.now.prompt);
  const start = runHooks(product, session.start());
  const prompt = runHooks(product, turn.prompt());
  const { before } = scenario.now;
  return before === undefined
    ? { start, prompt }
    : { start, prompt, action: runHooks(product, turn.tool(before).before()) };
}
