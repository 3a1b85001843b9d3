import { describe, expect, it } from "vitest";
import { textTokens } from "../../src/context/budget.ts";
import { createRequestContext, type FoundRecord } from "../../src/context/request-context.ts";
import type { StatementSource } from "../../src/context/start-sections.ts";
import type { QuotedRecord } from "../../src/core/records/records.ts";

const day = Date.UTC(2026, 3, 1);

function statement(id: number, summary: string, part: Partial<QuotedRecord> = {}): QuotedRecord {
  return {
    ...{
      id,
      summary,
      title: summary,
      subtitle: null,
      sdk_session_id: "s",
      prompt_number: 1,
      obs_type: "decision",
    },
    ...{ provenance: "agent", said_by: "agent", standing: 0, reach: "project", salience: 1 },
    ...{ created_at_epoch: day, revision: 1, ...part },
  };
}

function found(title: string, part: Partial<FoundRecord> = {}): FoundRecord {
  return {
    ...{ title, summary: title, narrative: null, facts: [], content: title, obs_type: "discovery" },
    ...{ kind: "observation", provenance: "agent", created_at_epoch: day, salience: null, routine: false },
    ...part,
  };
}

const rule = statement(1, "Use pnpm here, never npm.", { said_by: "user", standing: 1, salience: 3 });
const cause = statement(2, "The upload queue lost files because the lease ended too early.", { salience: 3 });
const port = (...records: QuotedRecord[]): StatementSource => ({
  standingRules: () => records.filter(({ standing }) => standing === 1),
  statements: () => records,
});

function textOf(
  records: QuotedRecord[],
  {
    words = null,
    tokens = 2_400,
    more = [],
  }: { words?: string | null; tokens?: number; more?: FoundRecord[] },
) {
  return createRequestContext().textOf(port(...records), {
    ...{ project: "app", words, tokens, found: more },
    past: { records, prompts: [] },
  });
}

describe("the context of a request", () => {
  it("quotes what fits the words, then what a colleague would pass on, each once", () => {
    const other = statement(3, "Answer in German.", {
      ...{ said_by: "user", standing: 1, salience: -3, prompt_number: 2 },
    });
    const text = textOf([other, cause], { words: "why does the upload queue lose files?" });
    const [, quotes = "", , start = ""] = text.split(/<\/?mem-context-[0-9a-f]{8}>/);
    expect(quotes).toContain("The upload queue lost files because the lease ended too early. (#2,");
    expect(start).toContain("## Rules from the user\n- Answer in German. (#3)");
    expect(text.match(/upload queue lost/g)).toHaveLength(1);
  });

  it("without words is what a colleague would pass on", () => {
    const text = textOf([rule, cause], {});
    expect(text).toContain("- Use pnpm here, never npm. (#1)");
    expect(text).toContain("- The upload queue lost files because the lease ended too early. (#2)");
    expect(text.match(/<mem-context/g)).toHaveLength(1);
  });

  it("adds found records that are of lasting interest and no statements", () => {
    const more = [
      found("A note by hand", { kind: "manual" }),
      found("Read a file", { routine: true }),
      found("An old statement", { salience: -2 }),
      found("A summary", { kind: "session_summary" }),
    ];
    const text = textOf([rule], { more });
    expect(text).toContain("A note by hand");
    expect(text).not.toMatch(/Read a file|An old statement|A summary/);
  });

  it("is the found records, routine work too, where nothing was said", () => {
    const text = textOf([], { words: "upload", more: [found("Read a file", { routine: true })] });
    expect(text).toContain("Read a file");
    expect(textOf([], { words: "upload" })).toBe("");
  });

  it.each([100, 150, 300, 700, 2_400])("stays within %i tokens", (tokens) => {
    const records = Array.from({ length: 80 }, (_, at) =>
      statement(at + 1, `Queue ${at} — die Warteschlange lost files. ${"because of it ".repeat(at % 9)}`, {
        standing: at % 3 === 0 ? 1 : 0,
        salience: at % 5,
      }),
    );
    const more = Array.from({ length: 20 }, (_, at) => found(`Queue note ${at} ${"x ".repeat(60)}`));
    const text = textOf(records, { words: "fix the queue", tokens, more });
    expect(text).not.toBe("");
    expect(textTokens(text)).toBeLessThanOrEqual(tokens);
    expect(text.length).toBeLessThanOrEqual(tokens * 4);
  });
});
