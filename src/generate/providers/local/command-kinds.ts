// What a simple command is for, and which files it reads and writes.
import { joinPath, type Segment } from "../../../domain/command-line.ts";

export type CommandKind =
  | "commit"
  | "test"
  | "check"
  | "install"
  | "git"
  | "write"
  | "network"
  | "run"
  | "search"
  | "read"
  | "trivial";

/** What a segment is for. */
export function commandKind(segment: Segment): CommandKind {
  const { program, words, writes } = segment;
  const line = words.join(" ");
  if (program === "git") return gitKind(words);
  for (const { pattern, kind } of kinds) {
    if (pattern.test(program === words[0] ? line : [program, ...words.slice(1)].join(" "))) return kind;
  }
  if (program === "sed") return editsInPlace(segment) ? "write" : "read";
  const simple = simpleKinds.get(program);
  if (
    writes.some((path) => !path.startsWith("/dev/")) &&
    (simple === "read" || simple === "trivial" || program === "")
  )
    return "write";
  return simple ?? "run";
}

/** Whether a command that succeeded only looked, waited or prepared: nobody wants to be told of it later. */
export function isRoutineCommand({ program, words }: Segment, kind: CommandKind): boolean {
  if (kind === "read" || kind === "search" || kind === "trivial") return true;
  if (program === "git") return routineGit.has(gitVerb(words));
  const line = [program, ...words.slice(1)].join(" ");
  return asksProgram.test(line) || (kind === "run" && statusCommand.test(line));
}

/** The segment that a command line is about: what changes most, the first of equals. */
export function mainSegment(segments: readonly Segment[]): Segment | undefined {
  let best: Segment | undefined;
  for (const segment of segments) {
    if (best === undefined || weight(segment) > weight(best)) best = segment;
  }
  return best;
}

// Making a directory or a mark prepares something else.
function weight(segment: Segment): number {
  return preparing.has(segment.program) ? 1 : weights[commandKind(segment)];
}

/** The files that the segments read and write, as named; patterns and variables are left to `paths` to drop. */
export function commandFiles(segments: readonly Segment[]): { read: string[]; written: string[] } {
  const read: string[] = [];
  const written: string[] = [];
  for (const segment of segments) {
    const at = (path: string) => joinPath(segment.directory, path);
    written.push(...segment.writes.map(at), ...writtenBy(segment).map(at));
    read.push(...readBy(segment).map(at));
  }
  return { read, written };
}

/** The words that are neither options nor their values. */
export function operands({ words }: Segment, valueOptions: ReadonlySet<string> = new Set()): string[] {
  const kept: string[] = [];
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? "";
    if (valueOptions.has(word)) index += 1;
    else if (!word.startsWith("-") || word === "-") kept.push(word);
  }
  return kept;
}

function gitKind(words: readonly string[]): CommandKind {
  const verb = gitVerb(words);
  if (verb === "commit") return "commit";
  if (verb === "grep") return "search";
  return gitLooks.has(verb) ? "read" : "git";
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

function writtenBy(segment: Segment): string[] {
  const files = operands(segment);
  switch (segment.program) {
    case "mv":
    case "rm":
    case "touch":
    case "tee":
    case "truncate":
    case "unlink":
      return files;
    case "cp":
    case "ln":
      return files.slice(-1);
    case "chmod":
    case "chown":
      return files.slice(1);
    case "sed":
      if (!editsInPlace(segment)) return [];
      return segment.words.includes("-e") ? operands(segment, sedScripts) : files.slice(1);
    case "git":
      return gitMoves.has(gitVerb(segment.words)) ? files.slice(1) : [];
    default:
      return [];
  }
}

function readBy(segment: Segment): string[] {
  const { program } = segment;
  if (program === "cp") return operands(segment).slice(0, -1);
  if (!readers.has(program)) return [];
  if (program === "head" || program === "tail") return operands(segment, lineCounts);
  if (program === "sed") {
    if (editsInPlace(segment)) return [];
    return segment.words.includes("-e") ? operands(segment, sedScripts) : operands(segment).slice(1);
  }
  return scripted.has(program) ? operands(segment).slice(1) : operands(segment);
}

function editsInPlace({ words }: Segment): boolean {
  return words.some((word) => inPlace.test(word));
}

const weights: Record<CommandKind, number> = {
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

/** One row for each family of commands, tried in order on the words joined by blanks. */
const kinds: readonly { pattern: RegExp; kind: CommandKind }[] = [
  { kind: "test", pattern: new RegExp(`^${script} (?:t|test|tests|test[:_-]\\S+|e2e|coverage)(?: |$)`) },
  {
    kind: "test",
    pattern: new RegExp(
      `^${runner}(?:vitest|jest|mocha|ava|tap|pytest|unittest|tox|nox|rspec|phpunit|ctest|playwright test|cypress run|nextest|behave|pest)(?: |$)`,
    ),
  },
  {
    kind: "test",
    pattern:
      /^(?:go|cargo|dotnet|swift|deno|mix|sbt|bazel|make|just|gradlew?|mvnw?|flutter|zig|rake|rails|bin\/rails) (?:\S+ )?(?:n?test|check)(?: |$)/,
  },
  { kind: "test", pattern: /^node (?:\S+ )*--test(?: |$)|^python3? manage\.py test|^bun test/ },
  {
    kind: "install",
    pattern:
      /^(?:npm|pnpm|yarn|bun) (?:i|install|add|ci|remove|uninstall|rm|up|update|upgrade)(?: |$)|^yarn$/,
  },
  {
    kind: "install",
    pattern:
      /^(?:python3? -m )?(?:pip3?|pipx|uv|uv pip|poetry|conda|gem|brew|apt|apt-get|dnf|apk|cargo|composer|bundle|go|dotnet|flutter pub) (?:-\S+ )*(?:install|add|get|sync|require|remove|uninstall)(?: |$)/,
  },
  {
    kind: "check",
    pattern: new RegExp(
      `^${script} (?:build|lint|check|typecheck|type-check|types|format|fmt|compile)(?:[:_-]\\S+)?(?: |$)`,
    ),
  },
  {
    kind: "check",
    pattern: new RegExp(
      `^${runner}(?:tsc|vue-tsc|eslint|biome|oxlint|prettier|stylelint|knip|ruff|mypy|pyright|flake8|black|pylint|isort|golangci-lint|rubocop|shellcheck|hadolint|webpack|rollup|esbuild|tsup|vite build|next build|turbo)(?: |$)`,
    ),
  },
  {
    kind: "check",
    pattern:
      /^(?:go|cargo|dotnet|swift|mix|sbt|zig|gradlew?|mvnw?|flutter|terraform) (?:\S+ )?(?:build|vet|check|clippy|fmt|compile|analyze|validate|package|assemble)(?: |$)/,
  },
  { kind: "check", pattern: /^(?:make|cmake|ninja|gcc|g\+\+|clang|javac|rustc|just)(?: |$)/ },
  { kind: "network", pattern: /^(?:curl|wget|http|https|xh)(?: |$)/ },
];

const simpleKinds = new Map<string, CommandKind>(
  (
    [
      ["read", "cat head tail less more bat nl wc jq awk stat file diff cut sort uniq tr column xxd"],
      ["search", "grep egrep rg ag ack find fd ls tree du"],
      ["write", "mv cp rm mkdir rmdir touch tee ln chmod chown truncate unlink"],
      [
        "trivial",
        "cd echo printf export set unset true false : sleep pwd source . wait test [ [[ exit which type for in read pushd popd umask trap shopt xargs",
      ],
    ] satisfies [CommandKind, string][]
  ).flatMap(([kind, names]) => names.split(" ").map((name): [string, CommandKind] => [name, kind])),
);

const preparing = new Set(["mkdir", "touch", "chmod", "chown"]);
const gitLooks = new Set(
  "status log diff show blame branch remote ls-files rev-parse describe reflog shortlog config tag".split(
    " ",
  ),
);
const routineGit = new Set(["add", "fetch"]);
const statusCommand =
  /^(?:ps|top|df|free|uptime|date|whoami|id|hostname|uname|env|printenv|lsof|netstat|ss|pgrep|jobs|history|realpath|dirname|basename)(?: |$)|^(?:docker|podman|kubectl|systemctl|journalctl|npm|pnpm|yarn|pip3?|cargo|go|brew|apt)(?: compose)? (?:ps|images|logs|get|describe|status|ls|list|view|info|show|outdated|tree|env|version|search|inspect)(?: |$)/;
const asksProgram = /^\S+(?: \S+)? (?:--version|--help|-h|-V)$/;
const readers = new Set("cat head tail less more bat nl wc sed jq awk diff stat file".split(" "));
const scripted = new Set(["jq", "awk"]);
const lineCounts = new Set(["-n", "-c", "--lines", "--bytes"]);
const sedScripts = new Set(["-e", "-f"]);
const gitMoves = new Set(["rm", "mv", "restore"]);
const inPlace = /^-[a-zA-Z]*i|^--in-place/;
