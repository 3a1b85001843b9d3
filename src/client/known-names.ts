// A name that a user wrote where nothing was found by it: a typo is told, with the names there are.
import { terminalLine } from "../domain/terminal-text.ts";
import type { WorkerClient } from "./worker-client.ts";

const mostNames = 8;

/** A sentence that says that there is no such project, and which there are; null when it is one of them, or none is known. */
export async function unknownProject(
  worker: Pick<WorkerClient, "projects">,
  project: string,
): Promise<string | null> {
  const known = await worker.projects();
  if (known.length === 0 || known.includes(project)) return null;
  const shown = JSON.stringify(terminalLine(project).slice(0, 100));
  const names = known.slice(0, mostNames).map(terminalLine).join(", ");
  const more = known.length > mostNames ? ` and ${known.length - mostNames} more` : "";
  return `There is no project ${shown}. Known: ${names}${more}.`;
}
