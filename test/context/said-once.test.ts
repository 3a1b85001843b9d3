import { expect, it } from "vitest";
import { createSaidOnce } from "../../src/context/said-once.ts";

const told = { sessionId: "s-1", agentId: null, path: "/w/a.ts" };

it("says a text once per session and path, and a new text again", () => {
  const { say } = createSaidOnce();
  expect(say(told, "one record")).toBe("one record");
  expect(say(told, "one record")).toBeNull();
  expect(say({ ...told, path: "/w/b.ts" }, "one record")).toBe("one record");
  expect(say({ ...told, sessionId: "s-2" }, "one record")).toBe("one record");
  expect(say(told, "two records")).toBe("two records");
  expect(say(told, "two records")).toBeNull();
});

it("says it to each sub-agent, which does not see what its parent was told", () => {
  const { say } = createSaidOnce();
  say(told, "one record");
  expect(say({ ...told, agentId: "a-1" }, "one record")).toBe("one record");
  expect(say({ ...told, agentId: "a-1" }, "one record")).toBeNull();
});

it("says it again after the session's context began anew, and of that session only", () => {
  const { say, forget } = createSaidOnce();
  say(told, "one record");
  say({ ...told, sessionId: "s-2" }, "one record");
  forget("s-1");
  expect(say(told, "one record")).toBe("one record");
  expect(say({ ...told, sessionId: "s-2" }, "one record")).toBeNull();
});

it("keeps nothing of silence", () => {
  const { say } = createSaidOnce();
  expect(say(told, null)).toBeNull();
  expect(say(told, "one record")).toBe("one record");
  expect(say(told, null)).toBeNull();
  expect(say(told, "one record")).toBeNull();
});

it("forgets the session and the path that were quiet longest, so that it never grows", () => {
  const { say } = createSaidOnce({ sessions: 2, texts: 2 });
  const of = (session: number, path: string) =>
    say({ sessionId: `s-${session}`, agentId: null, path }, "one record");
  of(1, "/a");
  of(1, "/b");
  of(1, "/a");
  of(1, "/c");
  expect(of(1, "/a")).toBeNull();
  expect(of(1, "/b")).toBe("one record");
  of(2, "/a");
  of(1, "/b");
  of(3, "/a");
  expect(of(1, "/b")).toBeNull();
  expect(of(2, "/a")).toBe("one record");
});
