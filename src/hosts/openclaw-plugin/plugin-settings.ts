// The plugin's settings in openclaw.json, with their defaults. openclaw.plugin.json describes the same.
import { isJsonObject } from "../../text/json.ts";
import { objectField, textField, textsField } from "../../text/json-fields.ts";

export interface PluginSettings {
  /** Label of the project of all sessions; null for the project of the agent's workspace. */
  project: string | null;
  /** Whether context is injected. */
  injects: boolean;
  /** Ids of agents that get no context. */
  notInto: readonly string[];
  /** Null for the worker of the data directory. */
  workerPort: number | null;
  /** Null for MEM_DATA_DIR or ~/.mem. */
  dataDir: string | null;
  feed: FeedSettings;
}

export interface FeedSettings {
  enabled: boolean;
  /** A messaging channel of the gateway, or "". */
  channel: string;
  /** Whom it sends to there, or "". */
  to: string;
}

/** Reads the settings. The gateway has checked them; whatever has another shape here counts as not set. */
export function readPluginSettings(given: unknown): PluginSettings {
  const settings = isJsonObject(given) ? given : {};
  const feed = objectField(settings, "observationFeed");
  const { workerPort } = settings;
  const isPort = typeof workerPort === "number" && Number.isInteger(workerPort) && workerPort > 0;
  return {
    project: textField(settings, "project").trim() || null,
    injects: settings.syncMemoryFile !== false,
    notInto: textsField(settings, "syncMemoryFileExclude"),
    workerPort: isPort && workerPort < 65_536 ? workerPort : null,
    dataDir: textField(settings, "dataDir").trim() || null,
    feed: { enabled: feed.enabled === true, channel: textField(feed, "channel"), to: textField(feed, "to") },
  };
}
