// The screen as lines: always the size of the terminal, whatever records say.
import { describe, expect, test } from "vitest";
import { createKeyReader } from "../../../src/cli/tui/keys.ts";
import { createPainter } from "../../../src/cli/tui/painter.ts";
import type { ProgramEvent } from "../../../src/cli/tui/state.ts";
import { displayWidth } from "../../../src/text/terminal-text.ts";
import { row, rows, running } from "./states.ts";

const sizes = [
  [40, 10],
  [79, 13],
  [80, 24],
  [110, 30],
  [200, 50],
  [20, 5],
] as const;

const titles = [
  "漢字".repeat(80),
  "👩‍👩‍👧 and 👍🏽 and ❤️ ".repeat(10),
  "averyveryverylongword".repeat(20),
  "e\u0301".repeat(100),
  "",
];

describe.each(sizes)("at %dx%d", (columns, lineCount) => {
  const program = () => {
    const started = running();
    started.answer({ rows: titles.map((title, at) => row(at + 1, { title, project: title.slice(0, 30) })) });
    started.send({
      is: "preview",
      key: "observation 1",
      preview: {
        heading: "漢".repeat(200),
        tags: "#1",
        body: ["- a\tb", titles[2] ?? ""],
        facts: [["Read", "x/".repeat(90)]],
      },
    });
    return started.send({ is: "resized", size: { columns, rows: lineCount } });
  };

  test.each([
    ["the list", []],
    ["the field", ["/", ..."漢字".repeat(80)]],
    ["a record", ["enter", "j"]],
    ["the help", ["?"]],
    ["the filters", ["f"]],
    ["a question", ["x"]],
    ["an empty list", ["4"]],
    ["the queue", ["5"]],
    ["the trash", ["6"]],
    ["a replacement", ["s", ..."漢字".repeat(80)]],
  ])("%s fills the terminal exactly", (_what, keys) => {
    const lines = program()
      .press(...keys)
      .lines();
    expect(lines).toHaveLength(lineCount);
    expect(lines.map(displayWidth)).toEqual(lines.map(() => columns));
  });
});

test("the first use says what to do", () => {
  const text = running().answer({ rows: [] }).text();
  expect(text).toContain("Nothing is remembered here yet.");
  expect(text).toContain("mem demo");
});

test("nothing found is another text than an empty memory", () => {
  const program = running()
    .answer({ rows: rows(1) })
    .press("/", "x");
  expect(program.answer({ rows: [] }).text()).toContain("Try other words.");
});

test("the preview is beside the list, below it when narrow, absent when low", () => {
  const preview = { heading: "Whole heading", tags: "", body: [], facts: [] };
  const text = (columns: number, lineCount: number) =>
    running({ columns, rows: lineCount })
      .answer({ rows: rows(3) })
      .send({ is: "preview", key: "observation 1", preview })
      .text();
  expect(text(120, 30)).toMatch(/Title 1 .* │ +Whole heading/);
  expect(text(80, 24)).toMatch(/─{80}\n Whole heading/);
  expect(text(80, 12)).not.toContain("Whole heading");
});

test("the painter writes only rows that changed, and nothing for the same frame", () => {
  const written: string[] = [];
  const painter = createPainter((text) => written.push(text));
  painter.paint(["one", "two", "three"], null);
  painter.paint(["one", "TWO", "three"], null);
  painter.paint(["one", "TWO", "three"], null);
  expect(written).toHaveLength(2);
  expect(written[1]).toContain("\x1b[2;1HTWO");
  for (const other of ["one", "three", "\x1b[2J"]) expect(written[1]).not.toContain(other);
  painter.paint(["one", "TWO", "three"], { row: 0, column: 2 });
  expect(written[2]).toContain("\x1b[1;3H\x1b[?25h");
  painter.paint(["ONE", "TWO", "three"], null);
  expect(written[3]).toContain("\x1b[?25l");
});

test("the painter writes every row of a terminal with another height, and none below", () => {
  const written: string[] = [];
  const painter = createPainter((text) => written.push(text));
  painter.paint(["one", "two", "three"], null);
  painter.paint(["one", "two"], null);
  expect(written[1]).toContain("\x1b[1;1Hone\x1b[2;1Htwo");
  expect(written[1]).not.toContain("\x1b[3;1H");
});

test("the filters move the list down and keep its selection in view", () => {
  const program = running().answer({ rows: rows(30) });
  program.press("j", "j", "f").send({ is: "choices", projects: ["shop"], types: [] });
  expect(program.lines()[2]).toContain("Filters");
  expect(program.text()).toMatch(/─{80}\n[^─]*> +3 .*Title 3/);
});

test("keys of one read come one by one, and pasted text does not press keys", () => {
  const events: ProgramEvent[] = [];
  const read = createKeyReader((event) => events.push(event));
  const letters = (text: string) => {
    for (const letter of text) read(letter, { name: letter });
  };
  letters("jx");
  read("G", { name: "g", shift: true });
  read(undefined, { name: "escape", meta: true });
  read("\x04", { name: "d", ctrl: true });
  read(undefined, { name: "paste-start" });
  letters("xy");
  read("\r", { name: "return" });
  letters("q");
  read(undefined, { name: "paste-end" });
  read("f", { name: "f", meta: true });
  expect(events).toEqual([
    ...["j", "x", "G", "esc", "ctrl-d"].map((key) => ({ is: "key", key })),
    { is: "pasted", text: "xy\nq" },
  ]);
});
