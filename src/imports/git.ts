// Commit messages that say why: each becomes a decision, a cause or a change, with the files of the commit.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { MemError } from "../core/errors.ts";
import { contentKey } from "../core/ids.ts";
import { cleanText } from "../privacy/clean.ts";
import { concludedIn } from "../statements/concluded.ts";
import type { Statement } from "../statements/statement.ts";
import { saysLeftOpen } from "../statements/text/left-open.ts";
import { isJsonObject, type Json, type JsonObject } from "../text/json.ts";
import { type NoteSession, observationLine, sessionLine } from "./notes.ts";
import { recordStep, type Source, type SourceStep } from "./source.ts";

interface GitOptions {
  /** Newest commits at most. */
  limit: number | null;
  sinceEpochMs: number;
  labelsOf(directories: readonly string[]): Promise<string[]>;
}

/** The root of the repository around `directory`; null without one, or without a commit. */
export async function repositoryAt(directory: string): Promise<string | null> {
  const root = await line(directory, ["rev-parse", "--show-toplevel"]);
  const head = root === null ? null : await line(directory, ["rev-parse", "--verify", "HEAD"]);
  return head === null ? null : root;
}

/** The source of the repository around `directory`. Throws `not_found` outside of one. */
export async function gitSource(directory: string, options: GitOptions): Promise<Source> {
  const root = await repositoryAt(directory);
  if (root === null) {
    throw new MemError("not_found", {
      message: `${directory} is in no git repository with a commit.`,
      hint: "Name one: `mem import git PATH`.",
    });
  }
  const { limit, sinceEpochMs, labelsOf } = options;
  const selected = [
    ...(limit === null ? [] : ["-n", String(limit)]),
    ...(sinceEpochMs === 0 ? [] : [`--since=@${Math.floor(sinceEpochMs / 1_000)}`]),
  ];
  const [project = ""] = await labelsOf([root]);
  return {
    kind: "git",
    unit: "commits",
    name: root,
    key: contentKey("git", root),
    host: "git",
    project,
    size: Number(await line(root, ["rev-list", "--count", "--no-merges", ...selected, "HEAD"])),
    steps: (position) => commits({ root, project }, selected, position),
  };
}

interface Repository {
  root: string;
  /** Its label. */
  project: string;
}

const stepCommits = 200;

async function* commits(
  repository: Repository,
  selected: readonly string[],
  position: Json,
): AsyncGenerator<SourceStep> {
  const { root } = repository;
  const own = await ownCommits(root);
  const last = isJsonObject(position) && typeof position.commit === "string" ? position.commit : null;
  const isThere = last !== null && (await line(root, ["merge-base", "--is-ancestor", last, "HEAD"])) !== null;
  const range = isThere ? `${last}..HEAD` : "HEAD";
  // Parents first, so that everything behind the last commit is no ancestor of it.
  const order = ["--reverse", "--date-order", "--no-merges"];
  const words = ["log", "-z", ...order, "--name-only", `--format=${format}`, ...selected, range, "--"];
  let step = empty(last);
  for await (const commit of commitsOf(root, words)) {
    const noted = noteOf(commit, repository, own.hashes.has(commit.hash) ? own.branch : null);
    step.read += 1;
    step.lines += 1;
    if (noted === null) step.left += 1;
    else step.records.push(...noted);
    step.position = { commit: commit.hash };
    if (step.read >= stepCommits) {
      yield step;
      step = empty(commit.hash);
    }
  }
  if (step.read > 0) yield step;
}

/** The commits that only the branch of HEAD has; none on a default branch, or where none is known. */
async function ownCommits(root: string): Promise<{ branch: string | null; hashes: ReadonlySet<string> }> {
  const none = { branch: null, hashes: new Set<string>() };
  const branch = await line(root, ["symbolic-ref", "--short", "HEAD"]);
  // A pattern with brackets is not read as a folder of branches.
  const defaults = ["main", "master"].flatMap((name) => {
    const pattern = `${name.slice(0, -1)}[${name.at(-1)}]`;
    return [`--branches=${pattern}`, `--remotes=origin/${pattern}`];
  });
  const trunk = await line(root, ["rev-list", "-n", "1", ...defaults]);
  if (branch === null || trunk === null || trunk === "") return none;
  const git = gitAt(root, ["rev-list", "HEAD", "--not", ...defaults]);
  const closed = once(git, "close");
  git.stdout.setEncoding("utf8");
  let text = "";
  for await (const chunk of git.stdout as AsyncIterable<string>) text += chunk;
  const [code] = await closed;
  return code === 0 ? { branch, hashes: new Set(text.split("\n")) } : none;
}

type CommitStep = SourceStep & Required<Pick<SourceStep, "records" | "left">>;

function empty(last: string | null): CommitStep {
  const position = last === null ? null : { commit: last };
  return { ...recordStep([], { read: 0, lines: 0, position }), records: [], left: 0 };
}

interface Commit {
  hash: string;
  at: number;
  author: string;
  message: string;
  files: string[];
}

// Files follow the message, which may have any character but NUL.
const format = "commit %H %at%n%an <%ae>%n%B";
const head = /^commit ([0-9a-f]{40,64}) (\d+)\n(.*)\n/;

async function* commitsOf(root: string, words: readonly string[]): AsyncGenerator<Commit> {
  const git = gitAt(root, words);
  const closed = once(git, "close");
  git.stdout.setEncoding("utf8");
  let text = "";
  let open: Commit | null = null;
  try {
    for await (const chunk of git.stdout as AsyncIterable<string>) {
      const parts = (text + chunk).split("\0");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const read = commitIn(part);
        if (read !== null) {
          if (open !== null) yield open;
          open = read;
        } else if (part !== "" && open !== null && open.files.length < mostFiles)
          open.files.push(part.replace(/^\n/, ""));
      }
    }
    const [code] = await closed;
    if (code !== 0)
      throw new MemError("import_unreadable", { message: `git cannot read the history of ${root}.` });
    if (open !== null) yield open;
  } finally {
    git.kill();
  }
}

const mostFiles = 30;

function commitIn(part: string): Commit | null {
  const [start = "", hash, seconds, author] = head.exec(part) ?? [];
  if (hash === undefined || author === undefined) return null;
  return { hash, at: Number(seconds) * 1_000, author, message: part.slice(start.length), files: [] };
}

/** Lines of a commit that says why; null for another one. */
function noteOf(
  { hash, at, author, message, files }: Commit,
  repository: Repository,
  branch: string | null,
): JsonObject[] | null {
  const [subject = "", ...rest] = cleanText(message).trim().split("\n");
  const body = withoutTrailers(rest.join("\n"));
  if (bot.test(author) || isMachine.test(subject)) return null;
  if (body === "" && !reason.test(subject)) return null;
  const closing = body === "" ? subject : body;
  // What a commit left open may be done since.
  const statements = concludedIn({ prompt: subject, closing, previous: null, uses: [] }).filter(
    ({ text }) => !saysLeftOpen(text),
  );
  if (statements.length === 0) return null;
  const best = statements.reduce((a, b) => (b.salience > a.salience ? b : a));
  const session = sessionOf(repository, at);
  const note = observationLine(session, {
    // A rebased or picked commit has another id.
    key: `git:${contentKey(author, String(at), message)}`,
    at,
    type: typeOf(subject, statements),
    title: subject,
    subtitle: `Commit ${hash.slice(0, 10)}`,
    summary: best.text,
    text: body === "" ? subject : `${subject}\n\n${body}`,
    concepts: ["why-it-exists"],
    filesModified: files.map((file) => join(repository.root, file)),
    salience: best.salience,
    generator: "git",
    branch,
    commit: hash,
  });
  return [sessionLine(session), note];
}

// One session for the commits of a month: a context takes the newest sessions.
function sessionOf({ root, project }: Repository, at: number): NoteSession {
  const month = new Date(at).toISOString().slice(0, 7);
  const startedAt = Date.parse(`${month}-01T00:00:00Z`);
  const id = `git:${contentKey(project, month).slice(0, 32)}`;
  return { id, project, host: "git", cwd: root, title: `Commits of ${month}`, startedAt, endedAt: startedAt };
}

function typeOf(subject: string, statements: readonly Statement[]): string {
  if (/^(fix|bugfix|hotfix)\b|\bfix(es|ed)?\b/i.test(subject)) return "bugfix";
  if (/^feat(ure)?\b|^add\b/i.test(subject)) return "feature";
  if (/^refactor\b/i.test(subject)) return "refactor";
  if (statements.some(({ kind }) => kind === "cause")) return "bugfix";
  return statements.some(({ kind }) => kind === "decision") ? "decision" : "change";
}

const bot = /\[bot\]|\b(dependabot|renovate|github-actions|greenkeeper|snyk-bot|semantic-release)\b|bot@/i;
const isMachine =
  /^(Merge (branch|pull request|remote|tag)\b|bump \S+ from \S+ to |chore\(release\)|v?\d+\.\d+\.\d+$)/i;
const reason =
  /\b(because|so that|instead of|otherwise|in order to|since|due to|weil|damit|parce que|porque)\b/i;

/** The body without trailers such as `Signed-off-by:` and without quoted diffs. */
function withoutTrailers(body: string): string {
  const lines = body.trim().split("\n");
  while (lines.length > 0 && (trailer.test(lines.at(-1) ?? "") || lines.at(-1)?.trim() === "")) lines.pop();
  return lines
    .filter((each) => !trailer.test(each) && !/^This reverts commit [0-9a-f]+\.?$/.test(each))
    .join("\n")
    .trim();
}

const trailer =
  /^\s*([A-Z][A-Za-z]+(-[A-Za-z]+)+|Closes|Fixes|Refs|Issue|Bug|Change-Id|PR-URL|Fixes #?\d+)\s*:\s*\S|^\s*(closes|fixes|refs)\s+#\d+\.?\s*$|^git-svn-id:|^🤖 Generated with/i;

function gitAt(directory: string, words: readonly string[]): ChildProcessByStdio<null, Readable, null> {
  const all = ["-C", directory, "-c", "log.showSignature=false", ...words];
  return spawn("git", all, { stdio: ["ignore", "pipe", "ignore"] });
}

/** The first line of the output; null when git fails. */
function line(directory: string, words: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    const git = gitAt(directory, words);
    let text = "";
    git.stdout.setEncoding("utf8");
    git.stdout.on("data", (chunk: string) => (text += chunk));
    git.on("error", () => resolve(null));
    git.on("close", (code) => resolve(code === 0 ? (text.split("\n")[0] ?? "") : null));
  });
}
