// What a run has to reach, as figures that the bench gates.
import { boundFigure } from "../measure.mjs";
import { moments } from "./scenario-set.mjs";
import { quietNoise, summarize } from "./score.mjs";

// Shares of the scenarios with a need. `dev` is the set that numbers are fitted on; a set without a row is unseen.
const delivered = [
  { set: "dev", isMixed: false, share: 60 / 64 },
  { set: "dev", isMixed: true, share: 54 / 64 },
  { set: "dev2", isMixed: false, share: 52 / 64 },
];
const unseen = 54 / 64;

const mostTokens = { start: 1_000, prompt: 300, action: 60 };
const mostQuietTokens = 20;

/** Figures of the scores of one whole set. */
export function gatedFigures(scores, { set, title, isMixed }) {
  const all = summarize(scores);
  const quiet = quietNoise(scores);
  const n = scores.length;
  const figure = (name, rest) => boundFigure({ name: `${title}: ${name}`, n, ...rest });
  const tokens = moments.map((moment) =>
    figure(`tokens at ${moment}, mean`, {
      unit: "tokens",
      value: all.tokens[moment].mean,
      target: `<= ${mostTokens[moment]}`,
    }),
  );
  const share = leastShare(set, isMixed);
  return [
    ...(share === undefined || all.of === 0
      ? []
      : [
          figure("delivered before the agent acts", {
            unit: `of ${all.of} scenarios`,
            value: all.delivered,
            n: all.of,
            target: `>= ${Math.ceil(share * all.of)}`,
          }),
        ]),
    ...tokens,
    ...(quiet.scenarios === 0
      ? []
      : [
          figure("tokens for an unrelated prompt, mean", {
            unit: "tokens",
            value: quiet.tokens.mean,
            n: quiet.scenarios,
            target: `<= ${mostQuietTokens}`,
          }),
        ]),
    figure("scenarios with what must not be injected", {
      unit: "scenarios",
      value: all.never,
      target: "= 0",
    }),
  ];
}

// Undefined where nothing is asked for: other pasts mixed into a set other than `dev`.
function leastShare(set, isMixed) {
  const row = delivered.find((each) => each.set === set && each.isMixed === isMixed);
  const isKnown = delivered.some((each) => each.set === set);
  return row?.share ?? (isKnown || isMixed ? undefined : unseen);
}
