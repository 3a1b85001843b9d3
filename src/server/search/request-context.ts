// Context of `/v1/context`: reads rules, statements and records of the project, then selects and renders as the worker.

import type { EarlierPrompt } from "../../context/context-port.ts";
import { createRequestContext } from "../../context/request-context.ts";
import type { StatementSource } from "../../context/start-sections.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import type { QuotedRecord } from "../../core/records/records.ts";
import { isProposal } from "../../core/records/statement.ts";
import type { Tenant } from "../../core/records/tenancy.ts";
import type { ContextAsked } from "../../http/v1/recall.ts";
import type { Connections } from "../../store/postgres/open.ts";
import { type AskedPrompt, askedPrompts, rankableRecords } from "../../store/postgres/rankable.ts";
import { quotedStatements } from "../../store/postgres/statements.ts";
import { inTenant } from "../../store/postgres/tenant.ts";

/** Text for the request, within its token budget; empty without records. */
export type PassedContext = (asked: ContextAsked) => Promise<string>;

export function createHostedContext(app: Connections): PassedContext {
  const context = createRequestContext();
  return async ({ caller, scope, words, found, tokens }) => {
    // Team-wide rules are in other projects, which only a team key reaches.
    const reach: Tenant = { team_id: caller.team_id, project_id: caller.project_id };
    const known = await inTenant(app, reach, async (connection) => ({
      rules: await quotedStatements.standingRules(connection, scope, most.rules),
      statements: await quotedStatements.salientStatements(connection, scope, most.statements),
      records: words === null ? [] : await rankableRecords(connection, scope, most.ranked),
      prompts: words === null ? [] : await askedPrompts(connection, scope, most.ranked),
    }));
    const source: StatementSource = {
      standingRules: () => known.rules,
      statements: () => known.statements,
    };
    const past = withTurns(known.records, known.prompts);
    const hasStatements = known.rules.length + known.statements.length > 0;
    return context.textOf(source, {
      ...{ project: scope.project_id, tokens, past },
      found: found.filter(isInjected),
      words: hasStatements ? words : null,
    });
  };
}

/** Superseded records and proposals are found, not injected. */
export function isInjected(found: HostedObservation): boolean {
  return found.status === "active" && !isProposal(found);
}

const most = { rules: 1_000, statements: 200, ranked: 2_000 };

/** Numbers the prompts of each session, newest first; a record is of the last prompt before it. */
function withTurns(
  records: readonly QuotedRecord[],
  prompts: readonly AskedPrompt[],
): { records: QuotedRecord[]; prompts: EarlierPrompt[] } {
  const bySession = new Map<string, AskedPrompt[]>();
  for (const prompt of prompts.toSorted((a, b) => a.created_at_epoch - b.created_at_epoch || a.id - b.id)) {
    const asked = bySession.get(prompt.sdk_session_id) ?? [];
    asked.push(prompt);
    bySession.set(prompt.sdk_session_id, asked);
  }
  return {
    records: records.map((record) => {
      const asked = bySession.get(record.sdk_session_id) ?? [];
      const before = asked.findLastIndex((one) => one.created_at_epoch <= record.created_at_epoch);
      return { ...record, prompt_number: before + 1 };
    }),
    prompts: [...bySession.values()]
      .flatMap((asked) => asked.map((one, at) => ({ ...one, prompt_number: at + 1 })))
      .toSorted((a, b) => b.id - a.id),
  };
}
