// Which symbols and lines of a file the text of a record names.
import { posix } from "node:path";
import { blockEnd, type FileParts, type LineRange } from "./file-parts.ts";

export interface Named {
  /** Identifiers, with the dots between their parts. */
  names: ReadonlySet<string>;
  /** The whole text in lower case, for headings. */
  prose: string;
  /** Lines by the file's path as written. */
  lines: readonly { path: string; range: LineRange }[];
}

/** `files`: the paths of the record. */
export function readNamed(texts: readonly string[], files: readonly string[]): Named {
  const whole = texts.join("\n").slice(0, maxChars);
  const plain = whole.replace(pathLike, " ");
  // Of a line of code only what it declares is named.
  const prose = plain.replace(/`[^`\n]+`/g, (span) => (/[\s;]/.test(span) ? " " : span));
  const only = files.length === 1 ? files[0] : undefined;
  return {
    names: new Set(
      [coded, called, quoted, beside].flatMap((cue) =>
        [...(cue === beside ? plain : prose).matchAll(cue)].map(
          ([found, ...groups]) => groups.find(Boolean) ?? found,
        ),
      ),
    ),
    prose: plain.toLowerCase().replace(/\s+/g, " "),
    lines: [...whole.matchAll(reference)].flatMap(([, path = only, first, last]) => {
      const range = { from: Number(first) - 1, to: Number(last ?? first) };
      return path === undefined || range.from < 0 || range.to <= range.from ? [] : [{ path, range }];
    }),
  };
}

const maxChars = 20_000;
const pathLike =
  /(?<![\w@.~-])[\w@.~-]*[/\\][\w@./\\~-]*|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|java|kts?|rb|php|[ch]|cc|cpp|hpp|cs|swift|mdx?|jsonc?|ya?ml|toml|sql|sh|s?css|html?|vue|txt|env|lock)\b/g;
// From its first character: from each of a long one, the search would be quadratic.
const name = "(?<![\\p{L}\\p{N}_$.])[\\p{L}_$][\\p{L}\\p{N}_$]*(?:\\.[\\p{L}_$][\\p{L}\\p{N}_$]*)*";
// A hump, an underscore, a digit or a dot within the word: no word of a language.
const coded = new RegExp(
  `(?<![\\p{L}\\p{N}_$.])(?=[\\p{L}\\p{N}.]*(?:[\\p{Ll}\\p{N}]\\p{Lu}|\\p{L}_|_\\p{L}|\\$|\\p{L}\\p{N}|\\p{L}\\.\\p{L})|\\p{Lu}{2,}\\p{Ll})${name}`,
  "gu",
);
const called = new RegExp(`${name}(?=\\()`, "gu");
const quoted = new RegExp(`\`[#-]{0,2}(${name}(?:-[\\w-]+)?)(?:\\(.*?\\))?\``, "gu");
const kinds =
  "function|method|class|constant|const|type|interface|struct|module|enum|trait|key|setting|option|field|property|variable|handler|def|func|fn";
const beside = new RegExp(
  `\\b(?:${kinds})s?\\s+["'\`]?(${name})|(${name})["'\`]?(?:\\(\\))?\\s+(?=(?:${kinds})\\b)`,
  "gu",
);
const reference =
  /(?:([\w@./\\~-]{0,300}[\w-]\.\w{1,10})(?::|#L)|\b[Ll]ines?\s+)(\d{1,7})(?:\s*(?:[-–]|to)\s*L?(\d{1,7}))?\b/g;

/** True when the line range of a reference is in this file. */
export function isSameFile(written: string, place: string): boolean {
  const plain = posix.normalize(written.replaceAll("\\", "/"));
  return plain === place || place.endsWith(`/${plain}`) || plain.endsWith(`/${place}`);
}

/** Where the named symbols begin; of a class and its method only the method. */
export function namedIn(file: FileParts, { names, prose }: Named): number[] {
  const found = file.isProse
    ? file.raw.flatMap((line, at) => (isHeadingIn(file, line, at, prose) ? [at] : []))
    : definitionsOf(file, names);
  const distinct = [...new Set(found)].sort((a, b) => a - b);
  const hasNamed = (at: number) => distinct.some((other) => other > at && other < blockEnd(file, at));
  return distinct.filter((at) => !isContainer(file, at) || !hasNamed(at));
}

// A class, an object, a section: its parts are symbols.
function isContainer({ raw, isProse }: FileParts, at: number): boolean {
  const line = raw[at] ?? "";
  return (
    isProse ||
    /\b(?:class|interface|struct|enum|trait|impl|module|namespace|object)\b/.test(line) ||
    !/\(|=>/.test(line)
  );
}

/** One word must be marked as a heading: `Setup`, "Setup", the Setup section. */
function isHeadingIn({ levels }: FileParts, line: string, at: number, text: string): boolean {
  if ((levels[at] ?? 9) > 6 || line.length > longestLine) return false;
  const heading = line
    .replace(/^[#=]+\s|[#=\s`*_]+$|[`*_]/g, "")
    .toLowerCase()
    .trim();
  if (heading === "" || !text.includes(heading)) return false;
  if (/\s/.test(heading)) return true;
  return [`"${heading}"`, `\`${heading}\``, `# ${heading}`, `${heading} section`, `section ${heading}`].some(
    (marked) => text.includes(marked),
  );
}

/** The definitions that are indented least, of `Cart.total` those in `Cart`. None for a name of many places. */
function definitionsOf(file: FileParts, names: ReadonlySet<string>): number[] {
  const byName = new Map<string, number[]>();
  for (const [at, line] of file.raw.entries()) {
    const found = line.length > longestLine ? undefined : definition.exec(line)?.[1];
    // `total(1);` alone is a call, `total(rate) {` a method.
    if (found === undefined || (line.trimStart().startsWith(`${found}(`) && blockEnd(file, at) === at + 1))
      continue;
    byName.set(found, [...(byName.get(found) ?? []), at]);
  }
  return [...names].flatMap((dotted) => {
    const [last = "", within = ""] = dotted.split(".").reverse();
    const [all, around] = [byName.get(last) ?? [], byName.get(within) ?? []];
    const inside = all.filter((at) => around.some((from) => at > from && at < blockEnd(file, from)));
    const places = inside.length > 0 ? inside : all;
    const least = Math.min(...places.map((at) => file.levels[at] ?? 0));
    const outermost = places.filter((at) => file.levels[at] === least);
    return outermost.length > mostPlaces ? [] : outermost;
  });
}

const mostPlaces = 4;
const longestLine = 400;
const uses =
  "if|else|for|foreach|while|switch|catch|return|throw|new|await|yield|case|import|from|using|delete|in|and|or|not|print|assert|raise|typeof|when|until|unless|elif";
// Words, then the name before what follows a name where it is defined.
const definition = new RegExp(
  `^\\W{0,80}(?:create\\s[^(]*?|(?:(?!(?:${uses})\\b)[\\w$<>\\[\\]*&.,:@?|()~"'-]+\\s+)*?)\\W{0,4}?(?:[\\w$]+(?:\\.|::))*(?!(?:${uses}|func|function|def|fn|fun|class|struct|interface|async)\\b)([\\p{L}_$][\\p{L}\\p{N}_$-]*)["'\`]?\\s*(?:[({<:\\]]|=(?![=>])|\\[\\]|$|(?:extends|implements|for|where)\\b|(?:struct|interface)\\s*\\{)`,
  "u",
);
