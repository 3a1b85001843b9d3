// The bundle that the plugin file of OpenCode or Kilo CLI loads: `mem install` writes that file, with data directory and host.
import { createPlugin, type Hooks, type PluginInput } from "./plugin.ts";

/** `dataDir` for another one than the default. */
export async function memPlugin(input: PluginInput, dataDir: string | null, host?: string): Promise<Hooks> {
  const environment = dataDir === null ? process.env : { ...process.env, MEM_DATA_DIR: dataDir };
  return createPlugin(input, { environment, ...(host !== undefined && { host }) }).hooks;
}
