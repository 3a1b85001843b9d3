// Cleans the names in an event (session, project, directory, host, keys) before anything else: all of them are stored.
import { contentKey } from "../core/ids.ts";
import { cleanText } from "../privacy/clean.ts";

/** Cleans a key. A key that may not be stored is replaced by its hash, so that two keys stay different. */
export function cleanKey(key: string): string {
  return cleanText(key) === key ? key : contentKey(key);
}

const cleanName = (text: string): string => cleanText(text);

const cleanedNames = {
  claudeSessionId: cleanKey,
  cwd: cleanName,
  project: cleanName,
  host: cleanName,
  eventKey: cleanKey,
  promptKey: cleanKey,
  agentId: cleanName,
  agentType: cleanName,
};

type Named = { [Name in keyof typeof cleanedNames]?: string | undefined } & { claudeSessionId: string };

const entries = Object.entries(cleanedNames) as [keyof Named, (text: string) => string][];

/** The input with cleaned names; the input itself if they are clean, which is faster than a copy. */
export function cleanInput<I extends Named>(input: I): I {
  let copy: I | undefined;
  for (const [name, clean] of entries) {
    const text = input[name];
    if (text === undefined) continue;
    const cleaned = clean(text);
    if (cleaned !== text) copy = { ...(copy ?? input), [name]: cleaned };
  }
  return copy ?? input;
}
