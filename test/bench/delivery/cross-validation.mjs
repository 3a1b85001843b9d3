// Figures on scenarios that the numbers were not tuned on: each part is run by a product fitted on the other parts.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { deliver } from "./deliver.mjs";
import { foldOf } from "./folds.mjs";
import { scoreScenario } from "./score.mjs";
import { packageWithWeights } from "./weights.mjs";

const fitScript = new URL("fit.mjs", import.meta.url);

/**
 * The function that fits weights: from training scenarios and their set to the overrides that weights.mjs takes.
 * Undefined where no such script is there.
 */
export async function loadFit() {
  return existsSync(fileURLToPath(fitScript)) ? (await import(fitScript.href)).fit : undefined;
}

/** Scores of all `scenarios`, each by a product that saw none of its part. */
export async function tunedScores(scenarios, { fitWeights, folds, set, condition, product }) {
  const scores = [];
  for (let fold = 0; fold < folds; fold++) {
    const isHeldOut = ({ id }) => foldOf(id, folds) === fold;
    const held = scenarios.filter(isHeldOut);
    if (held.length === 0) continue;
    const overrides = await fitWeights(
      scenarios.filter((scenario) => !isHeldOut(scenario)),
      set,
    );
    const tuned = await packageWithWeights(overrides);
    try {
      const options = { set, ...condition, product: { ...product, folder: tuned.folder } };
      const injected = await deliver(held, options);
      scores.push(...held.map((scenario, at) => scoreScenario(scenario, injected[at])));
    } finally {
      tuned.remove();
    }
  }
  return scores;
}
