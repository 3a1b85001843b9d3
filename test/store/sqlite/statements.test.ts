import { describe, expect, test } from "vitest";
import type { StatementMarks } from "../../../src/core/records/statement.ts";
import { replacesRule } from "../../../src/statements/rules/contradictions.ts";
import { isSameRule } from "../../../src/statements/rules/same-rule.ts";
import { eachMemoryStore, someTime } from "../../helpers/memory-store.ts";

const memory = eachMemoryStore();

const rule: StatementMarks = { said_by: "user", standing: true, reach: "project", salience: 2 };
const said: StatementMarks = { said_by: "agent", standing: false, reach: "project", salience: 1 };
const fix: StatementMarks = { ...said, said_by: "tool", families: ["npm test", "npm run"] };

const titles = (records: readonly { title: string }[]) => records.map(({ title }) => title);

function reject(id: number) {
  memory.store.review.setStanding(id, { status: "rejected", pinned: 0, superseded_by: null });
}

test("keeps the marks of a statement, and the defaults of an account of what was done", () => {
  const statement = { ...rule, reach: "everywhere" as const, salience: -1.5 };
  const marked = memory.addObservation({ title: "never npm", statement, routine: true });
  expect(memory.store.observations.byId(marked.id)).toMatchObject({
    said_by: "user",
    standing: 1,
    reach: "everywhere",
    salience: -1.5,
    routine: 1,
  });
  expect(memory.addObservation({})).toMatchObject({
    said_by: null,
    standing: 0,
    reach: "project",
    salience: null,
    routine: 0,
  });
});

describe("standing rules", () => {
  test("are the rules of the projects and the global rules, newest first", () => {
    memory.addObservation({ title: "own", statement: rule, at: someTime + 2 });
    memory.addObservation({ title: "said once", statement: said });
    memory.addObservation({ title: "other's", project: "other", statement: rule });
    const everywhere = { ...rule, reach: "everywhere" as const };
    memory.addObservation({ title: "all", project: "other", statement: everywhere, at: someTime + 3 });
    const rulesOf = (projects: readonly string[] | "all") =>
      titles(memory.store.statements.standingRules({ projects, limit: 10 }));
    expect(rulesOf(["app"])).toEqual(["all", "own"]);
    expect(rulesOf(["app", "other"])).toEqual(["all", "own", "other's"]);
    expect(rulesOf("all")).toEqual(["all", "own", "other's"]);
    expect(rulesOf([])).toEqual(["all"]);
    expect(titles(memory.store.statements.standingRules({ projects: "all", limit: 1 }))).toEqual(["all"]);
  });

  test("leave out a rejected one", () => {
    const { id } = memory.addObservation({ title: "wrong", statement: rule });
    reject(id);
    expect(memory.store.statements.standingRules({ projects: ["app"], limit: 10 })).toEqual([]);
  });
});

test("lists a project's statements by salience, without plain and rejected ones", () => {
  memory.addObservation({ title: "plain" });
  memory.addObservation({ title: "low", statement: { ...said, salience: -3 } });
  memory.addObservation({ title: "high", statement: { ...said, salience: 4.5 } });
  memory.addObservation({ title: "other's", project: "other", statement: said });
  reject(memory.addObservation({ title: "wrong", statement: said }).id);
  expect(titles(memory.store.statements.statements({ project: "app", limit: 5 }))).toEqual(["high", "low"]);
  expect(titles(memory.store.statements.statements({ project: "app", limit: 1 }))).toEqual(["high"]);
});

describe("fixes of a command family", () => {
  const fixesOf = (family: string) =>
    titles(memory.store.statements.fixesOf({ project: "app", family, limit: 5 }));

  test("are the active ones of the project, under each of their families", () => {
    memory.addObservation({ title: "older", statement: fix, at: someTime - 1 });
    memory.addObservation({ title: "newer", statement: fix });
    memory.addObservation({ title: "other's", project: "other", statement: fix });
    reject(memory.addObservation({ title: "wrong", statement: fix }).id);
    expect(fixesOf("npm test")).toEqual(["newer", "older"]);
    expect(fixesOf("npm run")).toEqual(["newer", "older"]);
    expect(fixesOf("npm")).toEqual([]);
  });

  test("go with their observation", () => {
    const { id } = memory.addObservation({ title: "gone", statement: fix });
    memory.db.prepare("delete from observations where id = ?").run(id);
    expect(memory.db.prepare("select count(*) from fix_commands").pluck().get()).toBe(0);
  });
});

describe("settled tool uses", () => {
  const settle = (...events: number[]) => memory.store.statements.markSettled(events).map(({ id }) => id);

  test("make the observations of them alone routine, to be synced again", () => {
    const [own, shared, other] = [[7], [7, 8], [9]].map((sources) => memory.addObservation({ sources }).id);
    memory.db.prepare("update observations set synced_at = 5").run();
    expect(settle(7)).toEqual([own]);
    expect(memory.store.observations.byId(own ?? 0)).toMatchObject({
      routine: 1,
      revision: 2,
      synced_at: null,
    });
    expect(settle(7, 8)).toEqual([shared]);
    expect(memory.store.observations.byId(other ?? 0)).toMatchObject({ routine: 0, synced_at: 5 });
    expect(settle()).toEqual([]);
  });

  test("leave statements, and what the user has pinned or edited", () => {
    memory.addObservation({ sources: [7], statement: said });
    const pinned = memory.addObservation({ sources: [7] });
    memory.store.review.setStanding(pinned.id, { status: "active", pinned: 1, superseded_by: null });
    const edited = memory.addObservation({ sources: [7] });
    memory.store.edits.observation(edited.id, { title: "a", summary: "b" }, 1);
    expect(settle(7)).toEqual([]);
  });

  test("of what a model wrote make only accounts of a change routine", () => {
    const change = memory.addObservation({ sources: [7] });
    memory.addObservation({ sources: [7], obs_type: "bugfix" });
    memory.db.prepare("update observations set generator = 'acme/model'").run();
    expect(settle(7)).toEqual([change.id]);
  });
});

test("an edited text is found by its new words and not by the old ones", () => {
  const { id } = memory.addObservation({ title: "never npm", summary: "never npm", statement: rule });
  const text = { title: "always pnpm", summary: "always pnpm", narrative: null, concepts: '["pattern"]' };
  expect(memory.store.edits.observation(id, text, 1)).toMatchObject({
    ...text,
    generator: "manual",
    standing: 1,
    revision: 2,
  });
  const found = memory.db
    .prepare<[string], number>("select rowid from observations_fts where observations_fts match ?")
    .pluck();
  expect(found.all("pnpm")).toEqual([id]);
  expect(found.all("never")).toEqual([]);
  expect(memory.store.edits.observation(id + 1, text, 1)).toBeUndefined();
});

test("a newer fix supersedes earlier ones of its command; a pass supersedes failures", () => {
  const tool = {
    said_by: "tool",
    standing: false,
    reach: "project",
    salience: 1,
    families: ["npm test"],
  } as const;
  const { supersedeFixes, supersedeFailures } = memory.store.statements;
  const failure = memory.addObservation({ obs_type: "discovery", statement: tool });
  const fix = memory.addObservation({ obs_type: "bugfix", statement: tool });
  const newer = memory.addObservation({ obs_type: "bugfix", statement: tool });
  const statusOf = (id: number) => memory.store.observations.byId(id)?.status;
  const passed = { project: "app", families: ["npm test"] };
  const at = failure.created_at_epoch;
  expect(supersedeFailures({ ...passed, at: at - 1 })).toEqual([]);
  supersedeFailures({ ...passed, at });
  expect([failure.id, fix.id].map(statusOf)).toEqual(["superseded", "active"]);
  expect(supersedeFixes({ ...passed, by: newer, replaces: () => false })).toEqual([]);
  expect(supersedeFixes({ ...passed, by: newer, replaces: () => true })).toMatchObject([
    { id: fix.id, status: "superseded", superseded_by: newer.id },
  ]);
  expect(supersedeFailures({ ...passed, at, project: "other" })).toEqual([]);
});

describe("a rule that is said again", () => {
  function say(session: string, text: string, { prompt = text, standing = false, project = "app" } = {}) {
    const { prompt_number } = memory.addPrompt(prompt, { session, project });
    const statement = { ...rule, kind: "rule", standing } as const;
    const made = memory.addObservation({
      title: text,
      summary: text,
      session,
      prompt_number,
      statement,
      project,
    });
    memory.store.statements.weighProposals([made], (a, b) => isSameRule(a.summary, b.summary));
    return made;
  }
  const sure = () => titles(memory.store.statements.standingRules({ projects: ["app"], limit: 9 }));
  const proposed = () => titles(memory.store.statements.proposals({ projects: ["app"], limit: 9 }));
  const pnpm = ["use pnpm here, not npm", "Please use pnpm, never npm."] as const;

  test("is sure in the words of another session, and replaces the proposal", () => {
    say("a", pnpm[0]);
    say("a", pnpm[1]);
    expect(sure()).toEqual([]);
    say("b", pnpm[1], { project: "other" });
    expect(sure()).toEqual([]);
    say("b", pnpm[1]);
    expect([sure(), proposed()]).toEqual([[pnpm[1]], []]);
  });

  test("stays a proposal once dropped, and in a prompt that is the same word for word", () => {
    reject(say("a", pnpm[0]).id);
    say("b", pnpm[1]);
    say("c", "no comments in code");
    say("d", "no comments in code");
    expect(sure()).toEqual([]);
  });

  test("is a proposal when three sessions send its prompt, unless it was accepted", () => {
    const { id } = say("a", pnpm[0]);
    memory.store.statements.accept(id);
    const prompt = "Nightly run. From now on always answer in JSON.";
    for (const session of ["a", "b", "c"]) {
      expect(sure()).toHaveLength(session === "a" ? 1 : session === "b" ? 2 : 3);
      say(session, `Always answer in JSON ${session}.`, { prompt, standing: true });
    }
    expect(sure()).toEqual([pnpm[0]]);
  });
});

describe("a rule found in a prompt", () => {
  const say = (text: string, project = "app") =>
    memory.addObservation({ title: text, summary: text, project, statement: rule });
  const replaceOlder = (...made: ReturnType<typeof say>[]) =>
    memory.store.statements.supersedeReplaced(made, replacesRule);
  const listed = (project = "app") =>
    titles(memory.store.statements.standingRules({ projects: [project], limit: 9 }));

  test("supersedes an older one that it certainly replaces, or repeats", () => {
    const tabs = say("Always indent with tabs.");
    const spaces = say("From now on indent with two spaces instead of tabs.");
    expect(replaceOlder(spaces)).toMatchObject([
      { id: tabs.id, status: "superseded", superseded_by: spaces.id, revision: 2 },
    ]);
    replaceOlder(say("from now on indent with two spaces instead of tabs."));
    expect(listed()).toEqual(["from now on indent with two spaces instead of tabs."]);
  });

  test("keeps the later of two rules of one prompt that contradict each other", () => {
    const npm = say("From now on always use npm, not pnpm.");
    const pnpm = say("From now on always use pnpm, not npm.");
    replaceOlder(npm, pnpm);
    expect(listed()).toEqual(["From now on always use pnpm, not npm."]);
  });

  test("is superseded by one that the user wrote, when both say the same", () => {
    const written = say("Use pnpm, never npm.");
    memory.store.review.setStanding(written.id, { status: "active", pinned: 1, superseded_by: null });
    const again = say("And use pnpm here, not npm.");
    expect(replaceOlder(again)).toMatchObject([{ id: again.id, superseded_by: written.id }]);
    expect(listed()).toEqual(["Use pnpm, never npm."]);
    const newer = say("Use tabs, not spaces.");
    const newest = say("tabs instead of spaces");
    expect(replaceOlder(newest)).toMatchObject([{ id: newer.id, superseded_by: newest.id }]);
  });

  test("counts what it superseded, at first and second hand", () => {
    const [a, b, c] = [say("Use npm"), say("Use pnpm"), say("pnpm please")];
    memory.store.review.setStanding(a.id, { status: "superseded", pinned: 0, superseded_by: b.id });
    memory.store.review.setStanding(b.id, { status: "superseded", pinned: 0, superseded_by: c.id });
    const replaced = memory.store.statements.replacedBy([c.id, b.id]);
    expect([...replaced].map(([id, rules]) => [id, rules.map((one) => one.id).sort()])).toEqual([
      [c.id, [a.id, b.id]],
      [b.id, [a.id]],
    ]);
  });

  test("leaves the rules of other projects, and those it does not certainly replace", () => {
    say("Always indent with tabs.", "other");
    say("Never push to main.");
    replaceOlder(say("From now on indent with two spaces instead of tabs."));
    expect(listed()).toHaveLength(2);
    expect(listed("other")).toHaveLength(1);
  });
});

describe("finished open work", () => {
  const finish = (at = someTime) =>
    memory.store.statements
      .supersedeFinished({ project: "app", at, finishes: (text) => text === "open" })
      .map(({ id }) => id);

  test("is superseded where the agent left it open before", () => {
    const { id } = memory.addObservation({ summary: "open", statement: said, at: someTime - 1 });
    memory.addObservation({ summary: "open", statement: said });
    memory.addObservation({ summary: "other", statement: said, at: someTime - 1 });
    memory.addObservation({ summary: "open", statement: rule, at: someTime - 1 });
    memory.addObservation({ summary: "open", statement: said, at: someTime - 1, project: "else" });
    expect(finish()).toEqual([id]);
    expect(memory.store.observations.byId(id)).toMatchObject({ status: "superseded", superseded_by: null });
  });

  test("stays where the user pinned it", () => {
    const { id } = memory.addObservation({ summary: "open", statement: said, at: someTime - 1 });
    memory.store.review.setStanding(id, { status: "active", pinned: 1, superseded_by: null });
    expect(finish()).toEqual([]);
  });
});
