// Messages for invalid values; zod's own are written for schema authors.
import type * as z from "zod";

type Issue = z.core.$ZodRawIssue;

/** The sentence for an issue whose schema has none; it follows the name of the value. */
export function issueWords(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type": {
      const kind = kinds.get(issue.expected) ?? "of another kind";
      return issue.input === undefined ? `must be given: ${kind}` : `must be ${kind}`;
    }
    case "invalid_value":
      return oneOf(issue.values.map(String));
    case "too_big":
      return limited(issue.origin, issue.inclusive === false ? "less than" : "at most", issue.maximum);
    case "too_small":
      return limited(issue.origin, issue.inclusive === false ? "more than" : "at least", issue.minimum);
    case "unrecognized_keys":
      return `must not have the ${issue.keys.length === 1 ? "field" : "fields"} ${issue.keys.join(", ")}`;
    case "invalid_union":
      return Array.isArray(issue.options)
        ? oneOf(issue.options.map(String))
        : "has none of its possible forms";
    case "invalid_format":
      return "does not have its form";
    default:
      return "is not valid";
  }
}

const kinds: ReadonlyMap<string, string> = new Map([
  ["string", "a text"],
  ["number", "a number"],
  ["int", "a whole number"],
  ["boolean", "true or false"],
  ["array", "a list"],
  ["object", "an object"],
  ["record", "an object"],
  ["null", "null"],
]);

function oneOf(values: readonly string[]): string {
  return values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(", ")}`;
}

function limited(origin: string, bound: string, limit: number | bigint): string {
  const count = limit.toLocaleString("en");
  if (origin === "string") return `must have ${bound} ${count} ${limit === 1 ? "character" : "characters"}`;
  if (origin === "array" || origin === "set")
    return `must have ${bound} ${count} ${limit === 1 ? "entry" : "entries"}`;
  return `must be ${bound} ${count}`;
}
