// One line of `mem doctor`: what was looked at, how it is, and what to do about it.

export type CheckState = "ok" | "warn" | "fail";

export interface Check {
  name: string;
  state: CheckState;
  /** What was found, one sentence. */
  message: string;
  /** The command or step that mends it. */
  next?: string;
}

/** A check that found nothing to complain about. */
export function ok(name: string, message: string): Check {
  return { name, state: "ok", message };
}

/** A check that found something worth knowing; memory still works. */
export function warn(name: string, message: string, next?: string): Check {
  return { name, state: "warn", message, ...(next === undefined ? {} : { next }) };
}

/** A check that found what keeps memory from working. */
export function fail(name: string, message: string, next?: string): Check {
  return { name, state: "fail", message, ...(next === undefined ? {} : { next }) };
}
