// Whether the right memory reaches the agent before it acts: `npm run bench -- delivery --data <folder>`. The options
// and the form of a scenario are in README.md beside this file.
import { deliver } from "./delivery/deliver.mjs";
import { createIdealReader } from "./delivery/ideal-reader.mjs";
import { readOptions, selectScenarios } from "./delivery/options.mjs";
import { loadScenarioSet, setFolders } from "./delivery/scenario-set.mjs";
import { scoreScenario } from "./delivery/score.mjs";
import { startScriptedModel } from "./delivery/scripted-model.mjs";
import { kindTable, missLines, momentTable, quietLine, scenarioLines } from "./delivery/table.mjs";
import { gatedFigures } from "./delivery/targets.mjs";
import { countRecords, modelFigures } from "./delivery/written-records.mjs";

export async function run({ say, data, ...given }) {
  if (data === undefined) throw new Error("delivery needs --data <folder of scenarios>");
  const options = readOptions(given);
  const figures = [];
  for (const set of setFolders(data).map(loadScenarioSet)) {
    for (const condition of options.conditions)
      figures.push(...(await runCondition({ say, set, condition, options })));
  }
  return figures;
}

async function runCondition({ say, set, condition, options }) {
  const scenarios = selectScenarios(set.scenarios, options.wanted);
  const title = titleOf(set, condition, options);
  const started = performance.now();
  const { injected, figures } = await deliverBy(scenarios, { set, condition, title, options });
  const scores = scenarios.map((scenario, at) => scoreScenario(scenario, injected[at]));
  say(`${title} (${scenarios.length} scenarios, ${Math.round((performance.now() - started) / 1000)} s)`);
  for (const line of reportLines(scores, options)) say(`  ${line}`);
  for (const [at, scenario] of scenarios.entries()) {
    if (!options.show.includes(scenario.id)) continue;
    for (const line of scenarioLines(scenario, scores[at], injected[at])) say(`  ${line}`);
  }
  // Targets are for whole sets.
  if (scenarios.length < set.scenarios.length) return figures;
  return [...gatedFigures(scores, { set: set.name, title, isMixed: condition.mixed > 0 }), ...figures];
}

// Records of a scripted model have separate figures.
async function deliverBy(scenarios, { set, condition, title, options: { isScripted, isImported } }) {
  if (!isScripted)
    return { injected: await deliver(scenarios, { set, ...condition, isImported }), figures: [] };
  const model = await startScriptedModel(createIdealReader(set.scenarios));
  const figures = [];
  const inspect = ({ dataDir }) => figures.push(...modelFigures(countRecords(dataDir), title));
  try {
    const injected = await deliver(scenarios, {
      ...{ set, ...condition, isImported },
      ...{ product: { env: model.env }, inspect },
    });
    return { injected, figures };
  } finally {
    model.close();
  }
}

function reportLines(scores, { showsMisses }) {
  return [
    ...kindTable(scores),
    "",
    ...momentTable(scores),
    "",
    quietLine(scores),
    ...(showsMisses ? missLines(scores) : []),
  ];
}

function titleOf({ name }, { noiseSessions, mixed }, { isScripted, isImported }) {
  const past = isImported ? ", imported" : "";
  const writer = isScripted ? ", scripted model" : "";
  const others = mixed === 0 ? "" : ` and ${mixed} of other scenarios`;
  return `${name}${writer}${past}, ${noiseSessions} unrelated sessions${others} in between`;
}
