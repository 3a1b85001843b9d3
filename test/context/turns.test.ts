// What the statements of one turn add to each other.
import { describe, expect, test } from "vitest";
import { byTurn, createShownTurns } from "../../src/context/turns.ts";

const said = (id: number, summary: string, prompt_number: number | null = 1) => ({
  id,
  sdk_session_id: "s",
  prompt_number,
  summary,
});
const fix = said(1, "`mvn verify` failed. What worked: `JAVA_HOME=/opt/jdk-21 mvn verify`");

describe("a statement repeats others", () => {
  const isRepeated = (summary: string, prompt: number | null = 1): boolean => {
    const shownTurns = createShownTurns();
    shownTurns.add(fix, fix.summary);
    return shownTurns.isRepeated(said(2, summary, prompt));
  };

  test("when its turn has said all that it names", () => {
    expect(isRepeated("`mvn verify` worked with `JAVA_HOME=/opt/jdk-21`.")).toBe(true);
  });

  test.each([
    ["it names something else", "`mvn verify` worked with `JAVA_HOME=/opt/jdk-21` and `MAVEN_OPTS`."],
    ["it has another number", "`mvn verify` worked at 3 of 5 attempts."],
    ["most of its words are new", "`mvn verify` needs the JDK because the enforcer plugin checks releases."],
  ])("not when %s", (_, summary) => {
    expect(isRepeated(summary)).toBe(false);
  });

  test("only within its own turn", () => {
    expect(isRepeated("`mvn verify` worked with `JAVA_HOME=/opt/jdk-21`.", 2)).toBe(false);
    expect(isRepeated("`mvn verify` worked with `JAVA_HOME=/opt/jdk-21`.", null)).toBe(false);
  });
});

test("statements of one turn stand together, where the best of them stands", () => {
  const records = [said(1, "a", 1), said(2, "b", 2), said(3, "c", 1), said(4, "d", null), said(5, "e", null)];
  expect(byTurn(records).map(({ record, isFirst }) => [record.id, isFirst])).toEqual([
    [1, true],
    [3, false],
    [2, true],
    [4, true],
    [5, true],
  ]);
});
