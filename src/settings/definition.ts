// What a setting is: its kind, what it accepts, and the typed value that follows from both.
import type { Secret } from "./secret.ts";

/** When a change is seen: by the running worker at its next tool use, or by the next worker. */
export type TakesEffect = "live" | "restart";

interface Common {
  /** As it stands in settings.json: values are strings. */
  default: string;
  effect: TakesEffect;
  /** One line for `mem settings list --long`. */
  meaning: string;
}

/** One row of the table of settings. */
export type Definition = Common &
  (
    | { kind: "enum"; values: readonly string[] }
    | { kind: "integer"; min: number; max: number }
    | { kind: "boolean" }
    /** Comma-separated; with `values`, only those, and `all` or empty means every one. */
    | { kind: "list"; values?: readonly string[] }
    /** The same, but a mode may bring more: entries of the form `others` are taken too. */
    | { kind: "list"; values: readonly string[]; others: RegExp }
    | { kind: "string"; pattern: RegExp; accepts: string }
    | { kind: "path" }
    | { kind: "url" }
    | { kind: "secret" }
  );

/** The typed value that a definition's text is parsed into. */
export type ValueOf<D> = D extends { kind: "enum"; values: readonly (infer V)[] }
  ? V
  : D extends { kind: "integer" }
    ? number
    : D extends { kind: "boolean" }
      ? boolean
      : D extends { kind: "list" }
        ? readonly string[]
        : D extends { kind: "secret" }
          ? Secret
          : string;

/** What a setting accepts, in words, for help and warnings. */
export function acceptedBy(definition: Definition): string {
  switch (definition.kind) {
    case "enum":
      return `one of ${definition.values.join(", ")}`;
    case "integer":
      return `a whole number from ${definition.min} to ${definition.max}${definition.max >= 1_000_000 ? ", such as 200000, 200k or 1.5M" : ""}`;
    case "boolean":
      return "true or false";
    case "list":
      return definition.values === undefined
        ? "a comma-separated list"
        : `all, or a comma-separated list of ${definition.values.join(", ")}${"others" in definition ? ", or other ids of the active mode" : ""}`;
    case "string":
      return definition.accepts;
    case "path":
      return "an absolute path, or one that starts with ~/";
    case "url":
      return "an http or https address";
    case "secret":
      return "a secret without spaces";
    default:
      return definition satisfies never;
  }
}
