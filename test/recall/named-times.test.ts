import { expect, it } from "vitest";
import { namedTime } from "../../src/recall/named-times.ts";
import { readTime, spanInWords } from "../../src/recall/read-time.ts";

// A Thursday afternoon, by whatever clock the tests run.
const now = new Date(2026, 4, 21, 15, 30).getTime();

it.each([
  ["what did we do today", "2026-05-21"],
  ["yesterday's work", "2026-05-20"],
  ["the day before yesterday", "2026-05-19"],
  ["this morning", "2026-05-21 00:00 to 2026-05-21 12:00"],
  ["yesterday evening", "2026-05-20 18:00 to 2026-05-21 00:00"],
  ["last night", "2026-05-20 18:00 to 2026-05-21 06:00"],
  ["tonight", "2026-05-21 18:00 to 2026-05-22 00:00"],
  ["this week", "2026-05-18 to 2026-05-24"],
  ["Last Week", "2026-05-11 to 2026-05-17"],
  ["last weekend", "2026-05-16 to 2026-05-17"],
  ["last month", "2026-04-01 to 2026-04-30"],
  ["last year", "2025-01-01 to 2025-12-31"],
  ["in the past week", "2026-05-14 00:00 to 2026-05-21 15:30"],
  ["the last few days", "2026-05-18 00:00 to 2026-05-21 15:30"],
  ["in the last 2 hours", "2026-05-21 13:30 to 2026-05-21 15:30"],
  ["three days ago", "2026-05-18"],
  ["2 weeks ago", "2026-05-04 to 2026-05-10"],
  ["an hour ago", "2026-05-21 14:30 to 2026-05-21 15:30"],
  ["on Monday", "2026-05-18"],
  ["on thursday", "2026-05-21"],
  ["since tuesday", "2026-05-19 00:00 to 2026-05-21 15:30"],
])("a time is named by: %s", (words, span) => {
  const named = namedTime(words, now)?.span;
  expect(named && spanInWords({ ...named, end: named.end === now ? now - 1 : named.end })).toBe(span);
});

it.each([
  "everything before yesterday",
  "until last week",
  'the "yesterday" button',
  "today.ts",
  "src/yesterday/index.ts",
  "the last line",
  "friday13",
  "9999 years ago",
  "not today",
  "everything but yesterday",
  "all except what we did last week",
  "everything not done today",
  "without the last 3 days",
  "after last week",
  "it isn't today",
  "what's due next friday",
  "what runs every monday",
  "yesterday()",
  "today[0]",
  "yesterday_list",
  "npm install mem@latest",
  "recentProjects",
])("no time is named by: %s", (words) => {
  expect(namedTime(words, now)).toBeNull();
});

it.each([
  ["what did we do today"],
  ["what did I work on yesterday?"],
  ["what happened last week"],
  ["what changed this morning"],
  ["show me recent work"],
  ["what's new"],
  ["what have we done so far"],
  ["what did we do last session"],
  ["What changed in this repo in the last 3 days?"],
  ["yesterday"],
  ["summarize what I was working on on Monday"],
  ["what happened"],
  ["what did we do"],
  ["what did we do on 2026-05-03"],
  ["what happened between 3 May 2026 and 5 May 2026"],
  ["what did we do from 3 May 2026 until 5 May 2026"],
  ["list what we did yesterday"],
  ["review the code of last week"],
  ["give me a report of today"],
])("a question with nothing else to look for is for all of the time: %s", (words) => {
  expect(readTime(words, now)).toMatchObject({ is: "filter" });
});

it.each([
  "what did we do to the parser yesterday",
  "parser bugs of last week",
  "which tests broke today",
  "code review of last week",
  "history list today",
  "what did we do in session.list yesterday",
  "what did we do with updateProject yesterday",
  "what went into work_log today",
])("a question with a topic is for the topic, rather of then: %s", (words) => {
  expect(readTime(words, now)).toMatchObject({ is: "boost" });
});

it.each([
  "how did we fix the login redirect",
  "least recently used cache",
  "latest version of node",
  "what is new Date()",
  "change history",
  "what did we do to make it start",
  "what changed in the parser",
  "the parser on 2026-05-03",
  "what did we do on 2026-02-31",
  "what did we do between 2026-02-01 and 2026-02-31",
  "what did we do before 3 May 2026",
  "everything but 2026-05-03",
  "what did we do on 3 May 2026 but not on 5 May 2026",
  "what did we do since 2026-12-01",
  "2026-05-01 2026-05-02 2026-05-03 2026-05-04",
  "where were we in the last week of August 2023",
  "latest report",
  "recent projects list",
  "session_list recently",
  "do while",
  `yesterday ${"a long story ".repeat(30)}`,
])("words without a time, or with more to look for, are looked for as they are: %s", (words) => {
  expect(readTime(words, now)).toBeNull();
});

it("does not search words that only name the time, unless code may contain them", () => {
  expect(readTime("parser bugs of last week", now)).toMatchObject({
    words: expect.not.stringContaining("week"),
  });
  expect(readTime("parser bugs of yesterday", now)).toMatchObject({ words: "parser bugs of yesterday" });
});

it("between two dates is from the first to the end of the last", () => {
  expect(readTime("what happened between 3 May 2026 and 5 May 2026", now)).toMatchObject({
    said: "2026-05-03 to 2026-05-05",
  });
});

it("since a date is from its beginning to now", () => {
  const start = new Date(2026, 4, 3).getTime();
  expect(readTime("what did we do since 3 May 2026", now)).toMatchObject({ span: { start, end: now } });
});
