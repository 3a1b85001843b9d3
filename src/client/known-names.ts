// A name that a user wrote where nothing was found by it: a typo is told, with the names there are.
import { noSuchProject } from "../core/records/known-names.ts";
import type { WorkerClient } from "./worker-client.ts";

/** A sentence that says that there is no such project, and which there are; null when it is one of them, or none is known. */
export async function unknownProject(
  worker: Pick<WorkerClient, "projects">,
  project: string,
): Promise<string | null> {
  return noSuchProject(project, await worker.projects());
}
