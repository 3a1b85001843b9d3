// Describes reads, searches and listings. They are routine, so the record only has to be findable.
import { numberField, objectField, pathField, textField, textsField } from "../../../text/json-fields.ts";
import { clip, counted, firstLine, listed, oneLine, shownPath } from "../../../text/plain-text.ts";
import type { Finding, ToolUse } from "./finding.ts";

export function describeRead(use: ToolUse): Finding {
  const { input, result, cwd } = use;
  const file = objectField(result.fields, "file");
  const path = pathField(input) || pathField(file) || pathField(result.fields);
  const several = ["paths", "files", "include"].flatMap((name) => textsField(input, name));
  const filesRead = path === "" ? several : [path];
  const shown = listedPaths(filesRead, cwd) || "a file";
  if (result.failed) return { ...failedLook(`Could not read ${shown}`, use), filesRead };
  const first = firstLine(textField(file, "content") || result.text).replace(lineNumber, "");
  return { title: `Read ${shown}`, facts: [first], filesRead, provenance: "file", routine: true };
}

export function describeSearch(use: ToolUse): Finding {
  const { input, result, cwd } = use;
  const asked = oneLine(textField(input, ...askedNames), 50);
  const where = textField(input, ...placeNames);
  const place = where === "" ? "" : clip(shownPath(where, cwd), 40);
  if (result.failed) return failedLook(`Search${asked === "" ? "" : ` for \`${asked}\``} failed`, use);
  const what =
    asked === ""
      ? `Listed ${place || "the working directory"}`
      : `Searched for \`${asked}\`${place === "" ? "" : ` in ${place}`}`;
  const named = textsField(result.fields, "filenames");
  const printed = result.text.split("\n").filter((line) => line.trim() !== "");
  const lines = named.length > 0 ? named : printed.filter((line) => !noise.test(line));
  const count = Math.max(numberField(result.fields, "numFiles", "numMatches", "numLines") ?? 0, lines.length);
  return {
    title: `${what}: ${count === 0 ? "nothing found" : `${result.cut ? "at least " : ""}${counted(count, "result")}`}`,
    facts: shownLines(lines, cwd),
    filesRead: matchedFiles(printed),
    provenance: "file",
    routine: true,
  };
}

export function shownLines(lines: readonly string[], cwd: string | null): string[] {
  return lines.slice(0, 6).map((line) => shownPath(line.replace(/^\s*- /, "").trim(), cwd));
}

/** The files of matches: `src/a.ts:12: text` of grep, `File: src/a.ts` of Gemini. */
export function matchedFiles(lines: readonly string[]): string[] {
  const files = lines.slice(0, 200).flatMap((line) => matchedFile.exec(line)?.slice(1).find(Boolean) ?? []);
  return [...new Set(files)].slice(0, 10);
}

/** Paths as shown in a title. */
export function listedPaths(paths: readonly string[], cwd: string | null): string {
  const shown = paths.map((path) => shownPath(path, cwd));
  return listed(shown, 4);
}

function failedLook(what: string, { result }: ToolUse): Finding {
  const reason = firstLine(result.text);
  const title = reason === "" ? what : `${what}: ${reason}`;
  return { title, facts: [reason], concepts: ["problem-solution"], provenance: "file" };
}

const askedNames = ["pattern", "query", "regex", "search", "q", "glob_pattern", "filePattern"];
const placeNames = ["path", "dir_path", "directory", "target_directory", "dir", "include", "glob"];
const noise =
  /^(?:Found \d+|No (?:matches|files)|\(Results are truncated|---$|Total |Directory listing|File: \S+$)|^\s*- .*[/\\]$/i;
const matchedFile = /^(?:File: (\S+)$|((?:[A-Za-z]:)?[^\s:]{0,200}[./\\][^\s:]{0,200}):(?=.))/;
// Hosts number the lines they show: `12→`, `12\t`, `12: `, `12. `, `00012| `.
const lineNumber = /^\s*\d{1,6}(?:→|\t|: |\. |\| )/;
