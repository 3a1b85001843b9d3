// One line of `mem doctor`: what was checked, its state, and the next step.

export type CheckState = "ok" | "warn" | "fail";

export interface Check {
  name: string;
  state: CheckState;
  /** The finding, one sentence. */
  message: string;
  /** The command or step that fixes it. */
  next?: string;
}

/** A check that passed. */
export function ok(name: string, message: string): Check {
  return { name, state: "ok", message };
}

/** A check that found something while memory still works. */
export function warn(name: string, message: string, next?: string): Check {
  return { name, state: "warn", message, ...(next === undefined ? {} : { next }) };
}

/** A check that found why memory does not work. */
export function fail(name: string, message: string, next?: string): Check {
  return { name, state: "fail", message, ...(next === undefined ? {} : { next }) };
}
