// Finds what a line of a file declares: a function, class, heading, configuration key or test, by the file's kind.

type FileKind = "code" | "test" | "docs" | "config" | "style" | "other";

/** What a file is, from its name. */
export function fileKind(path: string): FileKind {
  const name = path.slice(path.search(lastSegment)).toLowerCase();
  const extension = name.slice(name.lastIndexOf(".") + 1);
  if (docsName.test(name) || docsExtensions.has(extension)) return "docs";
  if (styleExtensions.has(extension)) return "style";
  if (configName.test(name) || configExtensions.has(extension)) return "config";
  if (codeExtensions.has(extension)) return testPath.test(path) ? "test" : "code";
  return "other";
}

/** The name that `line` declares in a file of this kind, or null. */
export function declaredName(line: string, kind: FileKind): string | null {
  if (line.length > longestLine) return null;
  switch (kind) {
    case "docs":
      return heading.exec(line)?.[1]?.replace(trailingMarks, "") ?? null;
    case "config":
      return (configKey.exec(line) ?? configSection.exec(line))?.[1] ?? null;
    case "code":
    case "test":
      return codeName(line);
    case "style":
    case "other":
      return null;
  }
}

/** The title of the test that `line` opens, or null. */
export function testTitle(line: string): string | null {
  return testOpening.exec(line.slice(0, longestLine))?.[2] ?? null;
}

/** The names that `lines` declare, in order, each once, at most `max`. */
export function declaredNames(lines: readonly string[], kind: FileKind, max: number): string[] {
  const names = new Set<string>();
  if (kind === "style" || kind === "other") return [];
  for (const line of lines) {
    const name = declaredName(line, kind);
    if (name !== null) names.add(name);
    if (names.size === max) break;
  }
  return [...names];
}

function codeName(line: string): string | null {
  const match = keywordDeclaration.exec(line);
  if (match !== null) {
    const [, indent = "", modifiers = "", keyword = "", name = ""] = match;
    const isLocal = indent !== "" && valueKeywords.has(keyword) && !modifiers.includes("export");
    return isLocal || notNames.has(name) ? null : name;
  }
  const sql = sqlDeclaration.exec(line);
  if (sql?.[1] !== undefined) return sql[1];
  const method = methodDeclaration.exec(line)?.[1];
  if (method === undefined || notNames.has(method) || line.includes("=>")) return null;
  return method;
}

const longestLine = 240;
const lastSegment = /[^/\\]*$/;

const docsExtensions = new Set(["md", "mdx", "markdown", "rst", "adoc"]);
const configExtensions = new Set([
  "json",
  "jsonc",
  "json5",
  "yaml",
  "yml",
  "toml",
  "ini",
  "cfg",
  "conf",
  "env",
  "properties",
  "lock",
]);
const styleExtensions = new Set(["css", "scss", "sass", "less"]);
const codeExtensions = new Set(
  (
    "ts tsx mts cts js jsx mjs cjs vue svelte astro py pyi rb go rs java kt kts scala swift c h cc cpp cxx hpp hh cs fs " +
    "php pl pm lua r jl ex exs erl clj cljs hs ml dart zig nim sh bash zsh fish ps1 sql graphql gql proto sol groovy gradle ipynb"
  ).split(" "),
);
const docsName = /^(?:readme|changelog|license|contributing)\b/;
const configName =
  /^(?:\.[a-z]+(?:rc|ignore|attributes)|dockerfile|makefile|\.env.*|.*\.config\.[cm]?[jt]s)$/;
const testPath =
  /(?:^|[/\\])(?:tests?|__tests__|specs?)[/\\]|[._-](?:test|spec)\.\w+$|(?:^|[/\\])test_[^/\\]*$|_test\.\w+$/i;

const heading = /^#{1,4}\s+(\S.{0,80})/;
const trailingMarks = /[\s#:]+$/;
const configKey = /^ {0,4}"?([A-Za-z_@][\w.@/-]{0,60})"?\s*[:=]/;
const configSection = /^\[+\s*([\w."-]{1,60})\s*\]+/;

const keywordDeclaration =
  /^(\s*)((?:(?:export|default|declare|abstract|public|private|protected|internal|static|async|final|override|open|sealed|data|virtual|inline|unsafe|extern|suspend|pub(?:\([a-z]+\))?)\s+)*)(function\*?|class|interface|type|enum|struct|trait|module|namespace|protocol|record|object|def|defp|func|fn|fun|sub|const|let|var)\s+(?:\([^)]*\)\s*)?(?:self\.)?([A-Za-z_$][\w$]*[?!]?)/;
const sqlDeclaration =
  /^\s*create\s+(?:or\s+replace\s+|temp\s+|unique\s+|virtual\s+|materialized\s+)*(?:table|index|view|function|trigger|procedure|type)\s+(?:if\s+not\s+exists\s+)?["`]?([\w.]+)/i;
const methodDeclaration =
  /^\s{0,12}(?:(?:public|private|protected|static|async|override|readonly|get|set|final|virtual|internal)\s+){0,4}(?:[A-Za-z_][\w<>[\],.?]*\s+)?#?([A-Za-z_$][\w$]*)\s*\((?!["'`])[^()"'`]*(?:\([^()]*\)[^()"'`]*)?\)[^;="'`]*\{\s*$/;
const testOpening =
  /^\s*(?:it|test|describe|specify|context|scenario)(?:\.[a-zA-Z]{1,12}){0,2}\s*\(?\s*(["'`])([^"'`]{3,160})\1/;

const valueKeywords = new Set(["const", "let", "var", "type"]);
const notNames = new Set(
  (
    "if for while switch catch function return else do with await new throw using lock foreach elif when match super " +
    "constructor of in is to from and or the a"
  ).split(" "),
);
