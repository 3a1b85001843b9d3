// The measures of retrieval: recall at 5, 10 and 20, hit at 5, MRR, nDCG at 10, questions without any result.

/** What one ranked list of keys is worth for a question. */
export function measure(ranked, relevant) {
  const wanted = new Set(relevant);
  const found = (count) => ranked.slice(0, count).filter((key) => wanted.has(key)).length;
  const first = ranked.findIndex((key) => wanted.has(key));
  const gain = (position) => 1 / Math.log2(position + 2);
  let gained = 0;
  for (const [position, key] of ranked.slice(0, 10).entries()) if (wanted.has(key)) gained += gain(position);
  let ideal = 0;
  for (let position = 0; position < Math.min(10, wanted.size); position++) ideal += gain(position);
  return {
    "R@5": found(5) / wanted.size,
    "R@10": found(10) / wanted.size,
    "R@20": found(20) / wanted.size,
    "hit@5": found(5) > 0 ? 1 : 0,
    MRR: first < 0 ? 0 : 1 / (first + 1),
    "nDCG@10": gained / ideal,
    none: ranked.length === 0 ? 1 : 0,
  };
}

/** The mean of each measure, in percent. */
export function mean(measured) {
  const sums = {};
  for (const one of measured) {
    for (const [name, value] of Object.entries(one)) {
      sums[name] = (sums[name] ?? 0) + (100 * value) / measured.length;
    }
  }
  return sums;
}

/** Rows of names and measures as a text table. */
export function renderMeasures(rows) {
  const names = [...new Set(rows.flatMap(({ values }) => Object.keys(values)))];
  const width = Math.max(...rows.map(({ name }) => name.length));
  const line = (name, cells) => `${name.padEnd(width)} ${cells.map((cell) => cell.padStart(8)).join("")}`;
  return [
    line("", names),
    ...rows.map(({ name, values }) =>
      line(
        name,
        names.map((one) => (values[one] === undefined ? "-" : values[one].toFixed(1))),
      ),
    ),
  ];
}
