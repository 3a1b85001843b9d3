// A memory of many projects that look alike: every record carries a word of its project that must be seen nowhere else.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "../helpers/temp-dir.ts";
import { drained, type WorkerProcess } from "../helpers/worker-process.ts";

export interface CanaryProject {
  label: string;
  cwd: string;
  /** Stands in every record, in no question: where it is seen, a record of the project is. */
  canary: string;
  /** Stands in every record and is asked for from everywhere. */
  lure: string;
  /** Ids of its observations. */
  ids: readonly number[];
}

/** Every canary that a text shows, each once. */
export function canariesIn(text: string): string[] {
  return [...new Set(text.match(/canary\d+z/g) ?? [])];
}

/** Fills the worker's memory with `count` projects; resolves when everything is generated. */
export async function fillProjects(worker: WorkerProcess, count: number): Promise<CanaryProject[]> {
  const root = tempDir();
  const projects = Array.from({ length: count }, (_, n) => {
    const label = `p${n}`;
    const cwd = join(root, label);
    mkdirSync(join(cwd, "src"), { recursive: true });
    return { label, cwd, canary: `canary${n}z`, lure: `lure${n}q` };
  });
  for (const project of projects) await fillProject(worker, project);
  await drained(worker);
  return Promise.all(
    projects.map(async (project) => ({ ...project, ids: await idsOf(worker, project.label) })),
  );
}

async function idsOf(worker: WorkerProcess, label: string): Promise<number[]> {
  const { body } = await worker.get(`/api/observations?project=${label}&limit=100`);
  return (body as { items: { id: number }[] }).items.map(({ id }) => id);
}

async function fillProject(
  worker: WorkerProcess,
  { label, cwd, canary, lure }: Omit<CanaryProject, "ids">,
): Promise<void> {
  const told = `the login redirect, ${canary} ${lure}`;
  const session = { claudeSessionId: `session of ${label}`, project: label, cwd };
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await worker.post(path, body);
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(answer)}`);
  };
  await post("/api/sessions/init", { ...session, prompt: `mend ${told}` });
  // The same files everywhere, from the root and in full.
  for (const path of ["src/login.ts", join(cwd, "src", "login.ts")]) {
    await post("/observations", {
      ...session,
      title: `Fixed ${told}`,
      obs_type: path.startsWith("/") ? "bugfix" : "decision",
      narrative: `It looped. ${told}`,
      facts: [`${canary} is a fact`],
      concepts: ["how-it-works", "what-changed", "gotcha"],
      files_modified: [path],
    });
  }
  await post("/api/sessions/observations", {
    ...session,
    tool_name: "Edit",
    tool_input: { file_path: join(cwd, "src", "login.ts"), old_string: "a", new_string: `b // ${canary}` },
    tool_response: { filePath: join(cwd, "src", "login.ts") },
  });
  await post("/api/sessions/observations", {
    ...session,
    tool_name: "Bash",
    tool_input: { command: `grep ${canary} src/login.ts` },
    tool_response: { stdout: `${canary} ${lure}`, exit_code: 0 },
  });
  await post("/api/sessions/summarize", { ...session, last_assistant_message: `Done: ${told}` });
}
