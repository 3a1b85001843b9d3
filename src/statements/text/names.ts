// Finds names in a text: code spans, paths, identifiers, flags. Findings have them, small talk does not.

/** Distinct names, as written, at most 12. */
export function namesIn(text: string): string[] {
  const names = new Set<string>();
  for (const [, span] of text.matchAll(codeSpan)) if (span !== undefined) names.add(span.trim());
  for (const word of text.replace(codeSpan, " ").split(/[\s,;:!?()«»"“”]+/)) {
    if (word.length > longestName) continue;
    const bare = word.replace(/^['‘]|['’.]+$/g, "");
    if (bare.length > 2 && isName(bare)) names.add(bare);
  }
  return [...names].slice(0, 12);
}

export function codeSpansIn(text: string): number {
  return text.match(codeSpan)?.length ?? 0;
}

// A path, a file, an identifier with inner capitals, underscores or digits, a flag, a call, or an acronym.
function isName(word: string): boolean {
  return (
    /^(?:\.{0,2}\/)?[\w@.*-]+\/[\w@./*-]*$/.test(word) ||
    /^[\w-]+\.[a-z]{1,5}$/i.test(word) ||
    /^[a-z]+[A-Z]\w*(?:\(\))?$/.test(word) ||
    /^[A-Z][a-z]+[A-Z]\w*$/.test(word) ||
    /^\w+_\w+$/.test(word) ||
    /^--?[a-z][\w-]+$/.test(word) ||
    /^\w+\(\)$/.test(word) ||
    /^[A-Z]{2,}\d*$/.test(word) ||
    /^(?=.*\d)(?=.*[a-zA-Z])[\w.-]+$/.test(word)
  );
}

const longestName = 80;
const codeSpan = /`([^`\n]{1,160})`/g;
