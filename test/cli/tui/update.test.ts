// The reducer of the interactive program.
import { expect, test } from "vitest";
import { knownRows } from "../../../src/cli/tui/row-window.ts";
import type { Observation } from "../../../src/core/records/records.ts";
import { now, row, rows, running } from "./states.ts";

function observation(id: number, given: Partial<Observation> = {}) {
  return {
    id,
    project: "shop",
    obs_type: "bugfix",
    title: `Title ${id}`,
    created_at_epoch: now,
    status: "active",
    pinned: 0,
    ...given,
  } as Observation;
}

test("it starts with the newest records, and reads the preview of the first one", () => {
  const program = running();
  expect(program.effects()).toMatchObject([
    { do: "read", index: 0, afterMs: 0, source: { is: "search", words: "" } },
  ]);
  program.press("r").answer({ rows: rows(3) });
  expect(program.effects()).toMatchObject([{ do: "read" }, { do: "preview", row: { id: 1 } }]);
});

test("it starts in the field: letters are words; arrows and Enter lead to the list", () => {
  const program = running({ isTyping: true }).answer({ rows: rows(3) });
  expect(program.text()).toContain("↓/Enter to the list");
  program.press("/", "q", "x", "?").answer({ rows: rows(3) });
  expect(program.lines()[1]).toContain("/ qx?");
  expect(program.press("down").view().selected).toBe(1);
  expect(program.press("j").view().selected).toBe(2);
  expect(program.press("/", "enter", "k").view().selected).toBe(1);
  expect(program.lines()[1]).toContain("/ qx?");
  expect(program.press("q").effects().at(-1)).toEqual({ do: "quit" });
});

test("the empty field opens the help with ?, and the next screen with Tab", () => {
  expect(running({ isTyping: true }).press("?").text()).toContain("Half a screen down");
  expect(running({ isTyping: true }).press("tab").state().tab).toBe("feed");
  expect(running({ isTyping: true }).press("shift-tab").state().tab).toBe("trash");
  expect(running({ isTyping: true }).press("ctrl-z").effects().at(-1)).toEqual({ do: "suspend" });
});

test("the help says where each of its keys works", () => {
  const help = running({ rows: 60 }).press("?").text();
  const part = (title: string) => help.split(`\n ${title} `)[1]?.split(/\n\s*\n/)[0] ?? "";
  expect(part("Observations")).toMatch(/R +Reject/);
  expect(part("Queue")).toMatch(/R +Retry the failed/);
  expect(part("Trash")).toMatch(/R +Restore/);
  expect(part("Choosing a replacement")).toMatch(/Enter +Replace it/);
});

test("the help closes to the record or the field that it covers", () => {
  const program = running().answer({ rows: rows(3) });
  const preview = { heading: "Whole", tags: "", body: Array(60).fill("a line"), facts: [] };
  program.send({ is: "preview", key: "observation 1", preview }).press("enter", "j", "j");
  for (const key of ["esc", "?"]) {
    expect(program.press("?").text()).toContain("Half a screen down");
    expect(program.press(key).state().mode).toEqual({ is: "reading", scroll: 2 });
  }
  expect(running({ isTyping: true }).press("?", "esc").state().mode).toEqual({ is: "typing" });
});

test("the trash is read again after a deletion, and R restores its entry", () => {
  const entry = row(7, { kind: "trash", key: "trash 7", name: "7", type: "prompt", marks: ["3 days left"] });
  const program = running()
    .press("6")
    .answer({ rows: [entry] });
  expect(program.text()).toContain("3 days left");
  program.effects();
  expect(program.press("x", "e", "p").effects()).toEqual([]);
  expect(program.press("R").effects()).toEqual([
    { do: "act", action: { do: "restore", trashId: 7, what: '"Title 7"' } },
  ]);
  program.send({
    is: "live",
    event: { type: "record_deleted", kind: "observation", id: 1, project: "shop" },
  });
  expect(program.effects()).toMatchObject([{ do: "read", source: { is: "trash" } }]);
});

test("R retries the failed message of the queue, and leaves one that waits", () => {
  const message = (type: string) => row(3, { kind: "message", key: "message 3", name: "3", type });
  const retried = (type: string) => {
    const program = running()
      .press("5")
      .answer({ rows: [message(type)] });
    program.effects();
    return program.press("R").effects();
  };
  expect(retried("failed")).toEqual([{ do: "act", action: { do: "retry", ids: [3] } }]);
  expect(retried("waiting")).toEqual([]);
});

test("types to filter by are of the mode and of the records that are shown", () => {
  const program = running().answer({ rows: [row(1, { type: "recipe" })] });
  program.press("f").send({ is: "choices", projects: [], types: ["bugfix"] });
  expect(program.state().types).toEqual(["bugfix", "recipe"]);
});

test("typing asks after a pause, and drops the answer to earlier words", () => {
  const program = running().answer({ rows: rows(3) });
  program.press("/", "a");
  const first = program.effects().findLast((effect) => effect.do === "read");
  program.press("b");
  expect(first).toMatchObject({ source: { words: "a" }, afterMs: 40 });
  if (first?.do !== "read") throw new Error("no read");
  const { view, ticket, index, place } = first;
  program.send({ is: "page", view, ticket, index, place, page: { rows: [row(99)], next: null, notes: [] } });
  expect(program.text()).not.toContain("Title 99");
  program.answer({ rows: [row(7)] });
  expect(program.text()).toContain("Title 7");
  expect(program.lines()[1]).toContain("/ ab");
});

test("the words are edited at the cursor; Esc leaves the field, Esc again clears it", () => {
  const program = running().press("/", ..."a cat", "left", "left", "left", "backspace", "-", "ctrl-e", "!");
  expect(program.lines()[1]).toContain("a-cat!");
  program.press("ctrl-w").send({ is: "pasted", text: "two\nlines\tx" });
  expect(program.lines()[1]).toContain("two lines x");
  program.press("esc", "esc");
  expect(program.lines()[1]).toContain("to search");
});

test("the selection moves by row, half and whole screen, and stays in the list", () => {
  const program = running().answer({ rows: rows(60) });
  const at = (...keys: string[]) => program.press(...keys).view().selected;
  expect(at("k")).toBe(0);
  expect(at("j", "down")).toBe(2);
  expect(at("ctrl-d")).toBe(8);
  expect(at("pagedown", "ctrl-u")).toBe(13);
  expect(at("G")).toBe(59);
  expect(program.view().top).toBe(49);
  expect(at("j", "j")).toBe(59);
  expect(at("g")).toBe(0);
  expect(program.view().top).toBe(0);
});

test("a timeline opens with its anchor in view, as does a list resized while hidden", () => {
  const program = running().answer({ rows: rows(60) });
  program.press("G", "t").answer({ rows: [...rows(30), row(99, { isAnchor: true })] });
  expect(program.text()).toMatch(/^> +99 /m);
  program.press("2").send({ is: "resized", size: { columns: 80, rows: 12 } });
  program.press("1");
  expect(program.text()).toMatch(/^> +99 /m);
});

test("the next page is read before its rows are seen, once", () => {
  const program = running().answer({ rows: rows(40), next: { offset: 40 } });
  program.effects();
  program.press("pagedown", "pagedown", "pagedown");
  const reads = program.effects().filter((effect) => effect.do === "read");
  expect(reads).toMatchObject([{ index: 1, place: { offset: 40 } }]);
});

test("a list of 100,000 rows keeps only the pages around the reader", () => {
  const program = running();
  for (let from = 1; from < 100_000; from += 100) {
    program.answer({ rows: rows(100, from), next: from > 99_900 ? null : { offset: from + 99 } }).press("G");
  }
  const { rows: list, selected } = program.view();
  expect([knownRows(list), selected]).toEqual([100_000, 99_999]);
  expect(list.pages.filter((page) => page.rows !== null).length).toBeLessThanOrEqual(5);
  // The first page was dropped, and comes back with the reader.
  expect(program.press("g").lines()[2]).not.toContain("Title 1 ");
  expect(program.answer({ rows: rows(100) }).lines()[2]).toContain("Title 1 ");
});

test("deleting asks first, says what happened, and u takes it back", () => {
  const program = running().answer({ rows: rows(3) });
  program.effects();
  program.press("x");
  expect(program.text()).toContain("Delete observation 1? The trash keeps it for 30 days. y/n");
  expect(program.press("n").effects()).toEqual([]);
  expect(program.press("x", "y").effects()).toEqual([
    { do: "act", action: { do: "delete", kind: "observation", id: 1 } },
  ]);
  const undo = { do: "restore", trashId: 4, what: "Observation 1" } as const;
  program.send({
    is: "live",
    event: { type: "record_deleted", kind: "observation", id: 1, project: "shop" },
  });
  program.send({ is: "done", said: { text: "Observation 1 deleted.", tone: "good", undo } });
  expect(program.text()).toContain("Observation 1 deleted.  u: undo");
  expect(program.text()).not.toContain("Title 1 ");
  program.effects();
  expect(program.press("u").effects()).toEqual([{ do: "act", action: undo }]);
});

test.each(["2", "tab", "t"])("%s shows another list, which ends the notice", (key) => {
  const program = running().answer({ rows: rows(3) });
  const undo = { do: "pin", id: 1, pinned: true } as const;
  program.send({ is: "done", said: { text: "Observation 1 unpinned.", tone: "good", undo } });
  expect(program.press("j").text()).toContain("Observation 1 unpinned.  u: undo");
  expect(program.press(key).text()).not.toContain("unpinned");
});

test.each([
  ["p", row(1), { do: "pin", id: 1, pinned: true }],
  ["p", row(1, { isPinned: true }), { do: "pin", id: 1, pinned: false }],
  ["R", row(1), { do: "reject", id: 1 }],
  ["R", row(1, { status: "rejected" }), { do: "activate", id: 1 }],
  ["s", row(1, { status: "superseded" }), { do: "activate", id: 1 }],
])("%s acts on the selected observation", (key, selected, action) => {
  const program = running().answer({ rows: [selected] });
  program.effects();
  expect(program.press(key).effects()).toEqual([{ do: "act", action }]);
});

test("replacing opens a search for the other observation, and Enter chooses it", () => {
  const program = running()
    .answer({ rows: rows(2) })
    .press("s", "4", "0");
  expect(program.text()).toContain("Choose what replaces 1: Title 1");
  expect(program.lines()[1]).toContain("Replace 1 by / 40");
  // The rows on the screen still belong to the words before.
  program.press("enter", "enter", "/").answer({ rows: [row(40), row(41)] });
  const asked = program.effects();
  expect(asked.filter((effect) => effect.do === "act")).toEqual([]);
  expect(asked.findLast((effect) => effect.do === "read")).toMatchObject({
    source: { is: "replacement", words: "40" },
  });
  program.press("down");
  program.effects();
  expect(program.press("p", "x", "R", "e", "t").effects()).toEqual([]);
  program.press("k", "enter");
  expect(program.effects().filter((effect) => effect.do === "act")).toEqual([
    { do: "act", action: { do: "replace", id: 1, by: 40 } },
  ]);
  expect(program.view().source).toMatchObject({ is: "search" });
});

test("replacing by a new text opens the editor, and Esc changes nothing", () => {
  const program = running().answer({ rows: rows(2) });
  program.effects();
  program.press("s", "a", "esc");
  expect(program.view().source).toMatchObject({ is: "search", words: "" });
  program.press("s", "ctrl-n");
  expect(program.effects().filter((effect) => effect.do === "act" || effect.do === "edit")).toEqual([
    { do: "edit", id: 1 },
  ]);
});

test("keys about observations do nothing on a prompt", () => {
  const program = running().answer({
    rows: [row(1, { kind: "prompt", key: "prompt 1", name: "P1", type: "prompt" })],
  });
  program.effects();
  expect(program.press("p", "R", "s", "e").effects()).toEqual([]);
});

test("a timeline opens around the record and Esc comes back to the same place", () => {
  const program = running()
    .answer({ rows: rows(20) })
    .press("j", "j", "t");
  program.answer({ rows: [row(50), row(3, { isAnchor: true }), row(51)] });
  expect(program.text()).toContain("Timeline around  Title 3");
  expect(program.view().selected).toBe(1);
  expect(program.press("esc").view().selected).toBe(2);
});

test("the feed stays at its top, and keeps the place of a reader below", () => {
  const program = running({ feedOnly: true }).answer({ rows: rows(5) });
  program.send({ is: "live", event: { type: "observation_created", observation: observation(100) } });
  expect(program.view().selected).toBe(0);
  expect(program.lines()[2]).toContain("Title 100");
  program
    .press("j")
    .send({ is: "live", event: { type: "observation_created", observation: observation(101) } });
  expect(program.view().selected).toBe(2);
  expect(program.lines()[1]).toContain("1 new above");
  program.send({
    is: "live",
    event: { type: "observation_changed", observation: observation(101, { status: "rejected" }) },
  });
  expect(program.text()).not.toContain("Title 101");
});

test("a feed that is left open keeps a bounded number of rows", () => {
  const program = running({ feedOnly: true }).answer({
    rows: rows(100),
    next: { before: "100", before_epoch: now },
  });
  for (let id = 1_000; id < 11_000; id += 1)
    program.send({ is: "live", event: { type: "observation_created", observation: observation(id) } });
  const { pages } = program.view().rows;
  expect(pages.length).toBeLessThanOrEqual(3);
  expect(knownRows(program.view().rows)).toBeLessThanOrEqual(500);
  expect(program.state().previews.size).toBeLessThanOrEqual(40);
});

test("a worker that is back, and a gap of the stream, read the list again", () => {
  const program = running().answer({ rows: rows(2) });
  program.send({ is: "connection", connection: "lost", hasGap: true });
  expect(program.text()).toContain("no worker");
  expect(program.text()).toContain("mem worker start");
  program.effects();
  program.send({ is: "connection", connection: "live", hasGap: true });
  expect(program.effects()).toMatchObject([{ do: "read", index: 0 }]);
  expect(program.text()).toContain("Title 1");
});

test("a list that cannot be read says why, and r tries again", () => {
  const program = running();
  const { id, ticket } = program.view();
  const fault = { message: "The worker does not answer.", hint: "Start it." };
  program.send({ is: "page failed", view: id, ticket, fault });
  program.effects();
  expect(program.text()).toContain("The worker does not answer.");
  expect(program.send({ is: "tick", nowEpochMs: now }).effects()).toEqual([]);
  expect(program.press("r").effects()).toMatchObject([{ do: "read" }]);
});

test("a preview that failed is read again with its row, with r, and after a gap", () => {
  const program = running().answer({ rows: rows(2) });
  const fault = { message: "The worker is not running.", hint: "" };
  const failed = (key: string) => {
    program.send({ is: "preview", key, preview: fault });
    program.effects();
  };
  const previews = () => program.effects().filter((effect) => effect.do === "preview");
  const preview = { heading: "Two", tags: "", body: [], facts: [] };
  program.press("j").send({ is: "preview", key: "observation 2", preview }).press("k");
  failed("observation 1");
  expect(program.text()).toContain("The worker is not running.");
  expect(program.send({ is: "tick", nowEpochMs: now }).effects()).toEqual([]);
  program.press("j");
  expect(previews()).toEqual([]);
  program.press("k");
  expect(previews()).toMatchObject([{ row: { id: 1 } }]);
  failed("observation 1");
  program.press("r");
  expect(previews()).toMatchObject([{ row: { id: 1 } }]);
  failed("observation 1");
  program.send({ is: "connection", connection: "live", hasGap: false });
  expect(previews()).toMatchObject([{ row: { id: 1 } }]);
});

test("filters change what is searched, and the project every list", () => {
  const program = running().answer({ rows: rows(2) });
  program.press("f").send({ is: "choices", projects: ["api", "shop"], types: ["bugfix", "decision"] });
  program.press("l", "l", "j", "j", "right", "enter");
  expect(program.lines()[1]).toContain("shop · bugfix");
  expect(program.effects().findLast((effect) => effect.do === "read")).toMatchObject({
    source: { filters: { project: "shop", type: "bugfix" } },
  });
  program.press("2");
  expect(program.effects()).toMatchObject([{ do: "read", source: { is: "feed", project: "shop" } }]);
});
