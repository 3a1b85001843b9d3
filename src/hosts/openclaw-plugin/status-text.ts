// The texts of /mem_status and /mem_feed.
import { failOpenSync } from "../../core/errors.ts";
import { isJsonObject, type JsonObject } from "../../text/json.ts";
import { objectField, textField } from "../../text/json-fields.ts";
import type { OutboxCounts } from "../in-process/outbox.ts";
import { reasonOf } from "../in-process/worker-link.ts";
import type { FeedState } from "./feed.ts";
import type { PluginSettings } from "./plugin-settings.ts";

export interface PluginState {
  version: string;
  /** The worker's health as it answered, or why it did not. */
  worker: { health: string } | { failed: Parameters<typeof reasonOf>[0] };
  settings: PluginSettings;
  isConversationAllowed: boolean;
  pluginId: string;
  sessions: number;
  outbox: OutboxCounts;
  feed: FeedState;
}

/** What works, and what to do about the rest. */
export function statusText(state: PluginState): string {
  const { settings, outbox, feed } = state;
  return [
    `mem ${state.version} for OpenClaw`,
    `Worker: ${workerLine(state.worker)}`,
    `Conversation access: ${accessLine(state)}`,
    `Project: ${settings.project ?? "of the agent's workspace"}`,
    `Context: ${contextLine(settings)}`,
    `Events: ${outbox.sent} sent, ${outbox.waiting} waiting, ${outbox.spooled} spooled, ${outbox.dropped} dropped; ${state.sessions} sessions`,
    `Feed: ${feedText(settings, feed)}`,
  ].join("\n");
}

/** One line on the feed. */
export function feedText({ feed: { channel, to } }: PluginSettings, state: FeedState): string {
  if (channel === "" || to === "") {
    return "off. Set observationFeed.channel and observationFeed.to in the plugin's settings to use it.";
  }
  if (!state.isOn) return "off. `/mem_feed on` turns it on until the gateway restarts.";
  const failed = state.failed === 0 ? "" : `, ${state.failed} not delivered`;
  const link = state.isConnected ? "connected" : "not connected, trying again";
  return `on, to ${channel} ${to}, ${link}; ${state.sent} sent${failed}`;
}

function workerLine(worker: PluginState["worker"]): string {
  if ("failed" in worker) {
    return `not reached: ${reasonOf(worker.failed)}. Events are spooled. Run \`mem doctor\`.`;
  }
  const parsed = failOpenSync("read health", (): unknown => JSON.parse(worker.health));
  const health: JsonObject = isJsonObject(parsed) ? parsed : {};
  const { depth } = objectField(health, "queue");
  const queue = typeof depth === "number" ? `, ${depth} in its queue` : "";
  return `${textField(health, "status") || "ok"}, version ${textField(health, "version") || "unknown"}${queue}`;
}

function accessLine({ isConversationAllowed, pluginId }: PluginState): string {
  return isConversationAllowed
    ? "allowed"
    : `not allowed, so prompts, summaries and context are off. Set plugins.entries.${pluginId}.hooks.allowConversationAccess to true and restart the gateway.`;
}

function contextLine({ injects, notInto }: PluginSettings): string {
  if (!injects) return "off (syncMemoryFile is false)";
  return notInto.length === 0 ? "on" : `on, except for ${notInto.join(", ")}`;
}
