// Sends a message to a messaging channel of the gateway.
import { isJsonObject } from "../../text/json.ts";
import type { Gateway } from "./gateway.ts";
import type { FeedSettings } from "./plugin-settings.ts";

/** Throws when the gateway has no such channel, or the channel does not take the message. */
export async function sendToChannel(
  { runtime, config }: Gateway,
  { channel, to }: Pick<FeedSettings, "channel" | "to">,
  text: string,
): Promise<void> {
  const channels = runtime?.channel;
  const adapter = await adapterOf(channels, channel);
  const sendText = methodOf(adapter, "sendText");
  if (sendText !== undefined) {
    await sendText({ cfg: config, to, text });
    return;
  }
  const send = olderSender(channels, channel);
  if (send === undefined) throw new Error(`the gateway has no channel ${channel}`);
  await send(to, text, { cfg: config });
}

type Method = (...given: unknown[]) => unknown;

async function adapterOf(channels: unknown, channel: string): Promise<unknown> {
  const load = methodOf(memberOf(channels, "outbound"), "loadAdapter");
  return load === undefined ? undefined : load(channel);
}

// `runtime.channel.telegram.sendMessageTelegram(to, text)`
function olderSender(channels: unknown, channel: string): Method | undefined {
  const of = memberOf(channels, channel);
  if (!isJsonObject(of)) return undefined;
  const name = Object.keys(of).find((each) => /^sendMessage/.test(each));
  return name === undefined ? undefined : methodOf(of, name);
}

function memberOf(object: unknown, name: string): unknown {
  return isJsonObject(object) ? object[name] : undefined;
}

function methodOf(object: unknown, name: string): Method | undefined {
  const method: unknown = memberOf(object, name);
  return typeof method === "function" ? (...given) => method.apply(object, given) : undefined;
}
