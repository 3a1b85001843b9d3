// Fits the weights of the fusion (src/recall/fusion.ts) on the development sets, and says what they are worth on parts
// that they were not fitted on. `npm run bench -- fit --data <folder>`; the weights printed last go into the source.

import { join } from "node:path";
import { loadSets } from "./retrieval-data.mjs";
import { mean, measure, renderMeasures } from "./retrieval-measures.mjs";
import { productModules, writeDocuments } from "./retrieval-store.mjs";
import { benchHome } from "./worker.mjs";

const folds = 3;

export async function run({ say, data }) {
  if (data === undefined) throw new Error("fit needs --data <folder>");
  const product = await productModules();
  const names = Object.keys(product.signalWeights);
  const home = benchHome();
  try {
    const examples = gather(product, loadSets(data), join(home.dataDir, "fit.db"), names);
    const sets = [...new Set(examples.map(({ set }) => set))];
    const weights = names.map((name) => product.signalWeights[name]);
    report(say, "the weights of the source", sets, examples, () => weights);
    const held = Array.from({ length: folds }, (_, fold) =>
      fitWeights(
        examples.filter((example) => example.fold !== fold),
        names.length,
      ),
    );
    report(say, `cross-validated, ${folds} folds`, sets, examples, ({ fold }) => held[fold]);
    const fitted = fitWeights(examples, names.length);
    report(say, "fitted on all (not held out)", sets, examples, () => fitted);
    say(names.map((name, index) => `${name}: ${fitted[index].toFixed(2)}`).join(", "));
    return [];
  } finally {
    home.remove();
  }
}

// Each question with its candidates: the signals of each in one row, and which of them are relevant.
function gather(product, sets, file, names) {
  const db = product.openDatabase(file, { product: "0.0.0", now: 0 });
  db.pragma("synchronous = off");
  const store = product.createStore(db);
  const port = product.createCandidates(db);
  const examples = [];
  for (const { name: set, documents, queries } of sets) {
    const keys = writeDocuments({ db, store }, documents);
    const projects = [...new Set(queries.map(({ project }) => project))];
    for (const [number, { text, project, relevant, before }] of queries.entries()) {
      const scope = [product.projectToken(store.projects.find(project))];
      const filter = {
        project,
        obs_type: null,
        concepts: [],
        files: [],
        dateStart: null,
        dateEnd: before ? before - 1 : null,
      };
      const gathered = product.gatherCandidates(port, {
        words: text,
        filter,
        scope,
        vectors: { state: "off" },
      });
      const wanted = new Set(relevant);
      const signals = product.signalsOf(gathered);
      // As the search does: who only stands beside an answer is not one.
      const kept = gathered.candidates
        .map((candidate, index) => ({
          key: keys.get(candidate.id),
          signals: signals[index],
          id: candidate.id,
        }))
        .filter((one) => one.signals.coverage > 0 || gathered.own.has(one.id));
      examples.push({
        set,
        // Whole conversations are held out, not questions about ones that were fitted on.
        fold: (projects.length > 1 ? projects.indexOf(project) : number) % folds,
        keys: kept.map(({ key }) => key),
        relevant,
        hits: kept.map(({ key }) => (wanted.has(key) ? 1 : 0)),
        rows: kept.map((one) => Float64Array.from(names, (name) => one.signals[name])),
      });
    }
  }
  product.closeDatabase(db);
  return examples;
}

function report(say, title, sets, examples, weightsOf) {
  say(title);
  const rows = sets.map((set) => ({
    name: set,
    values: mean(examples.filter((one) => one.set === set).map((one) => worth(one, weightsOf(one)))),
  }));
  for (const line of renderMeasures(rows)) say(`  ${line}`);
}

function worth({ rows, keys, relevant }, weights) {
  const scores = rows.map((row) => dot(row, weights));
  const order = [...keys.keys()].sort((a, b) => scores[b] - scores[a]);
  return measure(
    order.map((index) => keys[index]),
    relevant,
  );
}

// Listwise: minus the logarithm of the softmax share of the relevant candidates, the sets weighing the same, and a
// penalty on what a weight does over its signal's spread. Adam, because it needs no line search.
function fitWeights(examples, size) {
  const usable = examples.filter(({ hits }) => hits.includes(1));
  const counts = new Map();
  for (const { set } of usable) counts.set(set, (counts.get(set) ?? 0) + 1);
  const shareOf = ({ set }) => 1 / counts.get(set) / counts.size;
  const spread = spreads(usable, size);
  const weights = new Float64Array(size);
  const first = new Float64Array(size);
  const second = new Float64Array(size);
  for (let step = 1; step <= steps; step++) {
    const gradient = Float64Array.from(weights, (weight, index) => penalty * weight * spread[index] ** 2);
    for (const example of usable) addGradient(gradient, example, weights, shareOf(example));
    for (let index = 0; index < size; index++) {
      const scaled = gradient[index] / (spread[index] || 1);
      first[index] = 0.9 * first[index] + 0.1 * scaled;
      second[index] = 0.99 * second[index] + 0.01 * scaled ** 2;
      const move = first[index] / (1 - 0.9 ** step) / (Math.sqrt(second[index] / (1 - 0.99 ** step)) + 1e-9);
      weights[index] -= ((pace * (1 - step / (steps + 1))) / (spread[index] || 1)) * move;
    }
  }
  return weights;
}

const steps = 200;
const pace = 0.05;
const penalty = 0.02;

function addGradient(gradient, { rows, hits }, weights, share) {
  const scores = rows.map((row) => dot(row, weights));
  const highest = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - highest));
  const all = powers.reduce((sum, power) => sum + power, 0);
  const relevant = hits.reduce((sum, hit) => sum + hit, 0);
  for (const [index, row] of rows.entries()) {
    const wrong = share * (powers[index] / all - hits[index] / relevant);
    for (let signal = 0; signal < row.length; signal++) gradient[signal] += wrong * row[signal];
  }
}

function spreads(examples, size) {
  const sums = new Float64Array(size);
  const squares = new Float64Array(size);
  let count = 0;
  for (const { rows } of examples) {
    for (const row of rows) {
      count += 1;
      for (let index = 0; index < size; index++) {
        sums[index] += row[index];
        squares[index] += row[index] ** 2;
      }
    }
  }
  return sums.map((sum, index) => Math.sqrt(squares[index] / count - (sum / count) ** 2));
}

function dot(row, weights) {
  let sum = 0;
  for (let index = 0; index < row.length; index++) sum += row[index] * weights[index];
  return sum;
}
