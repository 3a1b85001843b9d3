// Which projects may leave this device: read from an option, or asked at a terminal.
import type { SyncAnswer, WorkerClient } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";
import { terminalLine } from "../text/terminal-text.ts";
import type { CliContext } from "./context.ts";
import type { Answers } from "./sync-answers.ts";
import { noProjects, presentProjects } from "./unknown-project.ts";
import { localDate } from "./words.ts";

/** Projects by name; `all` has new ones too. */
export type ProjectChoice = "all" | "none" | readonly string[];

/** Reads `--projects`. */
export function projectsOf(text: string): ProjectChoice {
  if (text === "all" || text === "none") return text;
  return text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/** Reads an answer with names and numbers of `names`; a sentence when one is neither. */
export function readChoice(text: string, names: readonly string[]): ProjectChoice | { problem: string } {
  const words = projectsOf(text);
  if (typeof words === "string") return words;
  const chosen = words.map((word) => (names.includes(word) ? word : names[Number(word) - 1]) ?? { word });
  const unknown = chosen.find((each) => typeof each === "object");
  if (unknown !== undefined) return { problem: `${unknown.word} is neither a project nor its number.` };
  return chosen.filter((each) => typeof each === "string");
}

/** Asks a person until the answer is one. Enter changes nothing. */
export async function askProjects(
  { io }: CliContext,
  answers: Answers,
  { projects, otherProjects }: Extract<SyncAnswer, { configured: true }>,
): Promise<ProjectChoice | undefined> {
  const names = projects.map(({ project }) => project);
  const chosen = projects.filter(({ synced }) => synced ?? otherProjects).map(({ project }) => project);
  io.err("");
  io.err("Which projects may leave this device? Private text never does.");
  for (const [at, name] of names.entries()) io.err(`  ${at + 1}  ${terminalLine(name)}`);
  const present = chosen.length === 0 ? "none" : chosen.map(terminalLine).join(", ");
  for (;;) {
    const text = await answers.ask(`Names or numbers, \`all\` (new ones too), or Enter for ${present}`, "");
    if (text === "") return undefined;
    const choice = readChoice(text, names);
    if (typeof choice === "string" || !("problem" in choice)) return choice;
    io.err(terminalLine(choice.problem));
  }
}

/** Asks whether records from before the setup may leave too. */
export async function askEarlier(answers: Answers, boundary: number): Promise<boolean> {
  const text = await answers.ask(
    `Their records from before sync was set up (${localDate(new Date(boundary))}) too? [y/N]`,
    "n",
  );
  return /^y(es)?$/i.test(text);
}

/** Throws `not_found` for the first name that no project has here. */
export async function demandProjects(context: CliContext, names: readonly string[]): Promise<void> {
  const found = await presentProjects(context.worker(), names);
  if (found.unknown.length > 0) throw noProjects(found);
}

type ChoosingWorker = Pick<WorkerClient, "chooseSync" | "projectDetails">;

/**
 * Tells the worker; earlier choices are replaced. Names that no project has here may be on the hub: they wait for `pull`.
 * Throws `not_found` for the rest, after the others are chosen.
 */
export async function chooseProjects(
  context: { worker(): ChoosingWorker },
  choice: ProjectChoice,
  pull: () => Promise<unknown>,
): Promise<void> {
  const worker = context.worker();
  if (typeof choice === "string") return await replaceChoices(worker, choice);
  if (choice.length === 0)
    throw new MemError("usage", {
      message: "--projects names no project.",
      hint: "Name projects, or use `--projects none`.",
    });
  let found = await presentProjects(worker, choice);
  // First: a pull pushes too.
  await replaceChoices(worker, found.known);
  if (found.unknown.length > 0) {
    await pull();
    found = await presentProjects(worker, choice);
  }
  for (const name of found.known) await worker.chooseSync(name, true);
  if (found.unknown.length === 0) return;
  const { message } = noProjects(found);
  throw new MemError("not_found", {
    message,
    hint: "Sync is set up. Choose a project: `mem project sync on <name>`.",
  });
}

/** Projects that are not named, and those without a choice, leave only with `all`. */
async function replaceChoices(worker: ChoosingWorker, choice: ProjectChoice): Promise<void> {
  const isAll = choice === "all";
  const named = typeof choice === "string" ? [] : choice;
  const answer = await worker.chooseSync(undefined, isAll);
  for (const { project, synced } of answer.configured ? answer.projects : [])
    if (synced === !isAll && !named.includes(project)) await worker.chooseSync(project, isAll);
}
