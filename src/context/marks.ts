// What is put behind the title of a record that is not simply one of our own, standing for itself, and still true.
import type { Observation } from "../core/records/records.ts";
import type { ChangedFile } from "./context-port.ts";
import { plainLine } from "./plain-line.ts";

export interface Marked {
  /** True when the user pinned it. */
  pinned: boolean;
  /** How many records it stands for. */
  times: number;
  /** Set when the content came from outside: such a record is shown as a title only. */
  untrusted: "web" | "mcp" | null;
  superseded: boolean;
  supersededBy: number | null;
  /** Files that differ now from what they were when it was written. */
  changed: readonly ChangedFile[];
}

/** The marks of a record in brackets, each behind a space; empty when it has none. */
export function marksOf({ pinned, times, untrusted, superseded, supersededBy, changed }: Marked): string {
  const marks = [
    pinned ? "pinned" : null,
    times === 1 ? null : `x${times}`,
    untrusted && `from ${untrusted}`,
    superseded ? (supersededBy === null ? "superseded" : `superseded by #${supersededBy}`) : null,
    changed.length === 0 ? null : `changed since: ${fileNames(changed)}`,
  ];
  return marks.map((mark) => (mark ? ` (${mark})` : "")).join("");
}

/** The marks that the record itself has; `changed` is what the work tree says. */
export function markedBy(
  observation: Pick<Observation, "provenance" | "status" | "superseded_by" | "pinned">,
  times: number,
  changed: readonly ChangedFile[],
): Marked {
  const { provenance, status, superseded_by } = observation;
  const untrusted = untrustedSource(provenance);
  return {
    pinned: observation.pinned === 1 && status === "active",
    times,
    untrusted,
    superseded: status === "superseded",
    supersededBy: superseded_by,
    changed: untrusted === null ? changed : [],
  };
}

/** The title as it is shown, "" when it has none. Of one from outside only what names it: the rest may be its own words. */
export function titleOf(
  { title, provenance }: { title: string; provenance: string },
  maxChars: number,
): string {
  return plainLine(
    title,
    untrustedSource(provenance) === null ? maxChars : Math.min(maxChars, maxOutsideChars),
  );
}

const maxOutsideChars = 60;

/** Where a record from outside is from; null for one of our own. */
function untrustedSource(provenance: string): Marked["untrusted"] {
  return provenance === "web" || provenance === "mcp" ? provenance : null;
}

const mostNamed = 2;
const maxNameChars = 40;

function fileNames(files: readonly ChangedFile[]): string {
  const names = files.slice(0, mostNamed).map(({ path, is }) => {
    const name = plainLine(lastPart(path), maxNameChars) || "a file";
    return is === "gone" ? `${name} is gone` : name;
  });
  const more = files.length - names.length;
  return names.join(", ") + (more > 0 ? ` and ${more} more` : "");
}

function lastPart(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
