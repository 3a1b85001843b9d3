// Whether the server that is set can know the model that is set.
import type { LoadedSettings } from "./load.ts";
import { settingsTable } from "./table.ts";

/** True while a server of one's own would be asked for the default model, a name of OpenRouter's. */
export function isModelForAnotherServer({ get }: Pick<LoadedSettings, "get">): boolean {
  const baseUrl = get("MEM_COMPAT_BASE_URL");
  if (baseUrl === "" || get("MEM_COMPAT_MODEL") !== settingsTable.MEM_COMPAT_MODEL.default) return false;
  return !/(^|\.)openrouter\.ai$/i.test(new URL(baseUrl).hostname);
}
