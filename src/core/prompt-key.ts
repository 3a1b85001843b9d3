// Keys of prompts: a delivery of a prompt is known by the host's id of the event and the text that the host sent.
import { contentKey } from "./ids.ts";
import { shortenPrompt } from "./shorten.ts";

interface SentText {
  private: boolean;
  /** Empty when the prompt is private. */
  text: string;
}

/** Key of a text as the host sent it. */
export function sentTextKey({ private: isPrivate, text }: SentText): string {
  return contentKey(String(isPrivate), asSpooled(text)).slice(0, textKeyChars);
}

/** The event key with the key of its text. `sessions.forIntake` finds it by the id in front. */
export function deliveryKey(eventKey: string, sent: SentText): string {
  return `${eventKey}:${sentTextKey(sent)}`;
}

/** The delivery key of a stored prompt; the key of an edited one names its first text. */
export function storedDeliveryKey(stored: {
  event_key: string;
  private: 0 | 1;
  prompt_text: string;
}): string {
  const { event_key, private: isPrivate, prompt_text: text } = stored;
  return canNameText(event_key) ? event_key : deliveryKey(event_key, { private: isPrivate === 1, text });
}

/** Whether a key looks like a delivery key. An id of a host that does is stored with the key of its text. */
export function canNameText(eventKey: string): boolean {
  return namesText.test(eventKey);
}

/** What remains of a deleted prompt: a key of the host's session and the delivery. */
export function deletedPromptKey(claudeSessionId: string, delivery: string): string {
  return contentKey(claudeSessionId, delivery);
}

/** The same without the session: a host copies prompts into the transcript of a resumed session. */
export function deletedDeliveryKey(delivery: string): string {
  return contentKey("delivery", delivery);
}

/** The same for a prompt that its host gave no id: the session and the text. Others have it at other times. */
export function deletedTextKey(claudeSessionId: string, delivery: string): string {
  return contentKey("text", claudeSessionId, delivery.slice(-textKeyChars));
}

/** Whether the host gave no id for the prompt: the key is a hash of the event, which its transcript does not have. */
export function isHashedKey(eventKey: string): boolean {
  return hashed.test(eventKey);
}

/** The hook cuts longer texts before it spools them: a prompt that arrives both ways is one. */
export function asSpooled(text: string): string {
  return shortenPrompt(text, maxSpooledChars);
}

const textKeyChars = 16;
const namesText = new RegExp(`:[0-9a-f]{${textKeyChars}}$`);
const hashed = /^[0-9a-f]{64}/;
const maxSpooledChars = 65_536;
