// What MEM_WORKER_HOST and MEM_TV_TOKEN open to other machines.
import { type RemoteAccess, tokenDigest } from "../http/plugins/remote-guard.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";

/**
 * | MEM_WORKER_HOST | MEM_TV_TOKEN | other machines reach                                |
 * |-----------------|--------------|-----------------------------------------------------|
 * | loopback        | any          | nothing                                             |
 * | another address | set          | the TV page, its stream and observations, with it   |
 * | another address | not valid    | nothing                                             |
 * | another address | empty        | the whole API, with a SECURITY warning              |
 */
export function remoteAccess(settings: LoadedSettings): RemoteAccess {
  if (isLoopbackHost(settings.get("MEM_WORKER_HOST"))) return { is: "closed" };
  const token = settings.get("MEM_TV_TOKEN");
  if (token.isSet) return { is: "token", sha256: tokenDigest(token.reveal()) };
  return settings.misread.has("MEM_TV_TOKEN") ? { is: "closed" } : { is: "open" };
}
