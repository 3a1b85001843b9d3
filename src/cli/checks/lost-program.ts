// The program that registered hooks and the MCP server start, once it is gone: mem or Node was moved or removed.
import { existsSync } from "node:fs";
import { launcherOf } from "../../hosts/hook-command.ts";
import { missingLaunchers, startedByLaunchers } from "../../hosts/launcher-files.ts";
import { findExecutable } from "../../settings/executable.ts";
import { isJsonObject } from "../../text/json.ts";
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

/** The first of the launchers that is gone. Without a command in the settings, a plugin inside the host starts them. */
export function missingLauncher({ paths }: CliContext, started: readonly string[]): string | undefined {
  const needed = started.length > 0 ? started : missingLaunchers(paths());
  return needed.find((file) => !existsSync(file));
}

/** The launchers in the handlers of hooks, whatever their fields are called. */
export function launchersIn(handlers: readonly unknown[]): string[] {
  const words = handlers.flatMap((handler) => (isJsonObject(handler) ? Object.values(handler) : []));
  return words.flatMap((word) => (typeof word === "string" ? (launcherOf(word) ?? []) : []));
}

/** `start ~/mem/dist/hook.cjs, which is gone`, after the name of what starts it. */
export function lostInWords({ path, instead }: LostProgram, verb: "start" | "starts"): string {
  const rest = instead === null ? "" : `, and use the \`${instead}\` of your PATH`;
  return `${verb} ${homePath(path)}, which is gone${rest}.`;
}

/** One line for `mem status`: what the hooks of a host start is gone; null when they work. */
export function deadHooks(context: CliContext): string | null {
  const installer = installerOf(context);
  const started = installer.withEntries().map((host) => launchersIn(installer.state(host).hooks.values));
  if (started.length === 0) return null;
  const [launcher] = started.flatMap((files) => missingLauncher(context, files) ?? []);
  const lost = launcher === undefined ? lostProgram(context) : { path: launcher, instead: null };
  if (lost === null) return null;
  return `The hooks and the MCP server ${lostInWords(lost, "start")} Run \`mem repair\`.`;
}
