// Cleans what names an event (session, project, directory, host, keys) where it enters: all of it reaches the disk.

import { contentKey } from "../core/ids.ts";
import { cleanText } from "../privacy/clean.ts";

interface Named {
  claudeSessionId: string;
  cwd?: string | undefined;
  project?: string | undefined;
  host?: string | undefined;
  eventKey?: string | undefined;
  promptKey?: string | undefined;
  agentId?: string | undefined;
  agentType?: string | undefined;
}

/** The input with every naming text cleaned; called once, before anything else looks at it. */
export function cleanInput<I extends Named>(input: I): I {
  // Nearly every input is clean already: a copy of it takes longer than the look.
  let copy: I | undefined;
  for (const { name, clean } of namingTexts) {
    const text = input[name];
    if (text === undefined) continue;
    const cleaned = clean(text);
    if (cleaned !== text) copy = { ...(copy ?? input), [name]: cleaned };
  }
  return copy ?? input;
}

/** A text that tells things apart: what may not be stored is replaced by its hash, so that two stay two. */
export function cleanKey(key: string): string {
  return cleanText(key) === key ? key : contentKey(key);
}

const textOf = (text: string): string => cleanText(text);

const namingTexts: readonly { name: keyof Named; clean: (text: string) => string }[] = [
  { name: "claudeSessionId", clean: cleanKey },
  { name: "cwd", clean: textOf },
  { name: "project", clean: textOf },
  { name: "host", clean: textOf },
  { name: "eventKey", clean: cleanKey },
  { name: "promptKey", clean: cleanKey },
  { name: "agentId", clean: textOf },
  { name: "agentType", clean: textOf },
];
