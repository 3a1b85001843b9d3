import { expect, test } from "vitest";
import { askedOpenWork } from "../../src/context/open-work.ts";

test.each([
  "what is still open",
  "What's left?",
  "open work",
  "open todos",
  "what do we still have to do",
  "where were we",
  "next steps",
  "was ist noch offen?",
  "offene Punkte",
  "qué falta por hacer",
  "trabajo pendiente",
  "qu'est-ce qui reste à faire ?",
  "o que falta fazer",
  "что осталось сделать",
  "还有什么没做",
  "残っている作業",
])("%j asks for open work of all kinds", (question) => {
  expect(askedOpenWork(question)?.size).toBe(0);
});

test("what the question names besides limits it", () => {
  expect([...(askedOpenWork("what is still open in the rate limiter") ?? [])]).toEqual(["rate", "limit"]);
});

test.each(["open the login page", "left join", "how did we fix the door", "margin left", "open file limit"])(
  "%j asks for something else",
  (question) => {
    expect(askedOpenWork(question)).toBeNull();
  },
);
