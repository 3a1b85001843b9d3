// Answers of /v1: the fields of a stored record under the names that the route's schema gives them.
import type * as z from "zod";
import { type ColumnName, columnName } from "../../core/records/project-export.ts";

type Fields = Readonly<Record<string, z.ZodType>>;
type Schema<F extends Fields> = z.ZodObject<F> | z.ZodLazy<z.ZodObject<F>>;
type Answer<F extends Fields> = { [N in keyof F]: z.input<F[N]> };
type Stored<F extends Fields, Named> = {
  [N in Exclude<keyof F & string, keyof Named> as ColumnName<N>]: z.input<F[N]>;
};

/** The record as it is answered: each field of the schema, from its column or from `named`. */
export function onWire<F extends Fields, Named extends Partial<Answer<F>>>(
  schema: Schema<F>,
  record: Stored<F, Named>,
  named: Named = {} as Named,
): Answer<F> {
  const columns: Readonly<Record<string, unknown>> = record;
  const answer: Record<string, unknown> = {};
  for (const [name, column] of fieldsOf(schema)) {
    answer[name] = Object.hasOwn(named, name) ? named[name] : columns[column];
  }
  return answer as Answer<F>;
}

const known = new WeakMap<object, readonly (readonly [string, string])[]>();

function fieldsOf(schema: Schema<Fields>): readonly (readonly [string, string])[] {
  const before = known.get(schema);
  if (before !== undefined) return before;
  const { shape } = "unwrap" in schema ? schema.unwrap() : schema;
  const fields = Object.keys(shape).map((name) => [name, columnName(name)] as const);
  known.set(schema, fields);
  return fields;
}
