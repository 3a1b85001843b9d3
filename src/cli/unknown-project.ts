// The error for a project that no record has: most are typos.
import type { WorkerClient } from "../client/worker-client.ts";
import { MemError } from "../core/errors.ts";

/** The error for a sentence that says that there is no such project. */
export function noProject(message: string): MemError {
  return new MemError("not_found", { message, hint: "List projects: `mem project list`." });
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
