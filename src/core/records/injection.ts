// An entry of the log of injected context.
import { excerpt } from "../../text/excerpt.ts";
import type { RecordName } from "./record-name.ts";

export const injectionMoments = ["start", "prompt", "file", "command", "project"] as const;
export type InjectionMoment = (typeof injectionMoments)[number];

/** A text for an agent's context. */
export interface Injected {
  moment: InjectionMoment;
  /** What caused it: the start of the prompt, the file or the command; null at a start. */
  cause: string | null;
  text: string;
  tokens: number;
  /** Every record that the text shows. */
  records: readonly RecordName[];
}

/** The cause of an injection at a prompt. */
export function promptCause(prompt: string): string {
  return excerpt(prompt, 200);
}
