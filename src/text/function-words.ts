// English function words, left out of a match: each would visit most rows of a project.

/** True for a function word, in lower case. */
export function isFunctionWord(word: string): boolean {
  return functionWords.has(word);
}

const functionWords: ReadonlySet<string> = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by
  can could did do does doing done down during each either else ever every few for from further get gets getting got
  had has have having he her here hers herself him himself his how however i if in into is it its itself just let lets
  may me might more most much must my myself neither no nor not now of off on once only or other our ours ourselves out
  over own please same shall she should since so some such than that the their theirs them themselves then there these
  they this those through to too under until up upon us very was we were what when where whether which while who whom
  whose why will with would yet you your yours yourself yourselves`.split(/\s+/),
);
