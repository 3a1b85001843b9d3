// Fixed searches: decisions, changes, how it works, and all records of one concept, file or type.
import type { Search, SearchRequest, SearchResults } from "./search.ts";

export type TopicRequest = Pick<SearchRequest, "format" | "limit" | "project">;

/** A kind of record, or the records of one concept, file or type. */
export type Topic =
  | { topic: "decisions" | "changes" | "how-it-works" }
  | { topic: "concept"; concept: string }
  | { topic: "file"; path: string }
  | { topic: "type"; obs_type: string };

export interface Topics {
  /** Newest first, in the shape of a search. */
  of(topic: Topic, request: TopicRequest): Promise<SearchResults>;
}

export function createTopics(search: Search): Topics {
  return {
    async of(topic, request) {
      const answers = await Promise.all(
        filtersOf(topic).map((filter) => search.search({ ...request, ...filter })),
      );
      const newestOf = <R extends Dated>(listOf: (answer: SearchResults) => R[]) =>
        newest(answers.flatMap(listOf), request.limit);
      return {
        observations: newestOf(({ observations }) => observations),
        sessions: newestOf(({ sessions }) => sessions),
        prompts: newestOf(({ prompts }) => prompts),
        notes: [...new Set(answers.flatMap(({ notes }) => notes))],
      };
    },
  };
}

type Filter = Partial<Pick<SearchRequest, "type" | "obs_type" | "concepts" | "files">>;

function filtersOf(topic: Topic): Filter[] {
  switch (topic.topic) {
    case "decisions":
      return [{ type: "observations", obs_type: "decision" }];
    // Generators mark a change by type or by concept, few by both.
    case "changes":
      return [
        { type: "observations", obs_type: "change" },
        { type: "observations", concepts: ["what-changed"] },
      ];
    case "how-it-works":
      return [{ type: "observations", concepts: ["how-it-works"] }];
    case "concept":
      return [{ concepts: [topic.concept] }];
    case "file":
      return [{ files: [topic.path] }];
    case "type":
      return [{ type: "observations", obs_type: topic.obs_type }];
    default:
      return topic satisfies never;
  }
}

interface Dated {
  id: number;
  created_at_epoch: number;
}

function newest<R extends Dated>(found: readonly R[], limit: number): R[] {
  const once = new Map(found.map((record) => [record.id, record]));
  return [...once.values()]
    .sort((left, right) => right.created_at_epoch - left.created_at_epoch || right.id - left.id)
    .slice(0, limit);
}
