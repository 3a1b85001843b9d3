// Nothing that is stored can leave the block it is quoted in, whatever channel it goes in and out by.
import { describe, expect, it } from "vitest";
import { listedHits, listedLine } from "../../src/cli/mcp/listed.ts";
import { parseLists } from "../../src/core/records/records.ts";
import { claudeCode } from "../../src/hosts/claude-code.ts";
import { cleanJson } from "../../src/privacy/clean.ts";
import { stripPrivate } from "../../src/privacy/private-tags.ts";
import { createMemoryContext } from "../helpers/memory-context.ts";
import { createMemoryStore, intakeInto, type MemoryStore, someTime } from "../helpers/memory-store.ts";
import { canary, payloads } from "./injection-payloads.ts";

const settings = { lastSummary: true, lastMessage: true, fullCount: 2 };

/** A store in which everything that can be stored is the payload; what each channel makes of it. */
function injected(payload: string): ReturnType<typeof inject> {
  const made = injections.get(payload) ?? inject(payload);
  injections.set(payload, made);
  return made;
}

const injections = new Map<string, ReturnType<typeof inject>>();

async function inject(payload: string) {
  const memory = createMemoryStore();
  // As it is read from the database: halves of letters are none.
  const project = Buffer.from(`app ${payload}`).toString();
  const path = `/w/app/${payload}.ts`;
  const fields = { title: payload, subtitle: payload, summary: payload, narrative: `A story. ${payload}` };
  for (let n = 0; n < 6; n++) {
    const own = { ...fields, title: `${n} ${payload}`, facts: [`A fact. ${payload}`], project };
    const provenance = n === 5 ? "web" : "file";
    memory.addObservation({
      ...own,
      obs_type: payload,
      files_modified: [path],
      provenance,
      at: someTime + n,
    });
  }
  memory.addSummary({ project, request: payload, learned: payload, next_steps: payload });
  addLastMessage(memory, project, payload);
  const observations = memory.store.observations.page({ offset: 0, limit: 9, project }).items;
  const found = {
    relevant: async () => observations.slice(0, 5),
    changedSince: async () => new Map(observations.map(({ id }) => [id, [{ path, is: "changed" as const }]])),
  };
  const context = createMemoryContext(memory, settings, found);
  const byFacts = createMemoryContext(memory, { ...settings, fullField: "facts" }, found);
  const prompt = { project, words: payload, known: new Set<number>() };
  const blocks = {
    "session start": (await context.forSession({ project })).text,
    "session start by facts": (await byFacts.forSession({ project })).text,
    "several projects": await context.inject({ projects: [project, payload], colors: false }),
    "first prompt": (await context.forPrompt({ ...prompt, withTimeline: false })).text,
    "before a file": (await context.fileText({ project, path })) ?? "",
  };
  const preview = await context.inject({ projects: [project], colors: true });
  const hits = { sessions: [], prompts: [], notes: [], totalResults: 6, query: payload };
  const full = observations.map((one) => ({ ...parseLists(one), matched_by: ["words" as const] }));
  const mcp = listedHits({ ...hits, observations: full }).map(listedLine);
  const both = (await context.forPrompt({ ...prompt, withTimeline: true })).text;
  memory.close();
  return { blocks, preview, mcp, both };
}

function addLastMessage({ store }: MemoryStore, project: string, message: string): void {
  store.rawEvents.insert({
    session_id: store.sessions.byClaudeId(`session of ${project}`)?.id ?? 0,
    kind: "summarize",
    event_key: "turn",
    payload: JSON.stringify({ last_assistant_message: message }),
    now: someTime,
  });
}

describe(`of ${payloads.length} payloads in every field`, () => {
  it("none closes, forges or leaves the block, and no control character comes through", async () => {
    for (const payload of payloads) {
      const { blocks, preview, mcp, both } = await injected(payload);
      for (const [channel, text] of Object.entries(blocks)) expect(faultsOf(text), channel).toEqual([]);
      expect(both.split(/\n(?=<mem-context-)/).flatMap(faultsOf)).toEqual([]);
      for (const code of [0, 1, 2]) expect(preview).toContain(`\u001b[${code}m`);
      expect(
        hiddenIn([0, 1, 2].reduce((text, code) => text.replaceAll(`\u001b[${code}m`, ""), preview)),
      ).toEqual([]);
      for (const line of mcp) expect([hiddenIn(line), tagsIn(line)]).toEqual([[], []]);
    }
  });

  it("strips injected text from every field: whole, cut and nested", async () => {
    for (const payload of payloads) {
      const { blocks, both } = await injected(payload);
      for (const text of [...Object.values(blocks), both]) {
        expect(stripPrivate(`before ${text} after`)).toMatch(/^before \s*after$/);
        expect(stripPrivate(`before ${text.replace(text, `${text}${text}`)} after`)).toMatch(
          /^before \s*after$/,
        );
        expect(JSON.stringify(cleanJson({ out: [{ deep: JSON.stringify({ text }) }] }))).not.toContain(
          canary,
        );
        for (let at = 25; at < text.length; at += 211) {
          expect(stripPrivate(`before ${text.slice(0, at)}`)).toMatch(/^before \s*(?:<[a-z-]{0,11})?$/);
          expect(stripPrivate(`${text.slice(at)} after`)).not.toContain(canary);
        }
      }
    }
  });

  it("none reaches the disk again by a prompt, a tool or a last message", async () => {
    const memory = createMemoryStore();
    const intake = intakeInto(memory.store, () => someTime, { projectOf: () => "app" });
    for (const [index, payload] of payloads.entries()) {
      const { blocks } = await injected(payload);
      const text = Object.values(blocks).join("\n\n");
      const base = { claudeSessionId: `s-${index}`, cwd: "/w/app" };
      await Promise.all([
        intake.initSession({ ...base, prompt: `go on\n${text}` }),
        intake.observe({ ...base, tool_name: "Read", tool_input: { content: text }, tool_response: [text] }),
        intake.summarize({ ...base, last_assistant_message: `done ${text}`, last_user_message: text }),
      ]);
    }
    const dump = ["sessions", "user_prompts", "raw_events", "pending_messages"].flatMap((table) =>
      memory.db.prepare(`select * from ${table}`).all(),
    );
    expect(dump.length).toBeGreaterThan(payloads.length * 4);
    expect(JSON.stringify(dump)).not.toContain(canary);
    memory.close();
  });
});

it("equal records give equal bytes on every channel", async () => {
  for (const payload of payloads.slice(0, 5)) expect(await injected(payload)).toEqual(await inject(payload));
});

it("the host's envelope carries the block whole", async () => {
  const { both } = await injected(payloads[0] ?? "");
  const base = { sessionId: "s", cwd: null, agentId: null, agentType: null, eventKey: null, promptKey: null };
  const answer = claudeCode.render({ ...base, kind: "prompt", text: "x" }, { context: both, notice: null });
  expect(JSON.parse(answer).hookSpecificOutput.additionalContext).toBe(both);
});

/** What is wrong with a text that should be one block with something in it. */
function faultsOf(text: string): string[] {
  const [, hash = "", inside = ""] =
    /^<mem-context-([0-9a-f]{8})>\n([\s\S]+)\n<\/mem-context-\1>$/.exec(text) ?? [];
  if (hash === "") return [`no block: ${text.slice(0, 80)}`];
  return [
    ...(inside.toLowerCase().includes(hash) ? ["its name stands in it"] : []),
    ...tagsIn(inside),
    ...hiddenIn(inside),
    ...(inside.match(/^\s*(?:human|assistant|system)\s*:/gimu) ?? []),
    ...(text.length >= 10_000 ? ["too long"] : []),
  ];
}

const meaningful =
  /[<\ufe64\uff1c][\s/\\]*(?:mem-context|claude-mem|hook_context|private|system|user|function|antml|invoke|tool)/giu;

function tagsIn(text: string): string[] {
  return text.match(meaningful) ?? [];
}

function hiddenIn(text: string): string[] {
  return text.match(/[^\P{Cc}\n]|[\p{DI}\p{Cs}\u2028\u2029]/gu) ?? [];
}
