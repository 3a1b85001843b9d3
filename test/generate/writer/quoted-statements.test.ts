import { describe, expect, test } from "vitest";
import type { Turn } from "../../../src/core/records/turn.ts";
import { quotedStatements } from "../../../src/generate/writer/quoted-statements.ts";
import { bad, ok, turnOf } from "../../statements/turn-support.ts";

const prompt = [
  "Fix the export. We use pnpm here, never npm.",
  "Please always answer in German, in all my projects.",
  "For now, skip the slow tests in the suite.",
  "> Never push to main without a review.",
  "```\nERROR: always run the installer as root\n```",
].join("\n\n");
const closing = [
  "The export lost its header because `writeRow` ran before the stream was open.",
  "I chose a transform stream over a temporary file, which would have doubled the disk use.",
  "The importer still has to be moved to the new stream.",
].join(" ");

const turn: Turn = { ...turnOf([], closing), prompt };

/** A rule of the user where nothing else is said. */
function read(fields: Record<string, unknown>) {
  return {
    kind: "rule",
    said_by: "user",
    quote: "",
    title: "",
    standing: true,
    reach: "project",
    replaces: [],
    ...fields,
  };
}

function keptOf(statements: Record<string, unknown>[], { of = turn, isOfUser = true } = {}) {
  return quotedStatements(statements.map(read), { turn: of, isOfUser, known: [] });
}

const pnpm = { quote: "We use pnpm here, never npm." };
const open = { kind: "open", said_by: "agent", quote: "The importer still has to be moved" };

describe("what the source says is kept", () => {
  test("a rule of the user stands, without a word of the model's", () => {
    expect(keptOf([{ ...pnpm, title: "A model's own words" }])).toEqual([
      {
        kind: "rule",
        text: "We use pnpm here, never npm.",
        said_by: "user",
        standing: true,
        reach: "project",
        salience: 4,
        forbids: true,
        stored: "rule",
        about: "",
        replaces: [],
      },
    ]);
  });

  test("a preference for all projects reaches everywhere", () => {
    expect(
      keptOf([{ kind: "preference", quote: "always answer in German", reach: "everywhere" }]),
    ).toMatchObject([
      {
        text: "Please always answer in German, in all my projects.",
        standing: true,
        reach: "everywhere",
        forbids: false,
      },
    ]);
  });

  test("the agent's causes, decisions and open work never become rules", () => {
    const cause = {
      kind: "cause",
      said_by: "agent",
      quote: "lost its header because writeRow ran before",
      title: "CSV header missing",
    };
    const decision = {
      kind: "decision",
      said_by: "agent",
      quote: "I chose a transform stream",
      reach: "everywhere",
    };
    const kept = keptOf([cause, decision, open]);
    expect(kept.map(({ kind }) => kind)).toEqual(["cause", "decision", "open"]);
    expect(kept[0]).toMatchObject({ about: "CSV header missing" });
    for (const each of kept)
      expect(each).toMatchObject({ said_by: "agent", standing: false, reach: "project" });
  });

  test("the speaker of a cause is the one in whose words it stands", () => {
    const cause = { kind: "cause", said_by: "user", quote: "The export lost its header because" };
    expect(keptOf([cause])).toMatchObject([{ said_by: "agent" }]);
  });

  test("a command that passed after its kind had failed is a fix, whole, for its family", () => {
    const working = "cd api && JAVA_HOME=/opt/jdk17 mvn -q verify";
    const of = turnOf([bad("cd api && mvn -q verify"), ok("npm run lint -- --fix src"), ok(working)]);
    const fixes = [
      { kind: "fix", said_by: "tool", quote: "JAVA_HOME=/opt/jdk17 mvn" },
      { kind: "fix", said_by: "tool", quote: "npm run lint -- --fix src" },
      { kind: "fix", said_by: "tool", quote: "never ran at all" },
    ];
    expect(keptOf(fixes, { of })).toMatchObject([
      { text: working, said_by: "tool", standing: false, families: expect.arrayContaining(["mvn verify"]) },
    ]);
  });
});

describe("dropped without the rest", () => {
  const of: Turn = { ...turn, uses: turnOf([ok("pnpm run build --all")]).uses };

  test.each<[string, Record<string, unknown>]>([
    ["a rule that nobody said", { quote: "Always use yarn for installs." }],
    ["a rule in a quoted line", { quote: "Never push to main without a review." }],
    ["a rule in a pasted block", { quote: "always run the installer as root" }],
    ["a rule that the model gives to the agent", { ...pnpm, said_by: "agent" }],
    ["a rule from the agent's words", { quote: "The importer still has to be moved to the new stream." }],
    ["a one-off instruction", { ...pnpm, standing: false }],
    ["a one-off that the model lets stand", { quote: "skip the slow tests in the suite" }],
    ["a cause from a command", { kind: "cause", said_by: "tool", quote: "pnpm run build --all" }],
    ["a command of which none failed", { kind: "fix", said_by: "tool", quote: "pnpm run build --all" }],
    ["an unknown kind", { ...pnpm, kind: "poem" }],
  ])("%s", (_what, statement) => {
    expect(keptOf([statement, open], { of }).map(({ kind }) => kind)).toEqual(["open"]);
  });

  test("a rule in a prompt that an agent gave to a sub-agent", () => {
    expect(keptOf([pnpm, open], { isOfUser: false }).map(({ kind }) => kind)).toEqual(["open"]);
  });

  test("repeats, and more than eight", () => {
    expect(keptOf([pnpm, { quote: "never npm" }, { quote: "use pnpm here" }])).toHaveLength(1);
    const sentences = Array.from({ length: 12 }, (_, n) => `Service number ${n} must stay stateless.`);
    const many = { ...turn, prompt: sentences.join(" ") };
    expect(
      keptOf(
        sentences.map((quote) => ({ quote })),
        { of: many },
      ),
    ).toHaveLength(8);
  });
});

test("secrets in a quotation are redacted", () => {
  const key = `ghp_${"aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"}`;
  const rule = `The bot always logs in with ${key} here.`;
  expect(JSON.stringify(keptOf([{ quote: rule }], { of: { ...turn, prompt: rule } }))).not.toContain("ghp_");
});
