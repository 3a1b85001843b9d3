// Our tables in TOML text: each is a block at the end of the file.
import { isDeepStrictEqual } from "node:util";
import { parse, stringify, TomlError } from "smol-toml";
import { failOpenSync } from "../core/errors.ts";
import { isJsonObject } from "../text/json.ts";
import type { Entry } from "./integration.ts";
import type { Edited } from "./json-text.ts";

/** The value of the text. Throws `SyntaxError`. */
export function parseToml(text: string): unknown {
  try {
    return plain(parse(text.replace(/^\uFEFF/, "")));
  } catch (cause) {
    const [reason = ""] = (cause instanceof Error ? cause.message : String(cause)).split("\n");
    const words = reason.replace("Invalid TOML document: ", "");
    const where = cause instanceof TomlError ? ` in line ${cause.line}, column ${cause.column}` : "";
    throw new SyntaxError(words + where, { cause });
  }
}

// The objects of the parser have no prototype, so they would differ from equal ones.
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value) || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Appends the entry as a table. Throws `SyntaxError` where the text defines its container in another way. */
export function addTomlEntry(edited: Edited, { path, key = "", value }: Entry): string[][] {
  const newline = edited.text.includes("\r\n") ? "\r\n" : "\n";
  const nested = [...path, key].reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);
  const table = stringify(nested).trim().replaceAll("\n", newline);
  const gap = edited.text === "" ? "" : edited.text.endsWith("\n") ? newline : newline + newline;
  const text = `${gap}${table}${newline}`;
  const insertion = { at: edited.text.length, text };
  const after = edited.text + text;
  parseToml(after);
  edited.insertions.push(insertion);
  edited.text = after;
  return [];
}

/** The text without our tables. Throws `SyntaxError` where they are not blocks under their own headers. */
export function withoutTomlEntries(text: string, entries: readonly Entry[]): string {
  return entries.reduce((left, entry) => withoutTable(left, entry), text);
}

function withoutTable(text: string, { path, key = "", isOurs }: Entry): string {
  const value = parseToml(text);
  const names = [...path, key];
  if (!isOurs(names.reduce(memberOf, value))) return text;
  const lines = text.split(/(?<=\n)/);
  const headers = lines.map((line) => headerNames(line)?.join("\0"));
  const own = names.join("\0");
  for (const [start, header] of headers.entries()) {
    if (header !== own) continue;
    const left = withoutBlock(lines, start, (at) => headers[at]?.startsWith(`${own}\0`) ?? true);
    // A line of a long string can look like the header.
    const rest = failOpenSync("read the rest of a TOML file", () => without(parseToml(left), names));
    if (isDeepStrictEqual(rest, without(value, names))) return left;
  }
  throw new SyntaxError(`the table ${names.join(".")} cannot be removed from its text`);
}

function withoutBlock(lines: readonly string[], start: number, isInside: (at: number) => boolean): string {
  let end = start + 1;
  while (end < lines.length && isInside(end)) end += 1;
  // Comments above the next table are about that one.
  while (end > start + 1 && /^\s*(#|$)/.test(lines[end - 1] ?? "")) end -= 1;
  // The blank line before came with the table.
  const from = lines[start - 1]?.trim() === "" ? start - 1 : start;
  return lines.toSpliced(from, end - from).join("");
}

// The names in a header; undefined for another line, such as one of a long string.
function headerNames(line: string): string[] | undefined {
  if (!/^\s*\[/.test(line)) return undefined;
  return failOpenSync("read a header", () => {
    const names: string[] = [];
    for (let value: unknown = parse(line); isJsonObject(value); ) {
      const [[name, inner] = []] = Object.entries(value);
      if (name === undefined) break;
      names.push(name);
      value = inner;
    }
    return names;
  });
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

// Without empty containers too: a header of ours may have made them.
function without(value: unknown, [name = "", ...names]: readonly string[]): unknown {
  if (!isJsonObject(value)) return value;
  const { [name]: inner, ...rest } = value;
  const left = names.length === 0 ? {} : without(inner ?? {}, names);
  return isJsonObject(left) && Object.keys(left).length === 0 ? rest : { ...rest, [name]: left };
}
