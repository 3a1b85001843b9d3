// The part of OpenClaw's plugin API that the plugin uses, in all versions from 2026.4.29 to 2026.9.6.

/** A handler of the gateway's events; what is not named here is read with care, since versions differ. */
export type Handler = (event: unknown, context: unknown) => unknown;

export interface CommandContext {
  args?: string;
}

export interface Gateway {
  id?: string;
  /** Why the plugin is loaded; absent from some versions. */
  registrationMode?: string;
  /** The whole configuration of the gateway. */
  config?: unknown;
  /** Our settings, checked by the gateway against openclaw.plugin.json. */
  pluginConfig?: unknown;
  runtime?: {
    version?: string;
    /** How messages are sent to a channel; older versions have one function for each channel. */
    channel?: unknown;
  };
  logger?: Partial<Record<"debug" | "info" | "warn" | "error", (message: string) => void>>;
  on(event: string, handler: Handler): void;
  /** Handlers of tool results that can still change them; only if the manifest declares it. */
  registerAgentToolResultMiddleware?(handler: Handler, options: { runtimes: readonly string[] }): void;
  registerCommand?(command: {
    name: string;
    description: string;
    acceptsArgs: boolean;
    handler: (context: CommandContext) => Promise<{ text: string }>;
  }): void;
  registerService?(service: { id: string; start: () => void; stop: () => void }): void;
}
