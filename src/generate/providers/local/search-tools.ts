// Searches: what was looked for, where, and what was found.
import { numberField, textField, textsField } from "../../../domain/json-fields.ts";
import { firstLine, oneLine, shownPath } from "../../../domain/plain-text.ts";
import type { Finding, ToolUse } from "./finding.ts";
import { matchWords } from "./search-words.ts";

/** What a search or listing tool found. */
export function describeSearch(use: ToolUse): Finding {
  const { input, result, cwd } = use;
  const asked = textField(input, "pattern", "query", "regex", "search", "q", "glob_pattern", "filePattern");
  const where = textField(input, ...placeNames);
  const place = where === "" ? "" : shownPath(where, cwd);
  if (result.failed) return failedSearch(use, asked || place);
  const files = textsField(result.fields, "filenames");
  const lines = files.length > 0 ? files : foundLines(result.text);
  const total = numberField(result.fields, "numFiles", "numMatches", "numLines");
  const words = matchWords({
    asked,
    place,
    lines,
    unit: asked === "" ? "entry" : files.length > 0 || looksLikeFiles(lines) ? "file" : "match",
    cwd,
    total: Math.max(total ?? 0, lines.length),
    cut: result.cut && total === null,
  });
  return {
    obs_type: "discovery",
    title: words.title,
    subtitle: "",
    summary: words.title,
    narrative: [words.title, ...(words.evidence ?? [])],
    facts: words.facts ?? [],
    concepts: ["how-it-works"],
    filesRead: words.filesRead ?? [],
    provenance: "file",
    routine: true,
  };
}

// Gemini and OpenCode print the file once and its matches below; a listing marks its entries with dashes.
function foundLines(text: string): string[] {
  const found: string[] = [];
  let file = "";
  for (const line of text.split("\n")) {
    if (line.trim() === "" || noise.test(line)) continue;
    const header = fileHeader.exec(line);
    const match = file === "" ? null : matchUnderFile.exec(line);
    if (header !== null) file = header[1] ?? header[2] ?? "";
    else if (match !== null) found.push(`${file}:${match[1]}: ${match[2]}`);
    else found.push(line.replace(listMark, ""));
  }
  return found;
}

function failedSearch(use: ToolUse, asked: string): Finding {
  const reason = firstLine(use.result.text);
  const title = `Search${asked === "" ? "" : ` for \`${oneLine(asked, 50)}\``} failed${reason === "" ? "" : `: ${reason}`}`;
  return {
    obs_type: "discovery",
    title,
    subtitle: "",
    summary: title,
    narrative: [title, "Nothing was searched"],
    facts: [reason],
    concepts: ["problem-solution"],
    provenance: "file",
  };
}

function looksLikeFiles(lines: readonly string[]): boolean {
  return lines.length > 0 && lines.slice(0, 20).every((line) => fileLine.test(line));
}

const placeNames = ["path", "dir_path", "directory", "target_directory", "dir", "include", "glob"];
const noise =
  /^(?:Found \d+|No (?:matches|files)|\(Results are truncated|---$|Total |Directory listing)|^- .*[/\\]$/i;
const fileHeader = /^File: (\S+)\s*$|^(\/\S+):\s*$/;
const matchUnderFile = /^\s*(?:L|Line )(\d+): (.*)$/;
const listMark = /^\s*- /;
const fileLine = /^\s*[\w@.+~/\\:-]+\.?[\w/-]+\s*$/;
