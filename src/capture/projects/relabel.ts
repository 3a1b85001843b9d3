// Renames a project, or makes two one: decided at once, its records follow behind the answer.
import { setTimeout as delay } from "node:timers/promises";
import { failOpen, MemError } from "../../core/errors.ts";
import { cleanText } from "../../privacy/clean.ts";
import type { NamedProject } from "./names.ts";

/** What the store can do; the SQLite store fits it structurally. */
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
  /** The label that the records have, or will have. */
  project: string;
  /** Records that still have the old one; they follow by themselves. */
  left: number;
}

export interface Relabel {
  rename(from: string, to: string): Promise<Relabelled>;
  merge(from: string, into: string): Promise<Relabelled>;
  /** Goes on with what a worker that ended left behind. */
  resume(): void;
  stop(): Promise<void>;
}

export function createRelabel(store: RelabelStore, onChange: () => void): Relabel {
  const { projects, projectMoves } = store;
  let moving: Promise<void> | undefined;
  let stopped = false;

  async function move(): Promise<void> {
    const done = await failOpen("relabelling records", async () => {
      while (!stopped && (await store.commit(() => projectMoves.step(movedAtOnce))));
      return true;
    });
    moving = undefined;
    // What was decided in the transaction that found nothing left has seen this one still at work.
    if (done && !stopped) resume();
  }

  function resume(): void {
    if (projectMoves.isMoving()) moving ??= move();
  }

  async function change(decide: () => string | MemError): Promise<Relabelled> {
    // A refusal is carried out of the write: one that throws would take its neighbours' transaction with it.
    const project = await store.commit(decide);
    if (project instanceof MemError) throw project;
    moving ??= move();
    const waited = new AbortController();
    await Promise.race([
      moving,
      delay(waitedMs, undefined, { signal: waited.signal }).catch(() => undefined),
    ]);
    waited.abort();
    onChange();
    return { project, left: projectMoves.left() };
  }

  /** The project of the label. One that only sessions name, as a client called it, is made. */
  function known(label: string): NamedProject | MemError {
    const today = projects.byAlias(label);
    const project = projects.byLabel(label);
    if (today === undefined && project !== undefined) return project;
    if (today === undefined && projects.labels().includes(label))
      return { id: projects.ensure(label), label };
    return new MemError("not_found", {
      message: `There is no project ${label}.`,
      hint: today === undefined ? "`mem project list` shows them all." : `It is called ${today.label} today.`,
    });
  }

  return {
    rename: (from, to) =>
      change(() => {
        const project = known(from);
        if (project instanceof MemError || from === to) return project instanceof MemError ? project : to;
        const refusal = refusalOf(to, { ...projects, id: project.id, from });
        if (refusal !== null) return refusal;
        projectMoves.rename(project.id, from, to);
        return to;
      }),
    merge: (from, into) =>
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
    resume,
    async stop() {
      stopped = true;
      await moving;
    },
  };
}

// Small enough that a batch holds up intake for a few milliseconds; what takes longer goes on behind the answer.
const movedAtOnce = 50;
const waitedMs = 2_000;

interface Renaming extends Pick<RelabelStore["projects"], "byLabel" | "byAlias" | "labels"> {
  id: number;
  from: string;
}

function refusalOf(to: string, { id, from, byLabel, byAlias, labels }: Renaming): MemError | null {
  if (cleanText(to) !== to || to.trim() !== to || /\p{Cc}/u.test(to)) {
    return refused(
      "The label holds what is not stored.",
      "Take a plain name, without a secret or white space around it.",
    );
  }
  if (to.includes(",")) {
    return refused("A label has no comma: it parts the projects of a list.", "Take a name without one.");
  }
  if (byLabel(to) !== undefined || labels().includes(to)) {
    return refused(
      `There is a project ${to} already.`,
      `To make the two one: \`mem project merge ${from} ${to}\`.`,
    );
  }
  const owner = byAlias(to);
  if (owner === undefined || owner.id === id) return null;
  return refused(`${to} is an older name of the project ${owner.label}.`, "Take another name.");
}

function refused(message: string, hint: string): MemError {
  return new MemError("conflict", { message, hint });
}
