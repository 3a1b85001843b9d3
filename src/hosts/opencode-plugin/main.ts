// The bundle that the plugin file of OpenCode loads: `mem install opencode` writes that file, with the data directory.
import { createPlugin, type Hooks, type PluginInput } from "./plugin.ts";

/** `dataDir` for another one than the default. */
export async function memPlugin(input: PluginInput, dataDir: string | null): Promise<Hooks> {
  const environment = dataDir === null ? process.env : { ...process.env, MEM_DATA_DIR: dataDir };
  return createPlugin(input, { environment }).hooks;
}
