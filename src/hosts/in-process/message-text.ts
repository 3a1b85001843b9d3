// Texts in the messages of a host, in the form that OpenClaw and Pi share.
import { isJsonObject, type Json, type JsonObject } from "../../text/json.ts";
import { objectsField, textField } from "../../text/json-fields.ts";

/** The text of a message's content. */
export function textIn(content: Json | undefined): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .filter(isJsonObject)
    .map((part) => textField(part, "text") || (part.type === "text" ? "" : `[${textField(part, "type")}]`))
    .filter((text) => text !== "")
    .join("\n");
}

/** What the role said last in the messages of an event; empty if nothing. */
export function lastText(event: JsonObject, role: string): string {
  const messages = Array.isArray(event.messages) ? event.messages : [];
  const last = messages.findLast(
    (message) => isJsonObject(message) && message.role === role && spokenIn(message) !== "",
  );
  return isJsonObject(last) ? spokenIn(last) : "";
}

// Without calls of tools and thoughts.
function spokenIn(message: JsonObject): string {
  if (typeof message.content === "string") return message.content.trim();
  return objectsField(message, "content")
    .filter(({ type }) => type === "text")
    .map((part) => textField(part, "text"))
    .join("\n")
    .trim();
}
