// What a run with a scripted model left in the database, as figures.
import { join } from "node:path";
import { boundFigure } from "../measure.mjs";
import { Database } from "../sqlite.mjs";
import { inventedRule } from "./scripted-model.mjs";

/** Counts the observations of a data directory: all, those that local wrote, statements, and the invented rule. */
export function countRecords(dataDir) {
  const db = new Database(join(dataDir, "mem.db"), { readonly: true });
  try {
    return db
      .prepare(
        `select count(*) as observations,
                coalesce(sum(generator = 'local'), 0) as local,
                coalesce(sum(salience is not null), 0) as statements,
                coalesce(sum(instr(title || coalesce(narrative, ''), ?) > 0), 0) as invented
         from observations`,
      )
      .get(inventedRule);
  } finally {
    db.close();
  }
}

/** The model wrote everything, statements among it, and no rule that stands in no source. */
export function modelFigures({ observations, local, statements, invented }, title) {
  const figure = (name, value, target) =>
    boundFigure({ name: `${title}: ${name}`, unit: "observations", value, n: observations, target });
  return [
    figure("statements written by the model", statements, ">= 1"),
    figure("observations that local wrote in the model's place", local, "= 0"),
    figure("rules that the model invented", invented, "= 0"),
  ];
}
