// What `mem doctor` says of who writes observations, and of what waits for them.
import type { Health } from "../../client/worker-client.ts";
import { terminalLine } from "../../domain/terminal-text.ts";
import { loadGatewayCredentials } from "../../settings/env-file.ts";
import type { LoadedSettings } from "../../settings/load.ts";
import { providerInWords, queueInWords } from "../commands/status.ts";
import { type Check, fail, ok, warn } from "./check.ts";

const oldQueueMs = 5 * 60_000;

/** What waits is young, and nothing was given up. */
export function checkQueue({ queue, paused }: Health): Check {
  const name = "Queue";
  const words = queueInWords(queue);
  if (queue.dead > 0) return warn(name, words, "mem queue list --failed");
  if ((queue.oldestPendingAgeMs ?? 0) <= oldQueueMs) return ok(name, words);
  return paused === null
    ? warn(name, words, "mem worker logs")
    : warn(name, `${words}, until the provider goes on.`);
}

/** The provider that the user chose has what it needs, and is the one that writes. */
export function checkProvider(health: Health | null, settings: LoadedSettings, nowEpochMs: number): Check {
  const name = "Provider";
  const { how, lacks } = configured(settings);
  const words = health === null ? settings.get("MEM_PROVIDER") : providerInWords(health, nowEpochMs);
  const paused = health?.paused ?? null;
  if (paused !== null) {
    const message = `${words}. ${terminalLine(paused.message)}`;
    // A provider that refuses access waits for the user; every other pause ends by itself.
    return paused.kind === "auth"
      ? fail(name, message, paused.next ?? "mem worker logs")
      : warn(name, message, paused.next ?? undefined);
  }
  const chosen = settings.source("MEM_PROVIDER") !== "default";
  if (lacks !== null && (chosen || health?.provider.active === health?.provider.name)) {
    return warn(name, `${words}: ${lacks.what}.`, lacks.next);
  }
  if (health?.budget) return warn(name, `${words}. ${terminalLine(health.budget)}`, "mem cost");
  // That `local` stands in for a default that nobody has set up is no fault.
  const standsIn = health !== null && health.provider.name !== health.provider.active;
  if (standsIn) return chosen ? warn(name, words, "mem worker logs") : ok(name, words);
  return ok(name, how === null ? words : `${words}, ${how}`);
}

/** How the provider is paid for, and what it lacks; null where there is nothing to say. */
interface Configured {
  how: string | null;
  lacks: { what: string; next: string } | null;
}

function configured(settings: LoadedSettings): Configured {
  const provider = settings.get("MEM_PROVIDER");
  switch (provider) {
    case "local":
      return { how: "without a model", lacks: null };
    case "primary":
      return configuredPrimary(settings);
    case "secondary":
      return {
        how: "with its key",
        lacks: settings.get("MEM_SECONDARY_API_KEY").isSet ? null : noKey("MEM_SECONDARY_API_KEY"),
      };
    case "compat": {
      const { isSet } = settings.get("MEM_COMPAT_API_KEY");
      // A server of one's own may need no key; the public one does.
      const isOwn = settings.get("MEM_COMPAT_BASE_URL") !== "";
      return {
        how: isOwn ? "at an address of your own" : "with its key",
        lacks: isSet || isOwn ? null : noKey("MEM_COMPAT_API_KEY"),
      };
    }
    default:
      return provider satisfies never;
  }
}

function configuredPrimary(settings: LoadedSettings): Configured {
  const method = settings.get("MEM_PRIMARY_AUTH_METHOD");
  const { dotEnv } = settings.paths;
  switch (method) {
    case "subscription":
      return { how: "by your subscription", lacks: null };
    case "gateway":
      // Its address is looked at with the settings.
      return { how: "through a gateway", lacks: null };
    case "api-key":
      return {
        how: "with an API key",
        lacks: loadGatewayCredentials(dotEnv).apiKey.isSet
          ? null
          : { what: "it has no key", next: `Write LLM_API_KEY=... to ${dotEnv}, then mem worker restart` },
      };
    default:
      return method satisfies never;
  }
}

function noKey(key: string): NonNullable<Configured["lacks"]> {
  return { what: "it has no key", next: `mem settings set ${key} <key> && mem worker restart` };
}
