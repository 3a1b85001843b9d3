// The end of a turn over a real queue: which observations of its tool uses become routine.
import { expect, it } from "vitest";
import type { Made } from "../../src/core/records/drafts.ts";
import type { PendingMessage } from "../../src/core/records/messages.ts";
import type { Observation } from "../../src/core/records/records.ts";
import { createLocalProvider } from "../../src/generate/providers/local/local.ts";
import { createScheduler } from "../../src/generate/scheduler.ts";
import { createGenerationQueue } from "../../src/store/sqlite/generation-queue.ts";
import { addMessages, newSchedulerWorldEach, parts, world } from "./scheduler-support.ts";

newSchedulerWorldEach();

let keys = 0;

function add(session: number, message: PendingMessage): void {
  const event = { session_id: session, kind: message.type, event_key: `e${++keys}`, now: world.now };
  const id = world.store.rawEvents.insert({ ...event, payload: JSON.stringify(message) });
  world.store.pending.enqueue(id ?? 0, session, world.now);
}

const use = (
  tool_name: string,
  tool_input: { [name: string]: string },
  response: string,
): PendingMessage => ({
  type: "observation",
  tool_name,
  tool_input,
  tool_response: response,
  cwd: "/app",
});

async function generated(closing: string): Promise<Made[]> {
  const session = addMessages("s", 0);
  const step = { file_path: "/app/src/queue.ts", old_string: "a", new_string: "b" };
  add(session, use("Edit", step, "ok"));
  add(session, use("Bash", { command: "npm install zod" }, "added 1 package"));
  add(session, use("Bash", { command: "npm test" }, "Tests  3 passed (3)"));
  add(session, { ...use("Bash", { command: "npm run lint" }, "error: no"), tool_failed: true });
  add(session, { type: "summarize", last_user_message: "Fix it", last_assistant_message: closing });
  return generateAll();
}

async function generateAll(): Promise<Made[]> {
  const made: Made[] = [];
  world.scheduler = createScheduler({
    ...parts(),
    onCompleted: (one: Made) => void made.push(one),
    queue: createGenerationQueue(world.store, "instance-1"),
    provider: createLocalProvider(),
  });
  world.scheduler.start();
  await expect
    .poll(() => world.store.pending.counts().pending + world.store.pending.counts().processing)
    .toBe(0);
  return made;
}

const routineOf = (observations: readonly Observation[]) =>
  observations
    .filter(({ said_by }) => said_by === null)
    .map(({ title, routine }) => [title.split(" ")[0], routine]);
const stored = () => world.store.observations.page({ limit: 50, offset: 0 }).items.reverse();

it("a turn's end makes edits and passing tests routine, not installs or failures", async () => {
  const made = await generated("The lease expired too early because the queue used seconds.");
  expect(routineOf(stored())).toEqual([
    ["Edited", 1],
    ["Ran", 0],
    ["npm", 1],
    ["npm", 0],
  ]);
  // Three messages per batch: the edit is stored before the turn ends, and published again.
  const told = made.flatMap(({ observations, changed = [] }) => [...observations, ...changed]);
  expect(told.filter(({ id }) => id === 1).map(({ routine }) => routine)).toEqual([0, 1]);
});

it("nothing of a turn without a closing becomes routine", async () => {
  await generated("");
  expect(routineOf(stored()).map(([, routine]) => routine)).toEqual([0, 0, 0, 0]);
});

it("an answer of a skipped tool is a statement and has no other record", async () => {
  const session = addMessages("s", 0);
  const asked = use("AskUserQuestion", {}, JSON.stringify({ answers: { "Which rates?": "ECB" } }));
  add(session, { ...asked, turn_only: true });
  add(session, { type: "summarize", last_user_message: "Add rates", last_assistant_message: "" });
  await generateAll();
  expect(stored().map(({ title, said_by }) => [title, said_by])).toContainEqual(["Which rates? ECB", "user"]);
  expect(stored().filter(({ said_by }) => said_by === null)).toEqual([]);
  expect(world.store.pending.counts()).toMatchObject({ pending: 0, processing: 0, dead: 0, done: 2 });
});

// One after the other, as turns end.
async function turn(session: string, prompt: string, closing: string): Promise<Made[]> {
  world.now += 1;
  const said = { last_user_message: prompt, last_assistant_message: closing };
  add(addMessages(session, 0), { type: "summarize", ...said });
  const made = await generateAll();
  await world.scheduler.stop();
  return made;
}

const changedBy = (made: readonly Made[]) =>
  made.flatMap(({ changed = [] }) => changed).map(({ title, status }) => [title, status]);

it("what a closing left open is superseded when a later session finishes it", async () => {
  await turn("a", "start the refunds", "The refund route is not done yet. `invoice.ts` is untouched.");
  const made = await turn("b", "go on", "The refund route is implemented, all 4 tests pass.");
  expect(changedBy(made)).toEqual([["The refund route is not done yet.", "superseded"]]);
});

it("a rule of a prompt supersedes the one it replaces together with its own record", async () => {
  await turn("a", "Never indent the code with spaces, always use tabs.", "Understood, I will.");
  const made = await turn("b", "From now on indent the code with two spaces instead of tabs.", "Understood.");
  expect(changedBy(made)).toEqual([["Never indent the code with spaces, always use tabs.", "superseded"]]);
});

it("a rule that a second session says in other words is sure", async () => {
  await turn("a", "don't push to main", "Done.");
  const made = await turn("b", "fix the header. And don't push to main.", "Done.");
  expect(changedBy(made)).toEqual([["Don't push to main", "superseded"]]);
  expect(stored().filter(({ standing }) => standing === 1)).toHaveLength(1);
});
