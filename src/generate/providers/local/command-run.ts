// A command with what was read out of it, and the words that a describer of one family of commands finds for it.

import type { CommandKind } from "../../../domain/command-kind.ts";
import type { Segment } from "../../../domain/command-line.ts";
import type { ErrorLines } from "../../../domain/error-lines.ts";
import type { ObservationConcept, ObservationType, Provenance } from "../../../domain/records.ts";
import type { TestResults } from "../../../domain/test-results.ts";
import type { ToolUse } from "./finding.ts";

/** A command with all that was read out of it: what the describers of single families work on. */
export interface CommandRun {
  use: ToolUse;
  command: string;
  /** The command that the line is about. */
  main: Segment;
  segments: readonly Segment[];
  kind: CommandKind;
  /** `main` as shown in a title. */
  label: string;
  lines: readonly string[];
  errors: ErrorLines;
  tests: TestResults | null;
  /** It failed, or its output can only come from a failure. */
  failed: boolean;
  /** What the shell said of a program that it did not find; null when it found all. */
  missing: string | null;
}

/** What a describer of one family says; the rest is the same for all commands. */
export interface CommandWords {
  title: string;
  obs_type?: ObservationType;
  concepts?: ObservationConcept[];
  facts?: string[];
  evidence?: string[];
  provenance?: Provenance;
  filesModified?: string[];
  filesRead?: string[];
}
