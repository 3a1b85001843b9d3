// What an agent keeps and takes back over MCP. A page that it read may speak through it: a rule stands on the user's words.

import { plainLine } from "../../context/quote.ts";
import { MemError } from "../../core/errors.ts";
import type { AuditRow } from "../../core/records/audit.ts";
import type { HostedObservation } from "../../core/records/hosted-record.ts";
import { quotedTexts, wholeText } from "../../core/records/quoted-text.ts";
import {
  isProposal,
  type KeptKind,
  keptByAgent,
  salienceOf,
  typeOfKind,
} from "../../core/records/statement.ts";
import { isId, type ProjectScope } from "../../core/records/tenancy.ts";
import { saysVerbatim, typedParts } from "../../core/tools/typed-text.ts";
import type { KeptRecord } from "../../http/schemas/agent-tools.ts";
import type { AgentRecord, AgentRecordPorts, AgentWrite } from "../../http/v1/mcp-writing-tools.ts";
import { endRecord, keptOfDay, remembered, sameStatement } from "../../store/postgres/agent-records.ts";
import { insertAudit } from "../../store/postgres/audit.ts";
import { storeManual } from "../../store/postgres/manual-observations.ts";
import { observationById } from "../../store/postgres/observations.ts";
import type { Connections, Queryable } from "../../store/postgres/open.ts";
import { askedPrompts } from "../../store/postgres/rankable.ts";
import { inTenant } from "../../store/postgres/tenant.ts";
import { termsOf } from "../../text/words.ts";
import { byHand, cleaned } from "./manual-memory.ts";

export function createAgentRecords(app: Connections): Pick<AgentRecordPorts, "keep" | "judge"> {
  return {
    async keep(by, given) {
      const record = { ...given, text: lineOf(given.text) };
      if (record.text === "")
        throw new MemError("invalid_request", {
          message: "The text is empty, private or secret.",
          hint: "Call the tool again with one sentence.",
        });
      return returned(await inTenant(app, by.caller, (connection) => keep(connection, by, record)));
    },
    async judge(by, { id, verdict, why }) {
      const metadata = { judged: verdict, ...(why == null ? {} : { why: lineOf(why) }) };
      returned(
        await inTenant(app, by.caller, async (connection) => {
          const old = await recordOf(connection, by.scope, id);
          if (old === undefined) return unknown(id);
          if (isOfUser(old)) return ofUser(id);
          await endRecord(connection, by.scope, { id, by: null, metadata });
          await insertAudit(connection, auditOf(by, "observation.judged", id));
          return null;
        }),
      );
    },
  };
}

/** The key's most records in a day: an agent that keeps more lists what it did. */
const mostOfDay = 30;
const newestPrompts = 50;

// A throw inside of the transaction would discard the connection.
function returned<T>(result: T | MemError): T {
  if (result instanceof MemError) throw result;
  return result;
}

async function keep(
  connection: Queryable,
  by: AgentWrite,
  record: AgentRecord,
): Promise<KeptRecord<string> | MemError> {
  const { scope } = by;
  const { kind, text } = record;
  const same = await sameStatement(connection, scope, text);
  if (same === undefined && (await keptOfDay(connection, by.caller)) >= mostOfDay) return tooMany();
  const quote = await typedQuote(connection, scope, record);
  const { old, kept_old } = await replacedBy(connection, scope, { replaces: record.replaces, quote });
  if (same !== undefined && same.id !== old?.id) {
    const proposed = isProposal(same);
    return {
      status: "exists",
      id: same.id,
      kind: same.statement_kind ?? kind,
      proposed,
      replaced: null,
      kept_old,
    };
  }
  const observation = draftOf(scope, { kind, text, quote });
  const { id, statement } = observation;
  const audit = auditOf(by, remembered, id);
  if ((await storeManual(connection, { observation, audit })) === undefined)
    return new MemError("not_found", { message: "The project was deleted meanwhile." });
  if (old !== undefined) await endRecord(connection, scope, { id: old.id, by: id, metadata: {} });
  const replaced = old === undefined ? null : { id: old.id, text: plainLine(wholeText(old), maxShownChars) };
  const proposed = isProposal({ standing: statement.standing, statement_kind: kind });
  return { status: "stored", id, kind, proposed, replaced, kept_old };
}

const maxShownChars = 1_000;

/** The quote, if it is about the text and the user typed it in a newest prompt of the project. */
async function typedQuote(
  connection: Queryable,
  scope: ProjectScope,
  { text, quote }: AgentRecord,
): Promise<string | null> {
  if (quote == null || !isAbout(text, quote)) return null;
  const prompts = await askedPrompts(connection, scope, newestPrompts);
  const isTyped = prompts.some(({ prompt_text }) => saysVerbatim(typedParts(prompt_text).typed, quote));
  return isTyped ? lineOf(quote) : null;
}

// Any sentence of the user would make any text a rule otherwise.
function isAbout(text: string, quote: string): boolean {
  const known = new Set(termsOf(text));
  return new Set(termsOf(quote).filter((term) => known.has(term))).size >= sharedTerms;
}

const sharedTerms = 2;

type Replaced = { old?: HostedObservation; kept_old: KeptRecord<string>["kept_old"] };

async function replacedBy(
  connection: Queryable,
  scope: ProjectScope,
  { replaces, quote }: { replaces: string | null | undefined; quote: string | null },
): Promise<Replaced> {
  if (replaces == null) return { kept_old: null };
  const old = await recordOf(connection, scope, replaces);
  if (old?.status !== "active") return { kept_old: "unknown" };
  return isOfUser(old) || (old.standing && quote === null)
    ? { kept_old: "of the user" }
    : { old, kept_old: null };
}

async function recordOf(
  connection: Queryable,
  scope: ProjectScope,
  id: string,
): Promise<HostedObservation | undefined> {
  return isId(id) ? observationById(connection, scope, id) : undefined;
}

// Written by hand on a device or over POST /v1/memories: an agent does not take it back.
function isOfUser({ generator }: HostedObservation): boolean {
  return generator === "" || generator === "manual";
}

function draftOf(
  scope: ProjectScope,
  { kind, text, quote }: { kind: KeptKind; text: string; quote: string | null },
) {
  const standing = (kind === "rule" || kind === "preference") && quote !== null;
  const said_by = standing ? ("user" as const) : ("agent" as const);
  return {
    ...byHand(scope, { ...quotedTexts(text), content: text, obs_type: typeOfKind[kind] }),
    subtitle: quote === null ? null : `Said: ${quote}`,
    generator: keptByAgent,
    provenance: said_by,
    statement: { said_by, kind, standing, reach: "project" as const, salience: salienceOf[kind] },
  };
}

function auditOf({ caller, scope, request_id }: AgentWrite, action: string, id: string): AuditRow {
  const by = { ...scope, api_key_id: caller.key_id, request_id };
  return { ...by, action, resource_type: "observation", resource_id: id, details: {} };
}

function lineOf(text: string): string {
  return cleaned(text).replace(/\s+/g, " ").trim();
}

function tooMany(): MemError {
  return new MemError("conflict", {
    message: `This key has kept ${mostOfDay} records in 24 hours, which is the most. Nothing was stored.`,
    hint: "Keep what later sessions need, not what was done.",
  });
}

function unknown(id: string): MemError {
  return new MemError("not_found", {
    message: `There is no record ${JSON.stringify(id)} in this project.`,
    hint: "Ids are in the answers of `search` and `recent`.",
  });
}

function ofUser(id: string): MemError {
  return new MemError("conflict", {
    message: `A user wrote #${id}: only a user takes it back. Nothing was changed.`,
    hint: "Tell the user.",
  });
}
