// The known host agents, by name.
import { MemError } from "../core/errors.ts";
import type { JsonObject } from "../text/json.ts";
import { terminalLine } from "../text/terminal-text.ts";
import { claudeCode, claudeCodeRecipe } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { copilotCli } from "./copilot-cli.ts";
import { cursor } from "./cursor.ts";
import { geminiCli } from "./gemini-cli.ts";
import type { Host } from "./host-event.ts";
import type { InstallRecipe } from "./install-recipe.ts";
import { openclaw } from "./openclaw.ts";
import { opencode } from "./opencode.ts";

interface KnownHost {
  host: Host;
  recipe: InstallRecipe;
}

const known: ReadonlyMap<string, KnownHost> = new Map([
  ["claude-code", { host: claudeCode, recipe: claudeCodeRecipe }],
]);

/** Names of the known hosts. */
export const hostNames: readonly string[] = [...known.keys()];

/** The decoder and renderer of a host. Throws `host_unknown`. */
export function hostNamed(name: string): Host {
  if (name === openclaw.name) return openclaw;
  return knownHost(name).host;
}

const decoders: readonly Host[] = [claudeCode, codex, geminiCli, copilotCli, cursor, opencode, openclaw];

/** The host that sent `payload` to the hook of host `name`: hosts run hooks of others. Undefined for an unknown name. */
export function hostOf(name: string, payload: JsonObject): Host | undefined {
  return (
    decoders.find((host) => host.isSender?.(payload) === true) ?? decoders.find((host) => host.name === name)
  );
}

/** The hooks and files of a host. Throws `host_unknown`. */
export function recipeOf(name: string): InstallRecipe {
  return knownHost(name).recipe;
}

function knownHost(name: string): KnownHost {
  const found = known.get(name);
  if (found !== undefined) return found;
  throw new MemError("host_unknown", {
    message: `No host agent named \`${terminalLine(name).slice(0, 60)}\`.`,
    hint: `Known hosts: ${hostNames.join(", ")}.`,
  });
}
