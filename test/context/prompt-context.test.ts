import { expect, it } from "vitest";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { eachMemoryStore, intakeInto, someTime } from "../helpers/memory-store.ts";

const memory = eachMemoryStore();

const statement = { said_by: "agent", standing: false, reach: "project", salience: 1 } as const;
const later = (words: string, known: number[] = []) =>
  createMemoryContext(memory).forLaterPrompt({ project: "app", words, known: new Set(known) });

it("quotes what is known of a file, a symbol or an error that the prompt names", async () => {
  const { id } = memory.addObservation({ summary: "`OrderCodec` builds a mapper per request.", statement });
  memory.addObservation({ summary: "The lock is per tenant.", statement });
  expect((await later("now look at OrderCodec please")).records).toEqual([id]);
  expect(await later("now look at OrderCodec please", [id])).toEqual({ text: "", records: [] });
  expect(await later("and now the next one")).toEqual({ text: "", records: [] });
});

it("does not take a name that stands in many records for a sign", async () => {
  for (let n = 0; n < 20; n++) memory.addObservation({ summary: `Step ${n} of \`app.ts\`.`, statement });
  expect(await later("open app.ts")).toEqual({ text: "", records: [] });
});

it("says a rule once, among the rules, where it comes with a prompt that it fits", async () => {
  const words = "Always use pnpm in this repository, never npm.";
  const turn = { session: "s8", prompt_number: 1 };
  const marks = { reach: "project", salience: 4 } as const;
  const statement = { ...marks, said_by: "user", standing: true } as const;
  memory.addObservation({ title: words, summary: words, statement, ...turn });
  const raised = { title: "Raised the login limit.", summary: "Raised the login limit." };
  const ofAgent = { ...marks, said_by: "agent", standing: false } as const;
  memory.addObservation({ ...raised, statement: ofAgent, ...turn, subtitle: `Asked: ${words}` });
  const asked = { project: "app", words: "Which of pnpm and npm raised the login limit in this repository?" };
  const known = new Set<number>();
  const { text } = await createMemoryContext(memory).forPrompt({ ...asked, known, withTimeline: true });
  expect(text).toContain(`## Rules from the user\n- ${words} (#1)`);
  expect(text.split("Always use pnpm")).toHaveLength(2);
});

it("names the request of an interrupted session, until a later one has an answer", async () => {
  const intake = intakeInto(memory.store, () => someTime);
  const textFor = async (exceptSession?: string) =>
    (await createMemoryContext(memory).forSession({ project: "demo", exceptSession })).text;
  const killed = { claudeSessionId: "s1", host: "codex", cwd: "/w/demo" };
  await intake.initSession({ ...killed, prompt: "Start the slow work." });
  const line = "- Start the slow work → interrupted, no answer recorded";
  expect(await textFor("")).toContain(`## Last sessions\n${line}, unless it still runs (2026-11-20)`);
  expect(await textFor(memory.store.sessions.byClaudeId("s1")?.sdk_session_id)).toBe("");
  await intake.complete(killed);
  expect(await textFor("")).toContain(`${line} (2026-11-20)`);
  const next = { ...killed, claudeSessionId: "s2" };
  await intake.initSession({ ...next, prompt: "Go on." });
  await intake.summarize({ ...next, last_assistant_message: "Done." });
  expect(await textFor("")).toBe("");
});
