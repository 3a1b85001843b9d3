// Cleans stored rows with the redaction of today: columns that a text of a user, an agent or a model can stand in.
import { isJsonObject, type Json } from "../text/json.ts";
import { cleanPayload, cleanPrompt, cleanText } from "./clean.ts";
import { contextTag } from "./tag-forms.ts";

/** A row, or some columns of one. */
export type StoredRow = Readonly<Record<string, string | number | null>>;

/** How each column is cleaned, in whichever table it is. */
const columns: Record<string, (value: string) => string> = {
  ...{ title: cleanText, subtitle: cleanText, summary: cleanText, narrative: cleanText, text: cleanInjected },
  ...{ summary_text: cleanText, request: cleanText, investigated: cleanText, learned: cleanText },
  ...{ completed: cleanText, next_steps: cleanText, notes: cleanText },
  ...{ cause: cleanText, last_error: cleanText, cwd: cleanText, branch: cleanText },
  ...{ prompt_text: cleanUserText, user_prompt: cleanUserText },
  ...{ facts: cleanList, concepts: cleanList, files_touched: cleanList },
  ...{ files_read: cleanList, files_modified: cleanList },
  payload: cleanEvent,
  content: cleanKept,
};

/** The columns that change; null when none does. */
export function cleanRow(row: StoredRow): Record<string, string> | null {
  const changed: Record<string, string> = {};
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== "string" || value === "" || !Object.hasOwn(columns, name)) continue;
    const cleaned = columns[name]?.(value) ?? value;
    if (cleaned !== value) changed[name] = cleaned;
  }
  return Object.keys(changed).length === 0 ? null : changed;
}

/** Cleans the text inside mem's block, which would be stripped as a whole. */
function cleanInjected(text: string): string {
  const [, opener, , inside, closer] = ownBlock.exec(text) ?? [];
  return inside === undefined ? cleanText(text) : `${opener}${cleanText(inside)}${closer}`;
}

const ownBlock = new RegExp(`^(<(?<name>${contextTag}-[0-9a-f]{8})>)([^]*)(</\\k<name>>)$`);

function cleanUserText(text: string): string {
  return cleanPrompt(text).text;
}

function cleanList(json: string): string {
  const list = parsed(json);
  if (!Array.isArray(list)) return json;
  const cleaned = list.map((value) => (typeof value === "string" ? cleanText(value) : value));
  return cleaned.some((value, index) => value !== list[index]) ? JSON.stringify(cleaned) : json;
}

/** A raw event: its keys stay, since they tell which prompt and which delivery it is. */
function cleanEvent(json: string): string {
  const event = parsed(json);
  if (!isJsonObject(event)) return cleanText(json);
  const { prompt_key, ...content } = event;
  const before = JSON.stringify(content);
  const cleaned = cleanPayload(content);
  if (JSON.stringify(cleaned) === before) return json;
  // Intake writes the key first.
  return JSON.stringify(prompt_key === undefined ? cleaned : { prompt_key, ...cleaned });
}

/** A row in the trash. */
function cleanKept(json: string): string {
  const row = parsed(json);
  if (!isJsonObject(row)) return cleanText(json);
  const changed = cleanRow(row as Record<string, string | number | null>);
  return changed === null ? json : JSON.stringify({ ...row, ...changed });
}

function parsed(json: string): Json | undefined {
  try {
    return JSON.parse(json) as Json;
  } catch {
    return undefined;
  }
}
