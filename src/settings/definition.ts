// The definition of a setting: its kind, the text it accepts, and the typed value parsed from that text.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { Secret } from "./secret.ts";

/** When a change is seen: by the running worker at its next tool use or other event, or by the next worker. */
export type TakesEffect = "live" | "restart";

type Kind =
  | { kind: "enum"; values: readonly string[] }
  | { kind: "integer"; min: number; max: number }
  | { kind: "boolean" }
  /** Comma-separated. With `values` only those and what matches `others`; `all` or empty means every value. */
  | { kind: "list"; values?: readonly string[]; others?: RegExp }
  | { kind: "string"; pattern: RegExp; accepts: string }
  | { kind: "path" }
  | { kind: "url" }
  | { kind: "secret" };

/** One row of a table of settings. */
export type Definition = Kind & {
  /** As in settings.json, where values are strings. */
  default: string;
  /** One line for `mem settings list --long` and the docs. */
  description: string;
  effect: TakesEffect;
};

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

export const boolean = { kind: "boolean" } as const;
export const path = { kind: "path" } as const;
export const url = { kind: "url" } as const;
export const secret = { kind: "secret" } as const;

export function oneOf<const V extends readonly string[]>(...values: V) {
  return { kind: "enum", values } as const;
}

export function integer(min: number, max: number) {
  return { kind: "integer", min, max } as const;
}

export function list(values?: readonly string[], others?: RegExp) {
  return { kind: "list", ...(values && { values }), ...(others && { others }) } as const;
}

export function string(pattern: RegExp, accepts: string) {
  return { kind: "string", pattern, accepts } as const;
}

/** A row of a table. */
export function setting<const K extends Kind>(
  kind: K,
  fallback: string,
  description: string,
  effect: TakesEffect = "restart",
) {
  return { ...kind, default: fallback, description, effect };
}

/** What a setting accepts, in words, for help, warnings and the docs. */
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
        : `all, or a comma-separated list of ${definition.values.join(", ")}${definition.others === undefined ? "" : ", or other ids of the active mode"}`;
    case "string":
      return definition.accepts;
    case "path":
      return "an absolute path, or one that starts with ~/";
    case "url":
      return "an http or https address";
    case "secret":
      return "one word without spaces";
    default:
      return definition satisfies never;
  }
}

/** The typed value of `text`; undefined if the definition does not accept it. */
export function parseValue(definition: Definition, text: string): unknown {
  switch (definition.kind) {
    case "enum":
      return definition.values.find((value) => value.toLowerCase() === text.toLowerCase());
    case "integer":
      return parseInteger(text, definition.min, definition.max);
    case "boolean":
      return booleans.get(text.toLowerCase());
    case "list":
      return parseList(text, definition.values, definition.others);
    case "string":
      return definition.pattern.test(text) ? text : undefined;
    case "path":
      return parsePath(text);
    case "url":
      return text === "" || isHttpUrl(text) ? text : undefined;
    case "secret":
      return /^[\x21-\x7e]{0,4096}$/.test(text) ? new Secret(text) : undefined;
    default:
      return definition satisfies never;
  }
}

const booleans = new Map([
  ...["true", "1", "yes", "on"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off"].map((word) => [word, false] as const),
]);

// Accepts 200k, 1.5M and 200_000; `1.2345k` is not a whole number.
function parseInteger(text: string, min: number, max: number): number | undefined {
  const parts = /^(\d{1,3}(?:_\d{3})+|\d{1,13})(\.\d{1,6})?([kM])?$/i.exec(text);
  if (parts === null) return undefined;
  const [, whole = "", fraction = "", unit = ""] = parts;
  const zeros = unit === "" ? 0 : unit.toLowerCase() === "k" ? 3 : 6;
  const decimals = fraction.slice(1);
  if (decimals.length > zeros) return undefined;
  const value = Number(whole.replaceAll("_", "") + decimals.padEnd(zeros, "0"));
  return value >= min && value <= max ? value : undefined;
}

function parseList(
  text: string,
  allowed?: readonly string[],
  others?: RegExp,
): readonly string[] | undefined {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (allowed === undefined) return [...new Set(names)];
  if (names.length === 0 || names.includes("all")) return allowed;
  const isAccepted = names.every((name) => allowed.includes(name) || others?.test(name));
  return isAccepted ? [...new Set(names)] : undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function parsePath(text: string): string | undefined {
  if (text === "") return text;
  if (text === "~") return homedir();
  if (/^~[/\\]/.test(text)) return join(homedir(), text.slice(2));
  return isAbsolute(text) && !text.includes("\0") ? text : undefined;
}
