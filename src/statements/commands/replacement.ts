// Finds the program that did the work of one that failed and was abandoned.
import { type Failure, haveCommon, saysNotFixed } from "./failures.ts";
import { type Edit, hasEffects, type Part, type Run } from "./runs.ts";
import { interpreters, scriptRunners, taskRunners, viewingVerbs } from "./vocabulary.ts";

interface GivenUp {
  /** Failures of one command that never passed, oldest first. */
  group: readonly Failure[];
  runs: readonly Run[];
  edits: readonly Edit[];
  closing: string;
}

/** The first command of this turn that replaces the failed one. */
export function replacementOf(given: GivenUp): { run: Run; part: Part } | null {
  const [failed] = given.group;
  if (failed === undefined) return null;
  for (const run of given.runs) {
    if (run.at < failed.run.at || run.outcome !== "passed" || !run.isOfTurn) continue;
    const part = run.parts.find(
      (one) =>
        hasEffects(one) && !haveCommon(failed.part, one) && replaces(given, failed, { run, part: one }),
    );
    if (part !== undefined) return { run, part };
  }
  return null;
}

/** True for `xcrun swift build` after `swift build`: the same words behind another program. */
export function launches(part: Part, failed: Part): boolean {
  const words = failed.launched;
  const from = part.words.length - words.length;
  return (
    from > 0 && !examining.test(part.program) && words.every((word, at) => part.words[from + at] === word)
  );
}

function replaces(
  { group, edits, closing }: GivenUp,
  failed: Failure,
  { run, part }: { run: Run; part: Part },
): boolean {
  const edited = edits.filter(({ at }) => at > failed.run.at && at < run.at).map(({ path }) => path);
  if (edited.length === 0 && sharesWord(failed.part, part) && hasSameRole(failed, part)) return true;
  // A program that is retried later was not abandoned.
  if (group.some((one) => one.run.at > run.at) || saysNotFixed(closing, part.name)) return false;
  if (edited.length === 0 && launches(part, failed.part)) return true;
  return inputsOfBoth(failed.part, part).some((input) => !edited.some((path) => path.endsWith(input)));
}

// `pip install x`, then `uv pip install x`; or a program that is not there, and another for the same file.
function hasSameRole({ run, part }: Failure, other: Part): boolean {
  return (run.isOfTurn && notFound.test(run.text)) || roleOf(other) === roleOf(part);
}

// `wkhtmltopdf a.html`, then `weasyprint a.html`: both convert the file.
function inputsOfBoth(failed: Part, other: Part): string[] {
  if (failed.name === other.name || !isMaker(failed) || !isMaker(other)) return [];
  return inputsOf(failed).filter((input) => inputsOf(other).includes(input));
}

function isMaker({ kind, name, launched, families }: Part): boolean {
  if (kind !== "run" || isOfProject(launched, name)) return false;
  const verbs = [name, ...(families[0] ?? "").split(" ").slice(1)];
  return !verbs.some((verb) => viewingVerbs.has(verb) || examining.test(verb));
}

// Scripts of the project cannot replace each other.
function isOfProject([word = "", ...others]: readonly string[], program: string): boolean {
  const runners = [interpreters, taskRunners, scriptRunners];
  return word.startsWith(".") || others[0] === "run" || runners.some((names) => names.has(program));
}

// Files and addresses: a word like `app` or `src` says too little.
function inputsOf({ launched }: Part): string[] {
  return launched
    .slice(1)
    .filter((word) => !word.startsWith("-") && !/\s/.test(word))
    .map((word) => word.replace(/^\.\//, ""))
    .filter((word) => word.includes("://") || /[\w-]{2}\.[A-Za-z]\w{0,7}$|\w\/\w/.test(word));
}

function sharesWord(failed: Part, other: Part): boolean {
  const words = new Set(failed.launched.slice(1));
  const verbs = new Set(other.families.flatMap((family) => family.split(" ")));
  const isShared = (word: string) =>
    words.has(word) && word.length > 2 && !/^-/.test(word) && !verbs.has(word);
  return other.launched.some(isShared);
}

function roleOf({ families }: Part): string {
  const verb = (families[0] ?? "").split(" ").at(-1) ?? "";
  return installs.has(verb) ? "install" : verb;
}

const installs = new Set(["install", "add", "get", "require"]);
const notFound = /not found|not recognized|No such file/i;
const examining =
  /lint|check|valid|verif|inspect|info$|probe$|dump$|^(?:identify|exiftool|strace|ltrace|gdb|lldb|ldd|nm|readelf|valgrind|perf|openssl|dig|bat|code|aspell|codespell|diff\w*)$|fmt$|format|prettier|black/i;
