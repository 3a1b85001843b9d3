// Reads a batch prompt as a model does: the numbered messages, and the parts that are quoted between marked tags.

/** `{ messages: [{ number, head, parts }], summarized: numbers }`; `parts` maps a name such as `user` to its text. */
export function readBatchPrompt(prompt) {
  const mark = /^The mark of this request is (\S+)\.$/m.exec(prompt)?.[1];
  if (mark === undefined) throw new Error("the prompt names no mark");
  // A quotation is taken whole, so a line inside it is never a message. Parts before the first one are the session's.
  const parts = new RegExp(`^\\[(\\d+)\\] (.*)$|^<(\\w+) ${mark}>\\n?([^]*?)\\n?</\\3 ${mark}>$`, "gm");
  const messages = [];
  for (const [, number, head, name, text] of prompt.matchAll(parts)) {
    if (number !== undefined) messages.push({ number: Number(number), head, parts: {} });
    else if (messages.length > 0) messages.at(-1).parts[name] = text;
  }
  const summarized = messages.filter(({ head }) => head === "SUMMARIZE").map(({ number }) => number);
  return { messages, summarized };
}
