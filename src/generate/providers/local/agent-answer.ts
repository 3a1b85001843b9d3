// The answer of a sub-agent without the elements that its host puts around it, such as `<tools-used-before-summary>`.
import { isJsonObject, type Json, type JsonObject } from "../../../text/json.ts";
import { parseObject } from "../../../text/json-fields.ts";

/** A response without those parts of its content that are one element and nothing else, unless all of them are. */
export function answerParts(response: Json | undefined): Json | undefined {
  const value = typeof response === "string" ? (parseObject(response) ?? response) : response;
  if (Array.isArray(value)) return withoutWrapperParts(value);
  if (!isJsonObject(value ?? null)) return value;
  const object = value as JsonObject;
  return Array.isArray(object.content) ? { ...object, content: withoutWrapperParts(object.content) } : value;
}

/** A text without elements before and after the answer; an answer that is one element as a whole is its inside. */
export function answerText(text: string): string {
  let answer = text.trim();
  for (let removed = 0; removed < mostElements; removed++) {
    const inner = withoutFirst(answer) ?? withoutLast(answer);
    if (inner === undefined) break;
    answer = inner;
  }
  return answer;
}

// A host puts one or two there; a text of nothing else must not be walked through to its end.
const mostElements = 8;

function withoutWrapperParts(parts: Json[]): Json[] {
  const content = parts.filter((part) => {
    const text = isJsonObject(part) ? part.text : part;
    return typeof text !== "string" || !isOneElement(text.trim());
  });
  return content.some((part) => hasWords(isJsonObject(part) ? part.text : part)) ? content : parts;
}

// One that is never closed is taken for an element where its tag has the first line to itself.
function isOneElement(text: string): boolean {
  const [tag, name = ""] = opening.exec(text) ?? [];
  if (tag === undefined) return false;
  const end = `</${name}>`;
  const closed = text.indexOf(end);
  return closed < 0 ? standsAlone(text, tag) : closed === text.length - end.length;
}

function withoutFirst(text: string): string | undefined {
  const [tag, name = ""] = opening.exec(text) ?? [];
  if (tag === undefined) return undefined;
  const end = `</${name}>`;
  const closed = text.indexOf(end);
  if (closed < 0) return isOfHost(name) && standsAlone(text, tag) ? text.slice(tag.length).trim() : undefined;
  const rest = text.slice(closed + end.length).trim();
  if (!hasWords(rest)) return text.slice(tag.length, closed).trim();
  return isOfHost(name) ? rest : undefined;
}

function withoutLast(text: string): string | undefined {
  const name = closing.exec(text)?.[1] ?? "";
  if (!isOfHost(name)) return undefined;
  const rest = text.slice(0, Math.max(0, text.lastIndexOf(`\n<${name}`))).trim();
  return hasWords(rest) ? rest : undefined;
}

function standsAlone(text: string, tag: string): boolean {
  return /^\s*(?:\n|$)/.test(text.slice(tag.length, tag.length + 20));
}

// An answer may begin with HTML; a component of some library has a capital letter.
function isOfHost(name: string): boolean {
  return /^[a-z]/.test(name) && !html.test(name);
}

function hasWords(text: Json | undefined): boolean {
  return typeof text === "string" && /[\p{L}\p{N}]/u.test(text);
}

const opening = /^<([A-Za-z][\w.:-]{0,80})(?:\s[^<>]{0,400})?>/;
const closing = /<\/([A-Za-z][\w.:-]{0,80})>$/;
const html =
  /^(?:a|abbr|article|aside|audio|b|blockquote|body|br|button|canvas|center|code|dd|del|details|div|dl|dt|em|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|input|ins|kbd|label|li|link|main|mark|meta|nav|ol|option|p|picture|pre|q|s|samp|script|section|select|small|span|strong|style|sub|summary|sup|svg|table|tbody|td|template|textarea|tfoot|th|thead|title|tr|u|ul|var|video)$/;
