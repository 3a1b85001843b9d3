import { expect, test } from "vitest";
import { type Cleaner, cleanHere, largeChars } from "../../src/capture/cleaner.ts";
import { createInTurn, intakeInTurn } from "../../src/capture/in-turn.ts";
import { createMemoryStore, intakeInto } from "../helpers/memory-store.ts";

const large = "a".repeat(largeChars);

function openIntake() {
  const memory = createMemoryStore();
  const waiting: (() => void)[] = [];
  // Cleans large texts when it is let to.
  const later = <A>(clean: () => A): Promise<A> =>
    new Promise((resolve) => waiting.push(() => resolve(clean())));
  const isWaited = (value: unknown) => JSON.stringify(value).length >= largeChars;
  const cleaner: Cleaner = {
    ...cleanHere,
    prompt: (text) => (isWaited(text) ? later(() => cleanHere.prompt(text)) : cleanHere.prompt(text)),
    json: (value, max) =>
      isWaited(value) ? later(() => cleanHere.json(value, max)) : cleanHere.json(value, max),
  };
  const intake = intakeInto(memory.store, () => 1_000_000, { cleaner });
  const tools = () =>
    (memory.db.prepare("select payload from raw_events order by id").pluck().all() as string[]).map(
      (payload) => JSON.parse(payload).tool_name as string,
    );
  const release = () => {
    for (const go of waiting.splice(0)) go();
  };
  return { ...memory, intake: intakeInTurn(intake, createInTurn()), tools, release };
}

const use = (claudeSessionId: string, tool_name: string, tool_response = "") => ({
  claudeSessionId,
  cwd: "/home/user/demo",
  tool_name,
  tool_response,
});

test("what follows a large event is stored after it, and other sessions do not wait", async () => {
  const { intake, tools, release, close } = openIntake();
  const first = intake.observe(use("s-1", "Large", large));
  const second = intake.observe(use("s-1", "Small"));
  await intake.observe(use("s-2", "Other"));
  expect(tools()).toEqual(["Other"]);
  release();
  await Promise.all([first, second]);
  expect(tools()).toEqual(["Other", "Large", "Small"]);
  close();
});

test("a large private prompt keeps the tool use behind it off the record", async () => {
  const { intake, tools, release, close } = openIntake();
  const prompt = intake.initSession({ claudeSessionId: "s-1", prompt: `<private>${large}</private>` });
  const use1 = intake.observe(use("s-1", "Secret"));
  release();
  expect(await prompt).toMatchObject({ skipped: true, reason: "private" });
  expect(await use1).toEqual({ status: "skipped", reason: "private" });
  expect(tools()).toEqual([]);
  close();
});

test("an event that fails does not hold up the one behind it", async () => {
  const inTurn = createInTurn();
  const failed = inTurn("s-1", true, () => Promise.reject(new Error("no room")));
  const next = inTurn("s-1", false, async () => "stored");
  await expect(failed).rejects.toThrow("no room");
  expect(await next).toBe("stored");
});

test("without anything large before it an event begins immediately", async () => {
  const inTurn = createInTurn();
  await inTurn("s-1", true, async () => undefined);
  let begun = false;
  const taken = inTurn("s-1", false, async () => {
    begun = true;
  });
  expect(begun).toBe(true);
  await taken;
});
