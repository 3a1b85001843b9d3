// The program that registered hooks and the MCP server start, once it is gone: mem or Node was moved or removed.
import { existsSync } from "node:fs";
import { startedByLaunchers } from "../../hosts/launcher-files.ts";
import { findExecutable } from "../../settings/executable.ts";
import type { CliContext } from "../context.ts";
import { installerOf } from "../host-settings.ts";
import { homePath } from "../words.ts";

export interface LostProgram {
  path: string;
  /** The command on PATH that the launchers start instead; null when nothing starts. */
  instead: "mem" | "node" | null;
}

/** What the launchers would start, if it is gone; else null. */
export function lostProgram({ environment, paths }: CliContext): LostProgram | null {
  const started = startedByLaunchers(paths());
  const onPath = <T extends "mem" | "node">(name: T) =>
    findExecutable(environment, name) === null ? null : name;
  if (started === null) {
    const instead = onPath("mem");
    return instead === null ? { path: paths().hookRuntime, instead } : null;
  }
  if (!existsSync(started.bundle)) return { path: started.bundle, instead: onPath("mem") };
  return existsSync(started.node) ? null : { path: started.node, instead: onPath("node") };
}

/** `start ~/mem/dist/hook.cjs, which is gone`, after the name of what starts it. */
export function lostInWords({ path, instead }: LostProgram, verb: "start" | "starts"): string {
  const rest = instead === null ? "" : `, and use the \`${instead}\` of your PATH`;
  return `${verb} ${homePath(path)}, which is gone${rest}.`;
}

/** One line for `mem status`: hooks of a host start nothing; null when they work. */
export function deadHooks(context: CliContext): string | null {
  const lost = lostProgram(context);
  if (lost === null || lost.instead !== null || installerOf(context).withEntries().length === 0) return null;
  return `The hooks and the MCP server ${lostInWords(lost, "start")} Run \`mem repair\`.`;
}
