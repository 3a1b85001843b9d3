// The error for a project that no record has: most are typos.
import type { WorkerClient } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";
import { noSuchProject } from "../core/records/known-names.ts";
import { terminalLine } from "../text/terminal-text.ts";

/** The error for a sentence that says that there is no such project. */
export function noProject(message: string): MemError {
  return new MemError("not_found", { message, hint: "List projects: `mem project list`." });
}

/** Present names of projects with records, by these or their former names; and the names that no such project has. */
export async function presentProjects(
  worker: Pick<WorkerClient, "projectDetails">,
  names: readonly string[],
): Promise<{ known: string[]; unknown: string[]; all: string[] }> {
  const { projects } = await worker.projectDetails();
  const filled = projects.filter(({ sessions, observations }) => sessions + observations > 0);
  const found = names.map((name) => ({
    name,
    project: filled.find((one) => one.project === name || one.aliases.includes(name))?.project,
  }));
  return {
    known: found.flatMap(({ project }) => project ?? []),
    unknown: found.flatMap(({ name, project }) => (project === undefined ? [name] : [])),
    all: filled.map(({ project }) => project),
  };
}

/** The error for names of `--projects` or `--project` that no project has. */
export function noProjects({
  unknown,
  all,
}: {
  unknown: readonly string[];
  all: readonly string[];
}): MemError {
  const [first = ""] = unknown;
  const message =
    noSuchProject(first, all) ?? `No project named \`${terminalLine(first)}\`: the memory has none yet.`;
  return noProject(message);
}

/** Throws `not_found` when no record has the project; for commands that found nothing in it. */
export async function refuseUnknownProject(worker: WorkerClient, project: string | undefined): Promise<void> {
  const unknown = project === undefined ? null : await worker.unknownProject(project);
  if (project === undefined || unknown === null) return;
  // Not among those with sessions: a former name, or a project with rules only.
  const { projects } = await worker.projectDetails();
  if (projects.some((one) => one.project === project || one.aliases.includes(project))) return;
  throw noProject(unknown);
}
