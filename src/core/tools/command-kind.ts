// Classifies simple commands: test, build, install, read, write and so on.

import type { Segment } from "./command-line.ts";
import { byName, setOf } from "./name-lists.ts";

export type CommandKind = keyof typeof weights;

export function commandKind(segment: Segment): CommandKind {
  const { program, words, writes } = segment;
  if (program === "git") return gitKind(words);
  const line = [program, ...words.slice(1)].join(" ");
  const family = kinds.find(({ pattern }) => pattern.test(line));
  if (family !== undefined) return family.kind;
  if (program === "sed") return editsInPlace(segment) ? "write" : "read";
  const simple = simpleKinds.get(program);
  const mayWrite = simple === "read" || simple === "trivial" || program === "";
  return mayWrite && writes.some((path) => !path.startsWith("/dev/")) ? "write" : (simple ?? "run");
}

/** True for a command that only reads, waits or prepares: not worth a record when it succeeds. */
export function isRoutineCommand(
  { program, words }: Pick<Segment, "program" | "words">,
  kind: CommandKind,
): boolean {
  if (kind === "read" || kind === "search" || kind === "trivial") return true;
  if (program === "git") return routineGit.has(gitVerb(words));
  const line = [program, ...words.slice(1)].join(" ");
  return asksProgram.test(line) || (kind === "run" && statusCommand.test(line));
}

/** The segment that a command line is about: the one that changes most, the first of equals. */
export function mainSegment(segments: readonly Segment[]): Segment | undefined {
  return segments.toSorted((a, b) => weight(b) - weight(a))[0];
}

// `mkdir` and `touch` prepare another command.
function weight(segment: Segment): number {
  return preparing.has(segment.program) ? 1 : weights[commandKind(segment)];
}

function gitKind(words: readonly string[]): CommandKind {
  const verb = gitVerb(words);
  if (verb === "commit") return "commit";
  if (verb === "grep") return "search";
  return gitLooks.has(verb) || (gitLists.has(verb) && onlyLists(words, verb)) ? "read" : "git";
}

// `git tag` lists, `git tag v1` makes one.
function onlyLists(words: readonly string[], verb: string): boolean {
  const rest = words.slice(words.indexOf(verb) + 1);
  const asks = rest.some((word) => listing.test(word));
  return (
    asks ||
    rest.every((word) => word.startsWith("-") && !/^-[dDmM]$|^--(?:delete|move|unset|edit)/.test(word))
  );
}

/** `commit` of `git -C dir commit`. */
export function gitVerb(words: readonly string[]): string {
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (word === "-C" || word === "-c") index += 1;
    else if (!word.startsWith("-")) return word;
  }
  return "";
}

/** True for a command whose exit code 1 means "no": grep, diff, test. */
export function answersWithExitCode({ program, words }: Pick<Segment, "program" | "words">): boolean {
  return answering.has(program) || (program === "git" && words.some((word) => gitAnswer.test(word)));
}

/** True for a `sed` that changes its files. */
export function editsInPlace({ words }: Segment): boolean {
  return words.some((word) => inPlace.test(word));
}

/** Kinds of commands; a higher number changes more. */
const weights = {
  commit: 9,
  test: 8,
  check: 7,
  install: 6,
  git: 6,
  network: 5,
  run: 5,
  write: 4,
  search: 3,
  read: 3,
  trivial: 0,
};

const script = "(?:npm|pnpm|yarn|bun)(?: -\\S+)*(?: run(?:-script)?)?(?: -\\S+)*";
const runner =
  "(?:(?:npx|pnpx|bunx|uvx)(?: -\\S+)* |(?:pnpm|yarn|npm)(?: exec| dlx)?(?: --)? |(?:uv|poetry|pipenv) run |bundle exec |python3? -m )?";

/** Families of commands, tried in order on the words joined by blanks. */
const kinds = Object.entries({
  test: [
    `${script} (?:t|test|tests|test[:_-]\\S+|e2e|coverage)(?: |$)`,
    `${runner}(?:vitest|jest|mocha|ava|tap|pytest|unittest|tox|nox|rspec|phpunit|ctest|playwright test|cypress run|nextest|behave|pest)(?: |$)`,
    "(?:go|cargo|dotnet|swift|deno|mix|sbt|bazel|make|just|gradlew?|mvnw?|flutter|zig|rake|rails|bin/rails) (?:\\S+ )?(?:n?test|check)(?: |$)",
    "node (?:\\S+ )*--test(?: |$)|python3? manage\\.py test|bun test",
  ],
  install: [
    "(?:npm|pnpm|yarn|bun) (?:i|install|add|ci|remove|uninstall|rm|up|update|upgrade)(?: |$)|yarn$",
    "(?:python3? -m )?(?:pip3?|pipx|uv|uv pip|poetry|conda|gem|brew|apt|apt-get|dnf|apk|cargo|composer|bundle|go|dotnet|flutter pub) (?:-\\S+ )*(?:install|add|get|sync|require|remove|uninstall)(?: |$)",
  ],
  check: [
    `${script} (?:build|lint|check|typecheck|type-check|types|format|fmt|compile)(?:[:_-]\\S+)?(?: |$)`,
    `${runner}(?:tsc|vue-tsc|eslint|biome|oxlint|prettier|stylelint|knip|ruff|mypy|pyright|flake8|black|pylint|isort|golangci-lint|rubocop|shellcheck|hadolint|webpack|rollup|esbuild|tsup|vite build|next build|turbo)(?: |$)`,
    "(?:go|cargo|dotnet|swift|mix|sbt|zig|gradlew?|mvnw?|flutter|terraform) (?:\\S+ )?(?:build|vet|check|clippy|fmt|compile|analyze|validate|package|assemble)(?: |$)",
    "(?:make|cmake|ninja|gcc|g\\+\\+|clang|javac|rustc|just)(?: |$)",
  ],
  network: ["(?:curl|wget|http|https|xh)(?: |$)"],
} satisfies Partial<Record<CommandKind, string[]>>).map(([kind, families]) => ({
  kind: kind as CommandKind,
  pattern: new RegExp(`^(?:${families.join("|")})`),
}));

const simpleKinds = byName({
  read: "cat head tail less more bat nl wc jq awk stat file diff cut sort uniq tr column xxd",
  search: "grep egrep rg ag ack find fd ls tree du",
  write: "mv cp rm mkdir rmdir touch tee ln chmod chown truncate unlink apply_patch patch",
  trivial:
    "cd echo printf export set unset true false : sleep pwd source . wait test [ [[ exit which type for in read pushd popd umask trap shopt xargs",
} satisfies Partial<Record<CommandKind, string>>);

const preparing = new Set(["mkdir", "touch", "chmod", "chown"]);
const gitLooks = setOf("status log diff show blame ls-files rev-parse describe reflog shortlog");
const gitLists = new Set(["branch", "remote", "config", "tag"]);
const listing = /^(?:-l|--list|--get(?:-\w+)?|show|get-url)$/;
const routineGit = new Set(["add", "fetch"]);
const statusCommand =
  /^(?:ps|top|df|free|uptime|date|whoami|id|hostname|uname|env|printenv|lsof|netstat|ss|pgrep|jobs|history|realpath|dirname|basename)(?: |$)|^(?:docker|podman|kubectl|systemctl|journalctl|npm|pnpm|yarn|pip3?|cargo|go|brew|apt)(?: compose)? (?:ps|images|logs|get|describe|status|ls|list|view|info|show|outdated|tree|env|version|search|inspect)(?: |$)/;
const asksProgram = /^\S+(?: \S+)? (?:--version|--help|-h|-V)$/;
const inPlace = /^-[a-zA-Z]*i|^--in-place/;
const answering = setOf("grep egrep rg ag ack diff cmp test [ [[ pgrep which");
const gitAnswer = /^(?:grep|--exit-code)$/;
