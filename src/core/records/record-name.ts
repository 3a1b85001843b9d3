// How a record is named to people and agents: 12 is an observation, S12 a session summary, P12 a prompt.

export interface RecordName {
  kind: "observation" | "session" | "prompt";
  id: number;
}

const letters = { observation: "", session: "S", prompt: "P" } as const;
const form = /^\s*#?([SP])?([1-9]\d{0,15})\s*$/i;

/** The record of that name; undefined for a text that names none. A `#` in front is how lists show it. */
export function parseRecordName(text: string): RecordName | undefined {
  const [, letter, digits] = form.exec(text) ?? [];
  const id = Number(digits);
  if (digits === undefined || !Number.isSafeInteger(id)) return undefined;
  if (letter === undefined) return { kind: "observation", id };
  return { kind: letter.toUpperCase() === "S" ? "session" : "prompt", id };
}

/** The name of a record. */
export function recordName({ kind, id }: RecordName): string {
  return `${letters[kind]}${id}`;
}
