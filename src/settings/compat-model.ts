// Checks whether the configured server can know the configured model.
import type { LoadedSettings } from "./load.ts";
import { settingsTable } from "./table.ts";

/** True if a server other than OpenRouter would be asked for the default model, an OpenRouter name. */
export function isModelForAnotherServer({ get }: Pick<LoadedSettings, "get">): boolean {
  const baseUrl = get("MEM_COMPAT_BASE_URL");
  if (baseUrl === "" || get("MEM_COMPAT_MODEL") !== settingsTable.MEM_COMPAT_MODEL.default) return false;
  return !/(^|\.)openrouter\.ai$/i.test(new URL(baseUrl).hostname);
}
