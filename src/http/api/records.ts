// The two reads every stored record has: a page of them, and one by its id.
import type * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { App } from "../plugins/zod.ts";
import { lookupErrors, readErrors } from "../schemas/error.ts";
import { idParams, ofProjectQuery, pageQuery } from "../schemas/fields.ts";

/** Pages of a record, newest first; of one project when it is given. */
export interface Paged<R> {
  page(request: { offset: number; limit: number; project?: string | undefined }): {
    items: R[];
    hasMore: boolean;
  };
}

/** A record that is read by page and by id. */
export interface Records<R> extends Paged<R> {
  byId(id: number): R | undefined;
}

/** `GET url?offset&limit&project`: `items`, `hasMore`, `offset`, `limit`. */
export function pageRoute<R>(
  app: App,
  url: string,
  { summary, page, records }: { summary: string; page: z.ZodType<PageAnswer<R>>; records: Paged<R> },
): void {
  app.get(
    url,
    { schema: { summary, querystring: pageQuery, response: { 200: page, ...readErrors } } },
    ({ query }): PageAnswer<R> => {
      const { items, hasMore } = records.page(query);
      return { items, hasMore, offset: query.offset, limit: query.limit };
    },
  );
}

/** `GET url` with `:id`: the record, of one project when it is given, or 404 that says where to look. */
export function byIdRoute<R extends { project: string }>(
  app: App,
  url: string,
  options: {
    summary: string;
    noun: string;
    record: z.ZodType<R>;
    records: { byId(id: number): R | undefined };
  },
): void {
  const { summary, noun, record, records } = options;
  app.get(
    url,
    {
      schema: {
        summary,
        params: idParams,
        querystring: ofProjectQuery,
        response: { 200: record, ...lookupErrors },
      },
    },
    ({ params, query }): R => {
      const found = records.byId(params.id);
      const isMeant = query.project === undefined || found?.project === query.project;
      return found !== undefined && isMeant ? found : notThere(noun, params.id);
    },
  );
}

interface PageAnswer<R> {
  items: R[];
  hasMore: boolean;
  offset: number;
  limit: number;
}

function notThere(noun: string, id: number): never {
  throw new MemError("not_found", {
    message: `There is no ${noun} ${id}.`,
    hint: "Ids come from the lists and from GET /api/search.",
  });
}
