// What an agent keeps and takes back over MCP. A page that it read may speak through it: a rule stands on the user's words.

import { keptDraft, lineOf, mostKept, saidQuote } from "../../capture/kept-record.ts";
import { plainLine } from "../../context/quote.ts";
import { MemError } from "../../core/errors.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import { wholeText } from "../../core/records/quoted-text.ts";
import { isProposal, keptByAgent } from "../../core/records/statement.ts";
import { isId, type ProjectScope } from "../../core/records/tenancy.ts";
import type { KeptRecord } from "../../http/schemas/agent-tools.ts";
import type { AgentRecord, AgentRecordPorts, AgentWrite } from "../../http/v1/mcp-writing-tools.ts";
import {
  callsOfDay,
  endRecord,
  judged,
  remembered,
  sameStatement,
} from "../../store/postgres/agent-records.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import { storeManual } from "../../store/postgres/manual-observations.ts";
import { observationById } from "../../store/postgres/observations.ts";
import type { Connections, Queryable } from "../../store/postgres/open.ts";
import { askedPrompts } from "../../store/postgres/rankable.ts";
import { inTenant } from "../../store/postgres/tenant.ts";
import { byHand, cleaned } from "./manual-memory.ts";

export function createAgentRecords(app: Connections): Pick<AgentRecordPorts, "keep" | "judge"> {
  return {
    keep(by, given) {
      const record = { ...given, text: lineOf(cleaned(given.text)) };
      if (record.text === "") throw refused("invalid_request", "The text is empty, private or secret.");
      return inTenant(app, by.caller, (connection) => keep(connection, by, record));
    },
    judge: (by, { id, verdict, why }) =>
      inTenant(app, by.caller, async (connection) => {
        const old = await recordOf(connection, by.scope, id);
        if (old === undefined)
          throw refused("not_found", `There is no record ${JSON.stringify(id)} in this project.`);
        if (isOfUser(old) || old.standing)
          throw refused("conflict", `#${id} is the user's: only words of the user replace it.`);
        await demandRoom(connection, by, judged);
        const metadata = { judged: verdict, ...(why == null ? {} : { why: lineOf(cleaned(why)) }) };
        await endRecord(connection, by.scope, { id, by: null, metadata });
        await insertAudit(connection, auditOf(by, judged, id));
      }),
  };
}

const newestPrompts = 50;
const maxShownChars = 1_000;

async function keep(connection: Queryable, by: AgentWrite, record: AgentRecord): Promise<KeptRecord<string>> {
  const { scope } = by;
  const same = await sameStatement(connection, scope, record.text);
  if (same === undefined) await demandRoom(connection, by, remembered);
  const prompts = (await askedPrompts(connection, scope, newestPrompts)).map((one) => one.prompt_text);
  const quote = saidQuote(record, prompts);
  // The user says now what was proposed before.
  const replaces = record.replaces ?? (quote !== null && same && isProposal(same) ? same.id : null);
  const { old, kept_old } = await replacedBy(connection, scope, { replaces, quote });
  const answer = { replaced: null, kept_old, kind: record.kind };
  if (same !== undefined && same.id !== old?.id)
    return { ...answer, status: "exists", id: same.id, proposed: isProposal(same) };
  const observation = draftOf(scope, { ...record, quote });
  const audit = auditOf(by, remembered, observation.id);
  const stored = await storeManual(connection, { observation, audit });
  if (stored === undefined) throw refused("not_found", "The project was deleted meanwhile.");
  const kept = { ...answer, status: "stored" as const, id: stored.id, proposed: isProposal(stored) };
  if (old === undefined) return kept;
  await endRecord(connection, scope, { id: old.id, by: stored.id, metadata: {} });
  return { ...kept, replaced: { id: old.id, text: plainLine(wholeText(old), maxShownChars) } };
}

async function demandRoom(connection: Queryable, { caller }: AgentWrite, action: string): Promise<void> {
  if ((await callsOfDay(connection, caller, action)) >= mostKept)
    throw refused("conflict", `This key changed ${mostKept} records in 24 hours, which is the most.`);
}

async function replacedBy(
  connection: Queryable,
  scope: ProjectScope,
  { replaces, quote }: Pick<AgentRecord, "replaces"> & { quote: string | null },
): Promise<{ old?: HostedObservation; kept_old: KeptRecord<string>["kept_old"] }> {
  if (replaces == null) return { kept_old: null };
  const old = await recordOf(connection, scope, replaces);
  if (old?.status !== "active") return { kept_old: "unknown" };
  const isKept = isOfUser(old) || (old.standing && quote === null);
  return isKept ? { kept_old: "of the user" } : { old, kept_old: null };
}

async function recordOf(connection: Queryable, scope: ProjectScope, id: string) {
  return isId(id) ? observationById(connection, scope, id) : undefined;
}

// Written by hand on a device or over POST /v1/memories: an agent does not take it back.
function isOfUser({ generator }: HostedObservation): boolean {
  return generator === "" || generator === "manual";
}

function draftOf(scope: ProjectScope, { kind, text, quote }: AgentRecord & { quote: string | null }) {
  const draft = keptDraft({ text, kind, isSure: quote !== null, quote });
  return { ...byHand(scope, { ...draft, content: text }), ...draft, generator: keptByAgent };
}

function auditOf({ caller, scope, request_id }: AgentWrite, action: string, resource_id: string) {
  const by = { ...scope, api_key_id: caller.key_id, request_id };
  return { ...by, action, resource_type: "observation", resource_id, details: {} };
}

function refused(code: "conflict" | "invalid_request" | "not_found", message: string): MemError {
  return new MemError(code, {
    message,
    hint: "Ids and records are in the answers of `search` and `recent`.",
  });
}
