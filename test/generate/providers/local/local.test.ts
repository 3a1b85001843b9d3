// The provider as the loop sees it: one draft for each message, in order, within the caps, whatever comes in.
import fc from "fast-check";
import { expect, it } from "vitest";
import type { ClaimedMessage } from "../../../../src/core/records/messages.ts";
import { observationConcepts, observationTypes, provenances } from "../../../../src/core/records/records.ts";
import { caps } from "../../../../src/generate/providers/local/finding.ts";
import { createLocalProvider } from "../../../../src/generate/providers/local/local.ts";
import type { Json } from "../../../../src/text/json.ts";
import { volume } from "../../../helpers/volume.ts";
import { claimed, cwd } from "./support.ts";

const standardConcepts = new Set<string>(observationConcepts);
const session = { id: 1, claude_session_id: "s", project: "shop", user_prompt: "Fix the queue" };
const signal = new AbortController().signal;

function generate(messages: ClaimedMessage[], recentTitles: string[] = []) {
  return createLocalProvider().generate({ session, messages, recentTitles }, signal);
}

it('answers each message once, in order, with generator "local"', async () => {
  const reply = await generate([
    claimed(3, {
      type: "observation",
      tool_name: "Bash",
      tool_input: { command: "ls" },
      tool_response: "a",
      cwd,
    }),
    claimed(4, { type: "summarize", last_assistant_message: "Done." }),
    claimed(5, { type: "observation", tool_name: "Read", tool_input: { file_path: "a.ts" }, cwd }),
  ]);
  expect(reply.observations.map(({ sources }) => sources)).toEqual([[3], [5]]);
  expect(reply.summaries.map(({ source }) => source)).toEqual([4]);
  expect(reply).toMatchObject({ generator: "local", usage: { inputTokens: 0, outputTokens: 0 } });
});

it("summarizes the titles between two summaries of one batch, not later ones", async () => {
  const edit = (id: number, file_path: string) =>
    claimed(id, {
      type: "observation",
      tool_name: "Edit",
      tool_input: { file_path, old_string: "a", new_string: "b" },
      cwd,
    });
  const end = (id: number) =>
    claimed(id, { type: "summarize", last_assistant_message: "The queue is quiet." });
  const { summaries } = await generate([edit(1, "a.ts"), end(2), edit(3, "b.ts"), end(4)], ["Edited old.ts"]);
  expect(summaries.map(({ files_modified }) => files_modified)).toEqual([["old.ts", "a.ts"], ["b.ts"]]);
});

it("is deterministic", async () => {
  const messages = [
    claimed(1, {
      type: "observation",
      tool_name: "Bash",
      tool_input: { command: "npm test" },
      tool_response: "x",
      cwd,
    }),
  ];
  expect(await generate(messages)).toEqual(await generate(messages));
});

it("rejects when aborted", async () => {
  const batch = { session, messages: [], recentTitles: [] };
  await expect(createLocalProvider().generate(batch, AbortSignal.abort())).rejects.toMatchObject({
    code: "cancelled",
  });
});

// Tool names and argument names that open every describer, with any JSON in them.
const toolName = fc.constantFrom(
  ..."Bash Edit Write MultiEdit NotebookEdit Read Grep Glob LS WebFetch WebSearch Task ExitPlanMode AskUserQuestion".split(
    " ",
  ),
  ..."TodoWrite apply_patch str_replace_editor shell mcp__a__b constructor __proto__ Unknown".split(" "),
);
const fieldName = fc.constantFrom(
  ..."command file_path old_string new_string content edits pattern path url query prompt plan questions todos".split(
    " ",
  ),
  ..."stdout stderr error structuredPatch filenames results answers exitCode isError details metadata file code diff".split(
    " ",
  ),
);
const telling = fc.constantFrom(
  "npm test",
  "git commit -m 'x'",
  "cat <<EOF\nx",
  "sed -i s/a/b/ f && rm -rf $(pwd)",
  "*** Begin Patch\n*** Update File: a.ts\n-a\n+b",
  "--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y",
  "Tests  2 failed | 12 passed (14)",
  "error: bad\u001b[31m\u0000\u0085\u202e thing\ud800",
  "src/a.ts:1:2: error TS1: no",
  "[main a1b2c3d] Fix it",
);
const text = fc.oneof(
  telling,
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ maxLength: 40 }).map((part) => part.repeat(60)),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.double({ noNaN: true }),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fieldName, fc.string()), tie("value"), { maxKeys: 6 }),
  ),
})).value;

// No control characters but none at all: every produced text is one line.
const unprintable = /[^ -~\u00a0-\uffff]|[\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

it("accepts any JSON and stays within every limit", async () => {
  const property = fc.asyncProperty(
    toolName,
    json,
    json,
    fc.boolean(),
    text,
    async (tool_name, tool_input, tool_response, tool_failed, said) => {
      const reply = await generate(
        [
          claimed(1, { type: "observation", tool_name, tool_input, tool_response, tool_failed, cwd }),
          claimed(2, { type: "summarize", last_user_message: said, last_assistant_message: said }),
        ],
        [said],
      );
      expect(reply.observations.filter(({ sources }) => sources[0] === 1)).toHaveLength(1);
      expect(reply.summaries).toHaveLength(1);
      for (const draft of reply.observations) {
        expect(observationTypes).toContain(draft.obs_type);
        expect(provenances).toContain(draft.provenance);
        expect(draft.concepts.filter((concept) => !standardConcepts.has(concept))).toEqual([]);
        expectLine(draft.title, caps.title);
        expectLine(draft.subtitle ?? "-", caps.subtitle);
        expectLine(draft.summary, caps.summary);
        expectLists(draft);
      }
      for (const draft of reply.summaries) {
        expectLine(draft.request ?? "-", 300);
        for (const field of [
          draft.completed,
          draft.learned,
          draft.investigated,
          draft.next_steps,
          draft.notes,
        ])
          expectLine(field ?? "-", 1_500);
        expectLists(draft);
      }
    },
  );
  await fc.assert(property, { numRuns: volume(400, 80) });
});

function expectLists(draft: { facts: string[]; files_read: string[]; files_modified: string[] }): void {
  expect(draft.facts.length).toBeLessThanOrEqual(caps.facts);
  expect(new Set(draft.facts).size).toBe(draft.facts.length);
  for (const fact of draft.facts) expectLine(fact, caps.fact);
  for (const paths of [draft.files_read, draft.files_modified]) {
    expect(paths.length).toBeLessThanOrEqual(caps.files);
    for (const path of paths) expectLine(path, caps.path);
  }
}

function expectLine(line: string, max: number): void {
  expect(line.trim()).not.toBe("");
  expect(line.length).toBeLessThanOrEqual(max);
  expect(line).not.toMatch(unprintable);
}

it("lists at most fifty files, with paths as the tool gave them", async () => {
  const patch = Array.from({ length: 80 }, (_, n) => `*** Add File: /abs/f${n}.ts\n+x`).join("\n");
  const { observations } = await generate([
    claimed(1, {
      type: "observation",
      tool_name: "apply_patch",
      tool_input: `*** Begin Patch\n${patch}\n*** End Patch`,
      cwd,
    }),
  ]);
  expect(observations[0]?.files_modified).toHaveLength(50);
  expect(observations[0]?.files_modified[0]).toBe("/abs/f0.ts");
});
