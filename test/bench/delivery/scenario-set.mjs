// A set of delivery scenarios: one JSON file for each, and noise.json with sessions of unrelated work.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";

export const kinds = ["rule", "preference", "cause", "decision", "fix", "state", "superseded", "quiet"];

/** When memory can reach the agent, in the order of a session. */
export const moments = ["start", "prompt", "action"];

const noiseFile = "noise.json";

/** Folders of the sets below `data`: the folder itself, or its subfolders with scenarios. */
export function setFolders(data) {
  const folder = resolve(data);
  if (scenarioFiles(folder).length > 0) return [folder];
  const found = readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isDirectory() && scenarioFiles(path).length > 0);
  if (found.length === 0)
    throw new Error(`${data} holds no scenarios: pass a folder with <kind>-<nn>.json files`);
  return found;
}

/** Reads a set. Throws with every fault: a scenario that cannot be met would count as a miss of the product. */
export function loadScenarioSet(folder) {
  const noise = readIfThere(join(folder, noiseFile))?.sessions ?? [];
  const scenarios = scenarioFiles(folder).map((name) => readScenario(folder, name));
  const faults = scenarios.flatMap((scenario) => scenarioFaults(scenario, noise));
  if (faults.length > 0) throw new Error(`${folder} has faults:\n  ${faults.join("\n  ")}`);
  return { name: basename(folder), scenarios, noise };
}

/** True where `source`, a regular expression of a scenario, matches. */
export function matches(source, text) {
  return new RegExp(source, "is").test(text);
}

/** All text of some sessions: prompts, tool uses with their results, closings. */
export function transcript(sessions) {
  return sessions
    .flatMap(({ turns }) => turns)
    .flatMap(({ prompt, did = [], closing }) => [prompt, ...did.map(textOfUse), closing])
    .join("\n\n");
}

/** What is wrong with one scenario, a line each. */
function scenarioFaults(scenario, noise) {
  const { id, kind, past, now, need, never } = scenario;
  const fault = (text) => `${id}: ${text}`;
  if (!kinds.includes(kind)) return [fault(`unknown kind ${kind}`)];
  if (past.length === 0 || past.some(({ turns }) => turns.some(isIncomplete)))
    return [fault("every turn of the past needs a prompt, a closing, and a tool and an input for each use")];
  if ((kind === "quiet") !== (need.length === 0)) return [fault("a need belongs to every kind but quiet")];
  const sources = [...need.flatMap(({ all }) => all), ...never];
  const broken = sources.filter((source) => !isPattern(source));
  if (broken.length > 0) return broken.map((source) => fault(`no regular expression: ${source}`));
  const told = transcript(past);
  const other = transcript(noise);
  const given = [other, now.prompt, now.before ? textOfUse(now.before) : ""].join("\n");
  return [
    ...need.flatMap(({ at, all }) => needFaults({ at, all, now, told, given })),
    ...never.filter((source) => matches(source, other)).map((source) => `the noise holds /${source}/`),
  ].map(fault);
}

function needFaults({ at, all, now, told, given }) {
  if (!moments.includes(at)) return [`unknown moment ${at}`];
  if (at === "action" && !now.before) return ["a need at the action, and no action"];
  const absent = all.filter((source) => !matches(source, told)).map((source) => `the past lacks /${source}/`);
  const isGiven = all.every((source) => matches(source, given));
  return [...absent, ...(isGiven ? [`noise and prompt meet the need alone: ${all.join(" ")}`] : [])];
}

function isIncomplete({ prompt, did = [], closing }) {
  return !prompt || typeof closing !== "string" || did.some(({ tool, input }) => !tool || !input);
}

function isPattern(source) {
  try {
    return matches(source, "") !== undefined;
  } catch {
    return false;
  }
}

// Regular expressions are written for the text itself, not for its JSON.
function textOfUse({ input, output = "", error = "" }) {
  const given = JSON.stringify(input).replaceAll("\\n", "\n").replaceAll('\\"', '"');
  return `${given}\n${output}\n${error}`;
}

function scenarioFiles(folder) {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".json") && name !== noiseFile)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
}

function readScenario(folder, name) {
  const scenario = readJson(join(folder, name));
  const id = basename(name, ".json");
  return { lang: "en", past: [], need: [], never: [], ...scenario, id };
}

function readIfThere(path) {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readJson(path);
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${cause.message}`, { cause });
  }
}
