// Renames or merges projects. The decision is one transaction; records follow in batches after the answer.
import { setTimeout as delay } from "node:timers/promises";
import { failOpen, MemError } from "../../core/errors.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { NamedProject } from "./names.ts";

interface RelabelStore {
  commit<T>(write: () => T): Promise<T>;
  projects: {
    byLabel(label: string): NamedProject | undefined;
    byAlias(label: string): NamedProject | undefined;
    labels(): string[];
    ensure(label: string): number;
  };
  projectMoves: {
    rename(id: number, from: string, to: string): void;
    merge(from: NamedProject, into: NamedProject): void;
    step(limit: number): boolean;
    left(): number;
    isMoving(): boolean;
  };
}

export interface Relabelled {
  /** The new label of the records. */
  project: string;
  /** Records that still have the old label; they follow in the background. */
  left: number;
}

export type Relabel = ReturnType<typeof createRelabel>;

export function createRelabel(store: RelabelStore, onChange: () => void) {
  const { projects, projectMoves } = store;
  let moving: Promise<void> | undefined;
  let stopped = false;

  async function move(): Promise<void> {
    const done = await failOpen("relabelling records", async () => {
      while (!stopped && (await store.commit(() => projectMoves.step(batchSize))));
      return true;
    });
    moving = undefined;
    // A change during the last step saw this move running and did not start its own.
    if (done && !stopped) resume();
  }

  function resume(): void {
    if (projectMoves.isMoving()) moving ??= move();
  }

  async function change(decide: () => string | MemError): Promise<Relabelled> {
    // Refusals are returned: a throw would roll back other writes of the same transaction.
    const project = await store.commit(decide);
    if (project instanceof MemError) throw project;
    moving ??= move();
    const waited = new AbortController();
    await Promise.race([
      moving,
      delay(maxWaitMs, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
    waited.abort();
    onChange();
    return { project, left: projectMoves.left() };
  }

  /** The project of the label. A label that only sessions have gets a project. */
  function known(label: string): NamedProject | MemError {
    const today = projects.byAlias(label);
    const project = projects.byLabel(label);
    if (today === undefined && project !== undefined) return project;
    if (today === undefined && projects.labels().includes(label))
      return { id: projects.ensure(label), label };
    return new MemError("not_found", {
      message: `No project named \`${label}\`.`,
      hint:
        today === undefined
          ? "List projects: `mem project list`."
          : `It was renamed to \`${today.label}\`. List projects: \`mem project list\`.`,
    });
  }

  return {
    rename: (from: string, to: string) =>
      change(() => {
        const project = known(from);
        if (project instanceof MemError || from === to) return project instanceof MemError ? project : to;
        const refusal = refusalOf(to, { ...projects, id: project.id, from });
        if (refusal !== null) return refusal;
        projectMoves.rename(project.id, from, to);
        return to;
      }),
    merge: (from: string, into: string) =>
      change(() => {
        const source = known(from);
        if (source instanceof MemError) return source;
        const target = known(into);
        if (target instanceof MemError) return target;
        if (source.id === target.id)
          return refused("A project cannot be merged into itself.", "Name two projects.");
        projectMoves.merge(source, target);
        return into;
      }),
    /** Continues moves that an ended worker left. */
    resume,
    async stop() {
      stopped = true;
      await moving;
    },
  };
}

// A batch blocks intake for a few milliseconds.
const batchSize = 50;
const maxWaitMs = 2_000;

interface Renaming extends Pick<RelabelStore["projects"], "byLabel" | "byAlias" | "labels"> {
  id: number;
  from: string;
}

function refusalOf(to: string, { id, from, byLabel, byAlias, labels }: Renaming): MemError | null {
  if (cleanText(to) !== to || to.trim() !== to || /\p{Cc}/u.test(to)) {
    return refused(
      "The label contains text that is not stored.",
      "Choose a plain name without secrets, control characters and surrounding white space.",
    );
  }
  if (to.includes(",")) {
    return refused(
      "A label cannot contain a comma, which separates projects in a list.",
      "Choose a name without a comma.",
    );
  }
  if (byLabel(to) !== undefined || labels().includes(to)) {
    return refused(
      `There is a project \`${to}\` already.`,
      `Merge the two: \`mem project merge ${from} ${to}\`.`,
    );
  }
  const owner = byAlias(to);
  if (owner === undefined || owner.id === id) return null;
  return refused(`\`${to}\` is an older name of project \`${owner.label}\`.`, "Choose another name.");
}

function refused(message: string, hint: string): MemError {
  return new MemError("conflict", { message, hint });
}
