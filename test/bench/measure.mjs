// Taking figures: times of processes and requests, their percentiles, and a ratio with both of its sides.
import { spawnSync } from "node:child_process";

/** Median and 95th percentile of `values`, and how many there are. */
export function spread(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { p50: at(0.5), p95: at(0.95), n: sorted.length };
}

/** Runs a program to its end; milliseconds and what it printed. Throws when it did not exit 0. */
export function timeProcess(program, args, { env, input = "", cwd } = {}) {
  const start = performance.now();
  const { status, signal, stdout, stderr, error } = spawnSync(program, args, { env, input, cwd });
  const ms = performance.now() - start;
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(" ")} ended with ${status ?? signal}: ${stderr}`);
  return { ms, stdout: String(stdout), stderr: String(stderr) };
}

/**
 * Measures several sides in turn, `rounds` times each, so that drift of the machine meets all of them; each round starts
 * with another one, so that none always follows the same neighbour and what that left running.
 * `sides` maps a name to a function that gives milliseconds; the first `warmup` rounds are not counted.
 */
export async function interleave(sides, { rounds, warmup = 3 }) {
  const times = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  const order = Object.entries(sides);
  for (let round = -warmup; round < rounds; round++) {
    order.push(order.shift());
    for (const [name, measure] of order) {
      const ms = await measure();
      if (round >= 0) times[name].push(ms);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, values]) => [name, spread(values)]));
}

/**
 * One figure: ours against the floor, as a ratio of `by` (p50 when not given), and whether `target` is met.
 * `target` is a text such as "<= 0.45"; a side is `{ label, p50, p95?, n }`.
 */
export function ratioFigure({ name, unit, ours, floor, target, by = "p50", note }) {
  return { name, unit, ours, floor, by, ...judge(ours[by] / floor[by], target), ...(note ? { note } : {}) };
}

/** A figure without a floor: a count or a time that has to keep a bound. */
export function boundFigure({ name, unit, value, n, target, note }) {
  return { name, unit, value, n, ...judge(value, target), ...(note ? { note } : {}) };
}

function judge(value, target) {
  const [, comparison, bound] = /^(<=|>=|=) ([\d.]+)$/.exec(target) ?? [];
  if (bound === undefined) throw new TypeError(`no target: ${target}`);
  const limit = Number(bound);
  const met = comparison === "<=" ? value <= limit : comparison === ">=" ? value >= limit : value === limit;
  return { ratio: value, target, met };
}

/** The figure as lines for a reader: both sides, then the ratio. */
export function renderFigure(figure) {
  const verdict = `${figure.target}  ${figure.met ? "met" : "NOT MET"}`;
  const note = figure.note ? [`    ${figure.note}`] : [];
  if (figure.floor === undefined) {
    return [
      `  ${figure.name}: ${round(figure.value)} ${figure.unit}, N ${figure.n}, target ${verdict}`,
      ...note,
    ];
  }
  return [
    `  ${figure.name}`,
    renderSide(figure.ours, figure.unit),
    renderSide(figure.floor, figure.unit),
    `    ratio ${figure.ratio.toFixed(3)}, target ${verdict}`,
    ...note,
  ];
}

/** The figures as the table that stands in README.md. */
export function renderTable(figures) {
  const rows = figures.map(({ name, unit, ours, floor, by, value, ratio, target, n }) =>
    floor === undefined
      ? [name, `${round(value)} ${unit}`, "", "", target, n]
      : [name, `${round(ours[by])} ${unit}`, `${round(floor[by])} ${unit}`, ratio.toFixed(2), target, ours.n],
  );
  const head = ["figure", "ours", "floor", "ratio", "target", "N"];
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function renderSide({ label, p50, p95, n }, unit) {
  const tail = p95 === undefined ? "" : `, p95 ${round(p95)}`;
  return `    ${label.padEnd(52)} ${round(p50)}${tail} ${unit}, N ${n}`;
}

function round(value) {
  return value >= 1000 ? Math.round(value).toLocaleString("en") : Number(value.toPrecision(3)).toString();
}
