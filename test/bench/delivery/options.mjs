// The bench's options: which conditions are run, on which scenarios, and what is printed.

// The past is as good as new after 8 sessions, and behind what the start of a session shows after 24. The third is a
// project with a history: rules, causes and fixes of other scenarios compete.
const defaultConditions = [
  { noiseSessions: 8, mixed: 0 },
  { noiseSessions: 24, mixed: 0 },
  { noiseSessions: 24, mixed: 24 },
];

/** Reads the options as `npm run bench` has them. Throws on a value that means nothing. */
export function readOptions(given) {
  const only = list(given.only);
  const show = list(given.show);
  if (given.model !== undefined && given.model !== "scripted")
    throw new Error(`--model ${given.model}: the only model is "scripted"; without it, local writes`);
  return {
    conditions: conditions(given),
    wanted: only.length > 0 ? only : show,
    show,
    showsMisses: given.misses === true,
    isScripted: given.model === "scripted",
    isImported: given.imported === true,
  };
}

/** The scenarios whose kind or id is wanted; all of them where none is. */
export function selectScenarios(scenarios, wanted) {
  const chosen = scenarios.filter(({ id, kind }) => wanted.includes(id) || wanted.includes(kind));
  const unknown = wanted.filter((word) => !scenarios.some(({ id, kind }) => id === word || kind === word));
  if (unknown.length > 0) throw new Error(`no scenario or kind is called ${unknown.join(", ")}`);
  return wanted.length === 0 ? scenarios : chosen;
}

function conditions(given) {
  const noise = given["noise-sessions"];
  if (noise === undefined && given.mixed === undefined) return defaultConditions;
  return [
    {
      noiseSessions: noise === undefined ? 24 : count("noise-sessions", noise, 0),
      mixed: given.mixed === undefined ? 0 : count("mixed", given.mixed, 0),
    },
  ];
}

function count(name, text, least) {
  const value = Number(text);
  if (!Number.isInteger(value) || value < least)
    throw new Error(`--${name} ${text}: expected a whole number from ${least}`);
  return value;
}

function list(text) {
  return text === undefined ? [] : text.split(",").filter((word) => word !== "");
}
