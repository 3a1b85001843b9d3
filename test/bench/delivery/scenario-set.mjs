// A set of delivery scenarios: one JSON file for each, and noise.json with sessions of unrelated work.
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";

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

/** Reads a set, as it was checked where it was written. */
export function loadScenarioSet(folder) {
  const noise = readIfThere(join(folder, noiseFile))?.sessions ?? [];
  const scenarios = scenarioFiles(folder).map((name) => readScenario(folder, name));
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
