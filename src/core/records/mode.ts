// A mode: what kind of work is observed, what is worth keeping, and in which words. `modes/` loads them.
import type { SummaryPart } from "./summary-parts.ts";

/** The form of an id of a type or concept. */
export const modeWordId = /^[a-z][a-z0-9-]{0,47}$/;

export interface ModeWord {
  /** Kebab case; stands in `obs_type` or `concepts`. */
  id: string;
  /** For people. */
  label: string;
  /** For the model: when it fits. */
  description: string;
}

/** A mode as it is used: overlays are merged and everything is checked. */
export interface Mode {
  name: string;
  title: string;
  description: string;
  /** What an answer is written in, for example `English` or `español`. */
  language: string;
  types: readonly ModeWord[];
  concepts: readonly ModeWord[];
  /** Sentences that fill the slots of the prompts: who the model is, what to keep, what to leave out. */
  role: string;
  keep: string;
  skip: string;
  /** How texts are worded; a mode of another language says it in that language. */
  writing: string;
  /** What each part of a session summary is to hold. */
  summary: Readonly<Record<SummaryPart, string>>;
}
