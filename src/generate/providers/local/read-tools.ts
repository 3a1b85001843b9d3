// Reads of files: which one, which part, and what is declared there.

import { numberField, objectField, pathField, textField, textsField } from "../../../domain/json-fields.ts";
import { counted, firstLine, listed, shownPath } from "../../../domain/plain-text.ts";
import { declaredNames, fileKind } from "./declarations.ts";
import type { Finding, ToolUse } from "./finding.ts";

/** What a read of a file showed. */
export function describeRead(use: ToolUse): Finding {
  const file = objectField(use.result.fields, "file");
  const path = pathField(use.input) || pathField(file) || pathField(use.result.fields);
  const many = [
    ...textsField(use.input, "paths"),
    ...textsField(use.input, "files"),
    ...textsField(use.input, "include"),
  ];
  if (path === "" && many.length > 0) return describeMany(use, many);
  return describeText(use, {
    path,
    range: rangeOf(use),
    text: textField(file, "content") || use.result.text,
  });
}

/** What `text`, read from `path`, shows; by a read tool or by `cat` and its like. */
export function describeText(
  use: ToolUse,
  { path, range, text }: { path: string; range: string; text: string },
): Finding {
  const shown = path === "" ? "a file" : shownPath(path, use.cwd);
  if (use.result.failed) return describeFailure(use, path, shown);
  const lines = text.slice(0, readChars).split("\n").map(withoutNumber);
  const kind = fileKind(path);
  const names = declaredNames(lines, kind, 10);
  const isImage = textField(use.result.fields, "type") === "image";
  const about = openingWords(lines) || (kind === "other" && !isImage ? firstLine(text) : "");
  const declares =
    names.length === 0
      ? ""
      : `${kind === "docs" ? "sections" : kind === "config" ? "keys" : "declares"} ${listed(names, 3)}`;
  const title = `Read ${shown}${range === "" ? "" : ` ${range}`}${declares === "" ? "" : `: ${declares}`}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: isImage ? "an image" : about === "" ? sizeOf(use, lines) : about,
    summary: about === "" ? title : `${shown}: ${about}`,
    narrative: [
      `Read ${shown}${range === "" ? "" : ` ${range}`}`,
      isImage ? "It is an image" : about === "" ? "" : `It begins: ${about}`,
      names.length === 0
        ? sizeOf(use, lines)
        : `It ${kind === "docs" ? "has the sections" : kind === "config" ? "sets" : "declares"} ${listed(names, 10)}`,
    ],
    facts: [
      names.length === 0
        ? ""
        : `${shown} ${kind === "docs" ? "has sections" : kind === "config" ? "sets" : "declares"}: ${listed(names, 10)}`,
      about === "" ? "" : `${shown}: ${about}`,
    ],
    concepts: ["how-it-works"],
    filesRead: path === "" ? [] : [path],
    provenance: "file",
    routine: true,
  };
}

function describeMany(use: ToolUse, many: readonly string[]): Finding {
  const shown = many.map((path) => shownPath(path, use.cwd));
  const title = `Read ${counted(many.length, "file")}: ${listed(shown, 4)}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: "",
    summary: title,
    narrative: [title, firstLine(use.result.text)],
    facts: [],
    concepts: ["how-it-works"],
    filesRead: [...many],
    provenance: "file",
    routine: true,
  };
}

function describeFailure(use: ToolUse, path: string, shown: string): Finding {
  const reason = firstLine(use.result.text);
  const title = `Could not read ${shown}${reason === "" ? "" : `: ${reason}`}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: reason,
    summary: title,
    narrative: [title, "Nothing of it was seen"],
    facts: [reason],
    concepts: ["problem-solution"],
    filesRead: path === "" ? [] : [path],
    provenance: "file",
  };
}

function rangeOf({ input, result }: ToolUse): string {
  const file = objectField(result.fields, "file");
  const asked = numberField(input, "offset", "start_line", "startLine");
  const start = asked ?? numberField(file, "startLine") ?? 1;
  const count = numberField(input, "limit") ?? numberField(file, "numLines");
  const total = numberField(file, "totalLines");
  if (asked === null && (count === null || total === null || count >= total)) return "";
  if (count === null) return `from line ${start}`;
  return `lines ${start}-${start + count - 1}${total === null ? "" : ` of ${total}`}`;
}

function sizeOf({ result }: ToolUse, lines: readonly string[]): string {
  const total = numberField(objectField(result.fields, "file"), "totalLines") ?? lines.length;
  return total > 1 ? counted(total, "line") : "";
}

// A file often says on top what it is for.
function openingWords(lines: readonly string[]): string {
  for (const line of lines.slice(0, 6)) {
    const text = line.length < 400 ? openingComment.exec(line)?.[1] : undefined;
    if (text !== undefined && !notAnOpening.test(text)) return text.trim();
  }
  return "";
}

function withoutNumber(line: string): string {
  return line.replace(lineNumber, "");
}

const readChars = 8_000;
// Hosts number the lines they show: `12→`, `12\t`, `12: `, `12. `, `00012| `.
const lineNumber = /^\s*\d{1,6}(?:→|\t|: |\. |\| )/;
const openingComment =
  /^\s*(?:\/\/+|#(?!!)|\/\*+|\*|"""|<!--|--|;;+)\s*([A-Za-z`"'].{10,300}?)\s*(?:\*\/|-->|""")?$/;
const notAnOpening =
  /^(?:copyright|licensed|SPDX|eslint|biome|ts-|type:|include|import|frozen_string|-\*-|pragma|!\/)/i;
