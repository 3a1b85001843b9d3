// Whether an edit between a failure and a success was the fix, and not the command that passed.
import { clip } from "../text/plain-text.ts";
import type { Part } from "./command-runs.ts";
import type { Failure } from "./failure.ts";

/** False for documents that the failed command neither names nor complains about. */
export function bearsOn(path: string, { run, part }: Failure): boolean {
  if (!document.test(path)) return true;
  const name = baseName(path);
  return run.text.includes(name) || part.text.includes(name);
}

interface Repair {
  /** Files of the code that were edited in between. */
  edited: readonly string[];
  /** The command that passed. */
  part: Part;
  closing: string;
}

/**
 * True where the failure was in the code, and another launcher or value of a variable makes no difference. A variable that
 * the failed command did not have, and that the closing names, does.
 */
export function editWasTheFix({ run, part: failed }: Failure, { edited, part, closing }: Repair): boolean {
  const isOfCode = run.testsFailed || edited.some((path) => path !== "" && run.text.includes(baseName(path)));
  const had = new Set(failed.environment.map(nameOf));
  const added = part.environment.map(nameOf).filter((name) => !had.has(name));
  return isOfCode && !added.some((name) => closing.includes(name));
}

function nameOf(variable: string): string {
  return variable.slice(0, variable.indexOf("="));
}

function baseName(path: string): string {
  return clip(path.slice(path.search(/[^\\/]*$/)), 80);
}

const document =
  /\.(?:md|mdx|markdown|rst|txt|adoc|org|pdf|png|jpe?g|gif|svg|docx?)$|(?:^|[\\/])(?:LICENSE|NOTICE|AUTHORS|CHANGELOG|README|TODO)$/i;
