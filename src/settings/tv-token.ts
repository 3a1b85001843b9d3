// Whether the token of the TV page can be guessed.
import type { LoadedSettings } from "./load.ts";
import { isLoopbackHost } from "./loopback-host.ts";

// `mem tv enable` makes 43 characters.
const leastChars = 16;

interface WeakToken {
  message: string;
  /** The command to run. */
  next: string;
}

/** A warning about a short token that the user set, while other machines reach the worker; else null. */
export function weakTokenNotice(settings: LoadedSettings): WeakToken | null {
  const token = settings.reveal("MEM_TV_TOKEN");
  if (token === "" || token.length >= leastChars) return null;
  if (isLoopbackHost(settings.get("MEM_WORKER_HOST"))) return null;
  const message = `MEM_TV_TOKEN has fewer than ${leastChars} characters, so other devices can guess it.`;
  return { message, next: "mem tv disable && mem tv enable" };
}
