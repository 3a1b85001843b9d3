// Fastify on zod: requests are checked by the route's schemas, and handlers are typed by them.
import type { IncomingMessage, ServerResponse } from "node:http";
import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyServerOptions,
  FastifyTypeProvider,
  RawServerDefault,
} from "fastify";
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import { redactSecrets } from "../../privacy/secrets.ts";
import { issueWords } from "../schemas/issue-words.ts";

declare module "fastify" {
  interface FastifySchema {
    /** The route's purpose in one line, for the OpenAPI document. */
    summary?: string;
    /** Headers that the handler reads, and those that it sets by status: for the OpenAPI document. */
    readsHeaders?: DescribedHeaders;
    setsHeaders?: Readonly<Record<number, DescribedHeaders>>;
  }
}

/** Descriptions by header name. */
export type DescribedHeaders = Readonly<Record<string, string>>;

/** The app that routes are added to: bodies, queries, paths and answers are typed by the route's schemas. */
export type App = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypes
>;

export interface ZodTypes extends FastifyTypeProvider {
  validator: this["schema"] extends z.ZodType ? z.output<this["schema"]> : unknown;
  serializer: this["schema"] extends z.ZodType ? z.input<this["schema"]> : unknown;
}

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/** Keeps fastify from loading ajv and compiling with it: 5 ms of the worker's start. `installZod` takes its place. */
export const withoutAjv: SchemaController = {
  compilersFactory: { buildValidator: neverAsked, buildSerializer: neverAsked },
};

/** Checks requests by the routes' zod schemas; answers are written by JSON.stringify. */
export function installZod(app: App): void {
  app.setValidatorCompiler<z.ZodType>(({ schema }) => checkedBy(schema));
  app.setSerializerCompiler(() => JSON.stringify);
}

function neverAsked(): never {
  throw new TypeError("installZod sets the compilers");
}

function checkedBy(schema: z.ZodType): (value: unknown) => { value: unknown } | { error: Error } {
  return (value) => {
    // Without a body or a query, every field is left out.
    const result = schema.safeParse(value ?? {}, { error: issueWords });
    return result.success ? { value: result.data } : { error: invalidRequest(result.error) };
  };
}

// A wrong field's name may be a pasted secret. The count is bounded: a body may have 100,000 wrong keys.
const maxIssues = 20;
const maxMessageChars = 300;

export function invalidRequest(error: z.ZodError, hint?: string): MemError {
  const details = error.issues.slice(0, maxIssues).map((issue) => ({
    path: cut(redactSecrets(issue.path.join("."))),
    message: cut(redactSecrets(issue.message)),
  }));
  const first = details[0];
  const where = first === undefined || first.path === "" ? "The request" : `\`${first.path}\``;
  return new MemError("invalid_request", {
    message: first === undefined ? "The request is not valid." : `${where}: ${first.message}`,
    details,
    ...(hint === undefined ? {} : { hint }),
  });
}

function cut(text: string): string {
  return text.length <= maxMessageChars ? text : `${text.slice(0, maxMessageChars)}…`;
}
