// A setting's text to its typed value, or the reason why not.
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { acceptedBy, type Definition } from "./definition.ts";
import { Secret } from "./secret.ts";
import { definitionOf, type SettingKey, type SettingValue } from "./table.ts";

export type ParsedSetting<K extends SettingKey = SettingKey> =
  | { ok: true; value: SettingValue<K> }
  | { ok: false; problem: string };

/** The typed value of `text`, or what is wrong with it in words that never repeat a secret. */
export function parseSetting<K extends SettingKey>(key: K, text: string): ParsedSetting<K> {
  const definition = definitionOf(key);
  const value = typedValue(definition, text.trim());
  if (value !== undefined) return { ok: true, value: value as SettingValue<K> };
  const shown = definition.kind === "secret" ? "The value" : `"${text.slice(0, 80)}"`;
  return { ok: false, problem: `${shown} is not ${acceptedBy(definition)}` };
}

/** The typed value of `text` by its definition; undefined when it does not fit. */
export function typedValue(definition: Definition, text: string): unknown {
  switch (definition.kind) {
    case "enum":
      return definition.values.find((value) => value.toLowerCase() === text.toLowerCase());
    case "integer":
      return integer(text, definition.min, definition.max);
    case "boolean":
      return booleans.get(text.toLowerCase());
    case "list":
      return list(text, definition.values, "others" in definition ? definition.others : undefined);
    case "string":
      return definition.pattern.test(text) ? text : undefined;
    case "path":
      return path(text);
    case "url":
      return url(text);
    case "secret":
      return /^[\x21-\x7e]{0,4096}$/.test(text) ? new Secret(text) : undefined;
    default:
      return definition satisfies never;
  }
}

const booleans = new Map([
  ["true", true],
  ["1", true],
  ["yes", true],
  ["on", true],
  ["false", false],
  ["0", false],
  ["no", false],
  ["off", false],
]);

// People write a budget as 200k, 1.5M or 200_000; `1.2345k` is no whole number.
function integer(text: string, min: number, max: number): number | undefined {
  const parts = /^(\d{1,3}(?:_\d{3})+|\d{1,13})(\.\d{1,6})?([kM])?$/i.exec(text);
  if (parts === null) return undefined;
  const [, whole = "", fraction = "", unit = ""] = parts;
  const zeros = unit === "" ? 0 : unit.toLowerCase() === "k" ? 3 : 6;
  const decimals = fraction.slice(1);
  if (decimals.length > zeros) return undefined;
  const value = Number(whole.replaceAll("_", "") + decimals.padEnd(zeros, "0"));
  return value >= min && value <= max ? value : undefined;
}

function list(
  text: string,
  allowed: readonly string[] | undefined,
  others: RegExp | undefined,
): readonly string[] | undefined {
  const names = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  if (allowed === undefined) return [...new Set(names)];
  if (names.length === 0 || names.includes("all")) return allowed;
  const accepted = names.every((name) => allowed.includes(name) || others?.test(name));
  return accepted ? [...new Set(names)] : undefined;
}

function path(text: string): string | undefined {
  if (text === "") return text;
  if (text === "~") return homedir();
  if (/^~[/\\]/.test(text)) return join(homedir(), text.slice(2));
  return isAbsolute(text) && !text.includes("\0") ? text : undefined;
}

function url(text: string): string | undefined {
  if (text === "") return text;
  if (!URL.canParse(text)) return undefined;
  return /^https?:$/.test(new URL(text).protocol) ? text : undefined;
}
