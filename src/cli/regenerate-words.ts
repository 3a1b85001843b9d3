// How far a regeneration is, in words.
import type { RegenerationAnswer } from "../client/worker-client.ts";
import { terminalLine } from "../domain/terminal-text.ts";
import { counted } from "./words.ts";

/** `12 of 40 events made again, 1 given up; waiting: the vendor wants a pause`. */
export function progressInWords(state: RegenerationAnswer): string {
  const { done, total, failed, waitingFor } = state;
  const givenUp = failed === 0 ? "" : `, ${failed.toLocaleString("en-US")} given up`;
  const waiting = waitingFor === null ? "" : `; waiting: ${terminalLine(waitingFor)}`;
  return `${done.toLocaleString("en-US")} of ${counted(total, "event")} made again${givenUp}${waiting}`;
}

/** How it ended, a sentence a line; what can be done then stands in `nextStep`. */
export function endInWords(state: RegenerationAnswer): string[] {
  if (state.total === 0) return ["Nothing is to be made again."];
  const { stoppedBecause } = state;
  const made = `${progressInWords(state)}.`;
  return stoppedBecause === null ? [made] : [made, `Stopped: ${withEnd(terminalLine(stoppedBecause), ".")}`];
}

/** What the user can do about what is left or was given up. */
export function nextStep({ left, failed }: RegenerationAnswer): string | null {
  if (left > 0) return "`mem regenerate --resume` goes on, `mem regenerate --drop` forgets the rest.";
  if (failed > 0) return "What was given up keeps its old records; `mem regenerate` tries it again.";
  return null;
}

function withEnd(text: string, end: string): string {
  return text.endsWith(end) ? text : text + end;
}
