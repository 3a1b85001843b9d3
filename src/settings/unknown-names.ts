// Unknown `MEM_` variables: a misspelt cap would silently be no cap.
import type { Environment } from "./environment.ts";
import { serverTable } from "./server.ts";
import { settingKeys } from "./table.ts";

const known: readonly string[] = [...Object.keys(serverTable), ...settingKeys];

// Read by hooks, our child processes, hosts with a key, and tests.
const others = /^MEM_(?:GENERATING|HOOK_CA_CERTS|TV_TOKEN|API_KEY|TEST_.*)$/;
// Kubernetes sets these for a service named `mem`.
const ofServices = /^MEM_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_(?:TCP|UDP)\w*)$/;

/** One sentence for each unknown variable with our prefix. */
export function unknownSettings(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith("MEM_") && environment[name] !== "" && !known.includes(name))
    .filter((name) => !others.test(name) && !ofServices.test(name))
    .sort()
    .map((name) => {
      const meant = nearest(name);
      return `${name} has no effect: there is no such setting.${meant === undefined ? "" : ` Is ${meant} meant?`}`;
    });
}

/** The setting that shares most letter runs; of several, the shortest. */
function nearest(name: string): string | undefined {
  const words = new Set(wordsOf(name));
  const shared = (candidate: string): number => wordsOf(candidate).filter((word) => words.has(word)).length;
  const [best] = known.toSorted((a, b) => shared(b) - shared(a) || a.length - b.length);
  return best !== undefined && shared(best) > 0 ? best : undefined;
}

// Runs of four letters match `RATELIMIT`, `RATE_LIMIT` and `RATE_LIMITS`.
function wordsOf(name: string): string[] {
  const letters = name.slice("MEM_".length).replaceAll("_", "");
  return Array.from({ length: Math.max(1, letters.length - 3) }, (_, at) => letters.slice(at, at + 4));
}
