// Builds claimed messages and runs them through the provider: what the tests of this folder share.
import { expect } from "vitest";
import type { DraftObservation } from "../../../../src/core/records/drafts.ts";
import type { ClaimedMessage, PendingMessage } from "../../../../src/core/records/messages.ts";
import { withoutTemplateWords } from "../../../../src/core/records/template-words.ts";
import { readResult } from "../../../../src/core/tools/tool-result.ts";
import { observe } from "../../../../src/generate/providers/local/local.ts";
import type { Json } from "../../../../src/text/json.ts";
import { termsOf } from "../../../../src/text/words.ts";

/** The directory that every test message is sent from. */
export const cwd = "/home/user/shop";

/** A claimed message. */
export function claimed(id: number, message: PendingMessage): ClaimedMessage {
  return { id, session_id: 1, message, created_at_epoch: 1, attempts: 0, failures: 0 };
}

export interface Use {
  tool: string;
  input?: Json;
  response?: Json;
  failed?: boolean;
}

/** The observation of one tool use. */
export function observed({ tool, input = {}, response = {}, failed }: Use): DraftObservation {
  const message: PendingMessage = {
    type: "observation",
    tool_name: tool,
    tool_input: input,
    tool_response: response,
    cwd,
    ...(failed === undefined ? {} : { tool_failed: failed }),
  };
  const draft = observe(claimed(7, message));
  expect(wordsOfTemplates(draft, message)).toEqual([]);
  return draft;
}

/** The searchable words of a draft that stand nowhere in its tool use: a search must not find it by them. */
function wordsOfTemplates(draft: DraftObservation, message: PendingMessage): string[] {
  const { tool_name, tool_input, tool_response } = message;
  const { text, fields } = readResult(tool_response, false);
  const quoted = JSON.stringify([tool_name, tool_input, text, fields]).replace(/\\[ntr"\\]/g, " ");
  const known = new Set(termsOf(quoted));
  const texts = [draft.title, draft.subtitle, draft.summary, draft.narrative, ...draft.facts];
  return texts
    .map((own) => withoutTemplateWords(own ?? "", "local").replace(/\S*…\S*/g, " "))
    .flatMap((own) => termsOf(own).filter((term) => !known.has(term) && !isNumber.test(term)));
}

// Hosts count lines and hashes are cut.
const isNumber = /^\d+$|^[0-9a-f]{9}$/;

/** A Bash use of Claude Code that ended well. */
export function ran(command: string, stdout: string, stderr = ""): Use {
  return {
    tool: "Bash",
    input: { command },
    response: { stdout, stderr, interrupted: false, isImage: false },
  };
}

/** A Bash use of Claude Code that failed: the host gives one text. */
export function broke(command: string, error: string): Use {
  return { tool: "Bash", input: { command }, response: { error, is_interrupt: false }, failed: true };
}

/** An edit of Claude Code with the hunk it answers. */
export function edited(path: string, lines: string[]): Use {
  const old = lines.filter((line) => !line.startsWith("+")).map((line) => line.slice(1));
  const now = lines.filter((line) => !line.startsWith("-")).map((line) => line.slice(1));
  return {
    tool: "Edit",
    input: { file_path: `${cwd}/${path}`, old_string: old.join("\n"), new_string: now.join("\n") },
    response: { filePath: `${cwd}/${path}`, structuredPatch: [{ oldStart: 1, newStart: 1, lines }] },
  };
}

/** A tool use, the title it must get, and whatever else of its observation the row names. */
export type Row = [use: Use, title: string, expected?: Expected];

interface Expected extends Partial<Omit<DraftObservation, "facts">> {
  /** Facts that must be among those kept. */
  facts?: string[];
}

/** Holds one row. */
export function expectRow(use: Use, title: string, { facts = [], ...rest }: Expected = {}): void {
  const draft = observed(use);
  expect(draft.title).toBe(title);
  expect(draft.sources).toEqual([7]);
  expect(draft).toMatchObject(rest);
  expect(draft.facts).toEqual(expect.arrayContaining(facts));
}
