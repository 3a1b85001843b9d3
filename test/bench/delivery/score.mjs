// What one run is worth: facts delivered in time, what their delivery cost, and what should not have been injected.
import { matches, moments } from "./scenario-set.mjs";

/**
 * The score of one scenario. A need is met when everything injected up to its moment holds all of its expressions;
 * `metAt` is the first moment at which it does. `delivered` is null for a scenario without needs.
 */
export function scoreScenario(scenario, injected) {
  const upTo = (moment) =>
    moments
      .slice(0, moments.indexOf(moment) + 1)
      .map((each) => injected[each] ?? "")
      .join("\n");
  const holdsAll = (moment, sources) => sources.every((source) => matches(source, upTo(moment)));
  const needs = scenario.need.map(({ at, all }) => ({
    at,
    met: holdsAll(at, all),
    metAt: moments.find((moment) => holdsAll(moment, all)) ?? null,
    missing: all.filter((source) => !matches(source, upTo(at))),
  }));
  return {
    id: scenario.id,
    kind: scenario.kind,
    lang: scenario.lang,
    delivered: needs.length === 0 ? null : needs.every(({ met }) => met),
    needs,
    never: scenario.never.filter((source) => matches(source, upTo("action"))),
    tokens: Object.fromEntries(moments.map((moment) => [moment, tokenCount(injected[moment])])),
  };
}

/** Sums over scores. Tokens are means over all scenarios: a moment that did not come costs none. */
export function summarize(scores) {
  const needing = scores.filter(({ delivered }) => delivered !== null);
  const met = scores.flatMap(({ needs }) => needs).filter((need) => need.met);
  const spent = scores.flatMap(({ tokens }) => moments.map((moment) => tokens[moment] ?? 0));
  const sum = spent.reduce((total, count) => total + count, 0);
  return {
    scenarios: scores.length,
    delivered: needing.filter(({ delivered }) => delivered).length,
    of: needing.length,
    metAt: Object.fromEntries(
      moments.map((moment) => [moment, met.filter(({ metAt }) => metAt === moment).length]),
    ),
    never: scores.filter(({ never }) => never.length > 0).length,
    tokens: Object.fromEntries(
      moments.map((moment) => [moment, distribution(scores.map(({ tokens }) => tokens[moment] ?? 0))]),
    ),
    factsPer1000: sum === 0 ? 0 : (met.length * 1000) / sum,
  };
}

/** One moment over all scenarios that reached it: needs due by then, and what its injections cost. */
export function summarizeMoment(scores, moment) {
  const due = scores.flatMap(({ needs }) => needs).filter(({ at }) => at === moment);
  const counts = scores.flatMap(({ tokens }) => tokens[moment] ?? []);
  return {
    met: due.filter(({ met }) => met).length,
    due: due.length,
    first: scores.flatMap(({ needs }) => needs).filter(({ met, metAt }) => met && metAt === moment).length,
    runs: counts.length,
    injected: counts.filter((count) => count > 0).length,
    tokens: distribution(counts),
  };
}

/** Noise at the prompt of the scenarios on which nothing of the past bears. */
export function quietNoise(scores) {
  const quiet = scores.filter(({ kind }) => kind === "quiet");
  return {
    scenarios: quiet.length,
    injected: quiet.filter(({ tokens }) => tokens.prompt > 0 || tokens.action > 0).length,
    tokens: distribution(quiet.map(({ tokens }) => tokens.prompt)),
  };
}

/** Mean, 95th percentile and largest of `values`; zeros where there are none. */
function distribution(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(0, Math.ceil(sorted.length * 0.95) - 1);
  const sum = sorted.reduce((total, value) => total + value, 0);
  return { mean: sum / Math.max(1, sorted.length), p95: sorted[rank] ?? 0, most: sorted.at(-1) ?? 0 };
}

// About four characters to a token, as everywhere in mem.
const charsPerToken = 4;

function tokenCount(text) {
  return text === undefined ? undefined : Math.ceil(text.length / charsPerToken);
}
