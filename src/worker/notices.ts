// What the user must be told: a damaged database, hooks of another version, an open address, settings that do not fit.
import type { MemError } from "../errors.ts";
import type { LoadedSettings } from "../settings/load.ts";
import { isLoopbackHost } from "../settings/loopback-host.ts";
import { version } from "../version.ts";
import { installNotice } from "./install-version.ts";
import { damageNotice } from "./open-store.ts";

export interface Notices {
  /** All of them, for health, status and doctor. */
  all(): string[];
  /** The one that is shown at the start of a session, or null. */
  first(): string | null;
}

/** `storageFailure` is why writes fail, null while they do not. */
export function createNotices(settings: LoadedSettings, storageFailure: () => MemError | null): Notices {
  const { paths } = settings;

  function all(): string[] {
    const found = [
      storageNotice(storageFailure()),
      damageNotice(paths.database),
      installNotice(paths.installVersion, version()),
      openAddressNotice(),
    ];
    return found.filter((notice) => notice !== null);
  }

  // Other devices reach nothing in any case; the address is still worth a word.
  function openAddressNotice(): string | null {
    const host = settings.get("MEM_WORKER_HOST");
    if (isLoopbackHost(host)) return null;
    if (settings.get("MEM_TV_TOKEN").isSet) return null;
    return `SECURITY mem: the worker is bound to ${host} without MEM_TV_TOKEN. Set the token, or MEM_WORKER_HOST back to 127.0.0.1.`;
  }

  return { all, first: () => all()[0] ?? null };
}

function storageNotice(failure: MemError | null): string | null {
  if (failure === null) return null;
  const next = failure.code === "storage_full" ? "Free some space" : "Run `mem doctor`";
  return `mem: what happens cannot be written down. ${failure.message} ${next}: what finds no place until then is lost.`;
}
