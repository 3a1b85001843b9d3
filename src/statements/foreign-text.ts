// A prompt without what its user pasted or quoted. A first version: code blocks and quoted lines.

export function ownWords(prompt: string): string {
  return prompt
    .replace(/```[\s\S]*?(?:```|$)/g, "")
    .split("\n")
    .filter((line) => !line.startsWith(">"))
    .join("\n");
}
