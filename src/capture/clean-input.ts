// Cleans what names an event (session, project, directory, host, keys) where it enters: all of it reaches the disk.
import { cleanText } from "../domain/clean.ts";
import { contentKey } from "../ids.ts";

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
  return {
    ...input,
    claudeSessionId: cleanKey(input.claudeSessionId),
    cwd: cleaned(input.cwd),
    project: cleaned(input.project),
    host: cleaned(input.host),
    eventKey: input.eventKey === undefined ? undefined : cleanKey(input.eventKey),
    promptKey: input.promptKey === undefined ? undefined : cleanKey(input.promptKey),
    agentId: cleaned(input.agentId),
    agentType: cleaned(input.agentType),
  };
}

/** A text that tells things apart: what may not be stored is replaced by its hash, so that two stay two. */
export function cleanKey(key: string): string {
  return cleanText(key) === key ? key : contentKey(key);
}

function cleaned(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cleanText(text);
}
