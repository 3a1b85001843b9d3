// Code in a command line, `python -c "..."`: where it is, and the libraries that it is about.

/** The code that an option of the command holds; the empty string when there is none. */
export function inlineCodeOf(words: readonly string[]): string {
  const parts = words.flatMap((word, at) => (codeOption.test(words[at - 1] ?? "") ? [word] : []));
  return parts.filter((part) => /[\s();:]/.test(part)).join("\n");
}

/**
 * Libraries that the code loads or calls by their namespace, else the first function that it calls; none for code of the
 * language alone. In order, at most three.
 */
export function librariesIn(words: readonly string[]): string[] {
  const code = inlineCodeOf(words).replace(fromImport, "import $1").replace(importFrom, "import ");
  if (code === "") return [];
  const loaded = words.flatMap((word) => preloaded.exec(word)?.[1] ?? []);
  const named = [...loaded, ...Array.from(code.matchAll(loads), ([, names = ""]) => names)]
    .flatMap((names) => names.split(/\s*,\s*/))
    .map(libraryOf);
  const spaces = Array.from(code.matchAll(namespace), ([, name = ""]) => name);
  const libraries = withoutCommon([...named, ...spaces]);
  if (libraries.length > 0 || named.length > 0) return libraries.slice(0, maxLibraries);
  return withoutCommon(Array.from(code.matchAll(called), ([, name = ""]) => name)).slice(0, 1);
}

// `torch` of `torch.nn as nn`, `sharp` of `node:sharp`, `@scope/name` whole, `db` of `./lib/db.js`.
function libraryOf(name: string): string {
  const bare = name.replace(/^node:/, "").split(/\s/)[0] ?? "";
  if (bare.startsWith("@")) return bare.split("/").slice(0, 2).join("/");
  if (/^\.{0,2}\//.test(bare)) return bare.replace(/^.*\//, "").replace(/\.\w+$/, "");
  return bare.split(/[./]|::/)[0] ?? "";
}

function withoutCommon(names: readonly string[]): string[] {
  return [...new Set(names)].filter((name) => libraryName.test(name) && !ofTheLanguage.has(name));
}

const maxLibraries = 3;
const codeOption = /^-\w{0,3}[ceEpr]$|^--(?:eval|print|execute|command|code)$|^-(?:Command|expr)$/;
const preloaded = /^-[Mr]([A-Za-z_][\w:./-]*)$/;
const loads =
  /(?<![\w.$])(?:import|from|using|use|require(?:_once|_relative)?|library|requireNamespace|loadNamespace)\b[\s(]*["']?(@?[\w./:-]+(?:\s+as\s+\w+)?(?:\s*,\s*[A-Za-z_][\w.]*(?:\s+as\s+\w+)?)*)/g;
const fromImport = /(?<!\w)from\s+([\w.]+)\s+import\s+[^;\n]+/g;
const importFrom = /(?<!\w)import\s+[^;'"\n(]*?\sfrom\s+/g;
const namespace = /(?<![\w.:$])([A-Za-z_][\w.]*)::/g;
const called = /(?<![\w.$])([A-Za-z_]\w*)(?:\.\w+)*\s*\(/g;
const libraryName = /^@?[A-Za-z_][\w./-]*$/;
const ofTheLanguage = new Set(
  (
    "print println printf puts p pp cat echo say console log exit quit die stop assert len str int float list dict set " +
    "open input eval exec map filter range sorted sum min max repr type isinstance enumerate zip require import " +
    "sprintf format paste message suppressMessages suppressWarnings invisible if for while function var_dump json_encode " +
    "sys os re io json time math random datetime pathlib subprocess shutil collections itertools functools typing " +
    "base utils stats methods fs path url util http https child_process process crypto events stream buffer assert " +
    "strict warnings feature utf8 lib vars POSIX Object JSON Math String Number Array Promise Date Buffer File Dir Process Kernel " +
    "System Base Main Enum IO"
  ).split(" "),
);
