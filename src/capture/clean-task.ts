// What the thread that cleans is asked and answers, and the work itself.
import type { Json, JsonObject } from "../text/json.ts";
import { cleanHere } from "./cleaner.ts";

export type CleanTask =
  | { as: "text" | "prompt"; value: string }
  | { as: "payload"; value: JsonObject }
  | { as: "json"; value: Json; maxChars: number | undefined };

/** To the thread; it answers each with the same number. */
export interface CleanRequest {
  call: number;
  /** A `CleanTask` in JSON: to copy a value of many small parts takes three times as long as to write it. */
  task: string;
}

/** From the thread. */
export interface CleanAnswer {
  call: number;
  cleaned: unknown;
}

/** The same in the thread and outside of it. */
export function cleanedBy(task: CleanTask): unknown {
  switch (task.as) {
    case "text":
      return cleanHere.text(task.value);
    case "prompt":
      return cleanHere.prompt(task.value);
    case "payload":
      return cleanHere.payload(task.value);
    case "json":
      return cleanHere.json(task.value, task.maxChars);
    default:
      return task satisfies never;
  }
}
