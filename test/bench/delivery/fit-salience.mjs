// Fits the weights of salience (src/statements/salience.ts) on training scenarios: logistic regression with L2.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { importBundle } from "../bundle.mjs";
import { root } from "../worker.mjs";
import { matches } from "./scenario-set.mjs";

const module = "src/statements/salience.ts";

/**
 * Weights under which the sentences that the new sessions need stand out from all others of the same pasts, as
 * overrides for weights.mjs. Thresholds and the ranking at the prompt keep the numbers of the source.
 */
export async function fitSalience(scenarios) {
  const product = await salienceModule();
  const examples = scenarios.flatMap((scenario) => examplesOf(scenario, product));
  return [
    { constant: "closingModel", isOfPrompt: false },
    { constant: "promptModel", isOfPrompt: true },
  ].map(({ constant, isOfPrompt }) => {
    const own = examples.filter((example) => example.isOfPrompt === isOfPrompt);
    const weights = fitWeights(own, product[constant].length);
    return {
      module,
      constant,
      values: Object.fromEntries(weights.map((weight, row) => [row, { 0: weight }])),
    };
  });
}

// What the module keeps to itself is exported for this bundle alone.
function salienceModule() {
  const source = readFileSync(join(root, module), "utf8");
  const code = `${source}
    export { closingModel, promptModel, closingCuesOf, promptCuesOf };
    export { typedParts } from "../core/tools/typed-text.ts";
    export { sentencesOf } from "./text/sentences.ts";`;
  return importBundle("salience", code, join(root, "src", "statements"));
}

/** The sentences of a scenario's past with their traits, and whether a need asks for them. */
function examplesOf({ past, need }, product) {
  const sentences = past.flatMap(({ turns }) =>
    turns.flatMap((turn, at) => sentencesOfTurn(turn, at > 0, product)),
  );
  const needed = new Set(need.flatMap(({ all }) => tellingSentences(sentences, all)));
  return sentences.map((sentence) => ({ ...sentence, isNeeded: needed.has(sentence) ? 1 : 0 }));
}

function sentencesOfTurn({ prompt, did = [], closing }, isFollowUp, product) {
  const turn = {
    uses: did.length,
    ofProblem: product.tellsOfProblem(prompt),
    afterAgreement: product.promptCuesOf(prompt).has("agreement"),
  };
  const said = product.sentencesOf(product.typedParts(prompt).typed);
  const ofPrompt = said.map((sentence) => ({
    isOfPrompt: true,
    text: sentence.text,
    traits: traitsOf(product.promptModel, {
      text: sentence.text,
      isFollowUp,
      sentences: said.length,
      cues: product.promptCuesOf(sentence.text),
    }),
  }));
  const ofClosing = product.sentencesOf(closing).map((sentence) => ({
    isOfPrompt: false,
    text: sentence.text,
    traits: traitsOf(product.closingModel, {
      ...sentence,
      ...turn,
      cues: product.closingCuesOf(sentence.text),
    }),
  }));
  return [...ofPrompt, ...ofClosing];
}

// One number per row of the model; the first row is the base.
function traitsOf(model, sentence) {
  return model.map(([, traitOf]) => Number(traitOf(sentence)));
}

// Those that hold the whole fact; where it is spread over several, all that hold a part.
function tellingSentences(sentences, sources) {
  const whole = sentences.filter(({ text }) => sources.every((source) => matches(source, text)));
  if (whole.length > 0) return whole;
  return sentences.filter(({ text }) => sources.some((source) => matches(source, text)));
}

const steps = 3_000;
const pace = 0.25;
// Of a thousand examples; the base is not held down.
const penalty = 10;

// Weights in the order of the model: the most likely ones under a normal prior. Gradient descent, because the sets are
// small.
function fitWeights(examples, length) {
  const weights = Array(length).fill(0);
  for (let step = 0; step < steps; step++) {
    const gradient = weights.map((weight, index) =>
      index === 0 ? 0 : (penalty * weight) / Math.max(1_000, examples.length),
    );
    for (const { traits, isNeeded } of examples) {
      const logit = traits.reduce((sum, value, index) => sum + value * weights[index], 0);
      const wrong = (1 / (1 + Math.exp(-logit)) - isNeeded) / examples.length;
      for (const [index, value] of traits.entries()) gradient[index] += wrong * value;
    }
    for (const [index, slope] of gradient.entries()) weights[index] -= pace * slope;
  }
  return weights.map((weight) => Math.round(weight * 100) / 100);
}
