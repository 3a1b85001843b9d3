// Checks of generation: the queue, the provider and the embedder.
import type { Health } from "../../client/worker-client.ts";
import { vectorsInWords } from "../../core/records/vector-status.ts";
import type { Environment } from "../../settings/environment.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import type { SettingKey } from "../../settings/table.ts";
import { terminalLine } from "../../text/terminal-text.ts";
import { providerInWords, queueInWords } from "../commands/status.ts";
import { syncInWords, syncRemedy } from "../sync-lines.ts";
import { type Check, fail, ok, warn } from "./check.ts";
import { type ProviderSetup, providerSetup } from "./provider-setup.ts";

// A turn waits for its end.
const oldQueueMs = 15 * 60_000;

/** No message is old, and none has failed. */
export function checkQueue({ queue, paused }: Health): Check {
  const name = "Queue";
  const words = queueInWords(queue);
  if (queue.dead > 0) return warn(name, words, "mem queue list --failed");
  if ((queue.oldestPendingAgeMs ?? 0) <= oldQueueMs) return ok(name, words);
  return paused === null
    ? warn(name, words, "mem worker logs")
    : warn(name, `${words}, until the pause of the provider ends.`);
}

/** Device sync runs without failed operations. Null when it is not set up. */
export function checkSync({ sync }: Health): Check | null {
  if (sync === undefined) return null;
  const [words, next] = [syncInWords(sync), syncRemedy(sync)];
  return next === undefined ? ok("Sync", words) : warn("Sync", words, next);
}

interface ProviderSight {
  /** Null when no worker answers. */
  health: Health | null;
  settings: LoadedSettings;
  env: Environment;
  nowEpochMs: number;
  /** Settings that have changed since the worker started. */
  unused?: readonly SettingKey[];
}

// A user who sets one of these expects a model to write.
const choices = ["MEM_PROVIDER", "MEM_PRIMARY_AUTH_METHOD", "HOST_CLI_PATH"] as const;

/** The configured provider has what it needs and is in use. */
export function checkProvider(sight: ProviderSight): Check {
  const { health, settings, env, nowEpochMs, unused = [] } = sight;
  const name = "Provider";
  const setup = providerSetup(settings, env);
  const { how, lacks, doubt } = setup;
  const words = health === null ? settings.get("MEM_PROVIDER") : providerInWords(health, nowEpochMs);
  if (health !== null && unused.some(isOfProvider)) return afterRestart(words, settings, setup);
  const writes = health !== null && health.provider.active === health.provider.name;
  const missing = lacks !== null && (!lacks.onlyHere || !writes) ? lacks : null;
  const paused = health?.paused ?? null;
  if (paused !== null) {
    const message = `${words}. ${asSentence(paused.message)}`;
    const next = paused.next ?? missing?.next;
    if (paused.isFallback === true)
      return ok(name, next === undefined ? message : `${message.replace(/\.?$/, ".")} ${next}`);
    // Refused access needs the user; every other pause ends by itself.
    return paused.kind === "auth"
      ? fail(name, message, next ?? "mem worker logs")
      : warn(name, message, next);
  }
  const chosen = choices.some((key) => settings.source(key) !== "default");
  if (missing !== null) return lacking(`${words}: ${missing.what}.`, missing, chosen || writes);
  if (health?.budget) return warn(name, `${words}. ${asSentence(health.budget)}`, "mem cost");
  if (health !== null && !writes) {
    return lacking(`${words}. Nothing is missing any more.`, { next: "mem worker restart" }, chosen);
  }
  if (doubt !== undefined) return warn(name, `${words}: ${doubt.what}.`, doubt.next);
  return ok(name, how === null ? words : `${words}, ${how}`);
}

function isOfProvider(key: SettingKey): boolean {
  return /PROVIDER|^HOST_CLI_PATH$|^MEM_MODEL$|^MEM_(PRIMARY|SECONDARY|COMPAT)_/.test(key);
}

// The running worker still uses the old settings.
function afterRestart(words: string, settings: LoadedSettings, { how, lacks, doubt }: ProviderSetup): Check {
  const wrong = lacks ?? doubt;
  const set = settings.get("MEM_PROVIDER");
  const then = wrong === undefined ? (how === null ? "" : `, ${how}`) : `: ${wrong.what}`;
  const message = `${words}. After \`mem worker restart\` it is ${set}${then}.`;
  return warn("Provider", message, wrong?.next ?? "mem worker restart");
}

function asSentence(text: string): string {
  const line = terminalLine(text);
  return line.charAt(0).toUpperCase() + line.slice(1);
}

// `local` instead of a default that was never set up is not a fault.
function lacking(
  message: string,
  { next }: Pick<NonNullable<ProviderSetup["lacks"]>, "next">,
  isFault: boolean,
): Check {
  return isFault ? warn("Provider", message, next) : { ...ok("Provider", message), next };
}

/** Observations have vectors, or the reason why not. */
export function checkVectors({ vectors }: Pick<Health, "vectors">): Check {
  const name = "Vectors";
  if (vectors === undefined) return ok(name, "none: the worker is of an earlier version");
  const words = terminalLine(vectorsInWords(vectors));
  return vectors.state === "failing" ? warn(name, words, vectors.next ?? "mem worker logs") : ok(name, words);
}

/** MEM_PYTHON_VERSION is accepted for compatibility. */
export function checkPython(): Check {
  return ok("Python", "not needed: MEM_PYTHON_VERSION is accepted and ignored");
}
