// Figures on scenarios that the numbers were not tuned on: each part is run by a product fitted on the other parts.
import { deliver } from "./deliver.mjs";
import { fitSalience } from "./fit-salience.mjs";
import { foldOf } from "./folds.mjs";
import { scoreScenario } from "./score.mjs";
import { packageWithWeights } from "./weights.mjs";

/**
 * Scores of all `scenarios`, each by a product that saw none of its part. The other parts of all `sets` train it, as the
 * numbers of the source were fitted on all of them.
 */
export async function tunedScores(scenarios, { folds, set, sets, condition }) {
  const scores = [];
  for (let fold = 0; fold < folds; fold++) {
    const isHeldOut = ({ id }) => foldOf(id, folds) === fold;
    const held = scenarios.filter(isHeldOut);
    if (held.length === 0) continue;
    const training = sets.flatMap((each) => each.scenarios).filter((scenario) => !isHeldOut(scenario));
    const tuned = await packageWithWeights(await fitSalience(training));
    try {
      const injected = await deliver(held, { set, ...condition, product: { folder: tuned.folder } });
      scores.push(...held.map((scenario, at) => scoreScenario(scenario, injected[at])));
    } finally {
      tuned.remove();
    }
  }
  return scores;
}
