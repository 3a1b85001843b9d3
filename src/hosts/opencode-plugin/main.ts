// The file that OpenCode loads from its plugin folder: it calls every export.
import { createPlugin, type Hooks, type PluginInput } from "./plugin.ts";

export async function MemPlugin(input: PluginInput): Promise<Hooks> {
  return createPlugin(input).hooks;
}
