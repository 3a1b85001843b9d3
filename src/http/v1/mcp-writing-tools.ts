// The writing tools of the hosted server's MCP endpoint, for keys that may write: remember and review.
import * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { KeptKind } from "../../core/records/statement.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import { invalidRequest } from "../plugins/zod.ts";
import { type KeptRecord, keptLines, rememberTool, reviewTool } from "../schemas/agent-tools.ts";
import { issueWords } from "../schemas/issue-words.ts";
import type { McpTool } from "./mcp-protocol.ts";
import { answered, demandNamedProject, projectWords, schemaOf, type ToolCaller } from "./mcp-tools.ts";
import type { ProjectScopePorts } from "./project-scope.ts";

/** Who writes, and where. */
export interface AgentWrite {
  caller: Caller;
  scope: ProjectScope;
  request_id: string;
}

/** `quote`: words of the user that it rests on; `replaces`: the record that no longer holds. */
export interface AgentRecord {
  kind: KeptKind;
  text: string;
  quote?: string | null | undefined;
  replaces?: string | null | undefined;
}

export interface AgentVerdict {
  id: string;
  verdict: "wrong" | "outdated" | "done";
  why?: string | null | undefined;
}

export interface AgentRecordPorts extends ProjectScopePorts {
  /** Throws `invalid_request` for a text without words, and `conflict` at the key's limit of a day. */
  keep(write: AgentWrite, record: AgentRecord): Promise<KeptRecord<string>>;
  /** Throws `not_found` for another project's record, `conflict` for one that a user wrote. */
  judge(write: AgentWrite, verdict: AgentVerdict): Promise<void>;
}

export function writingTools(ports: AgentRecordPorts): McpTool<ToolCaller>[] {
  const id = z.string().min(1).max(100);
  const projectId = z.string().max(256).nullish().meta({ description: projectWords });
  return [
    writingTool(ports, {
      ...rememberTool,
      input: z.strictObject({ ...rememberTool.input(id), projectId }),
      async write(by, { projectId: _scope, ...record }) {
        const kept = await ports.keep(by, record);
        const asked = { kind: record.kind, replaces: record.replaces ?? null, proposal };
        return { structured: { ...kept }, text: keptLines(kept, asked).join("\n") };
      },
    }),
    writingTool(ports, {
      ...reviewTool,
      description: `${reviewTool.description} Ids are in the answers of \`search\` and \`recent\`.`,
      input: z.strictObject({ ...reviewTool.input(id), projectId }),
      async write(by, { projectId: _scope, ...given }) {
        await ports.judge(by, given);
        const { id, verdict } = given;
        return { structured: { id, verdict }, text: `#${id} is ${verdict}.` };
      },
    }),
  ];
}

const proposal =
  "A proposal, which is not injected: the quote is not in the newest prompts of the project. With the user's exact words, replace it.";

interface Writing<I extends z.ZodType> {
  name: string;
  title: string;
  description: string;
  input: I;
  write(by: AgentWrite, given: z.output<I>): Promise<{ structured: Record<string, unknown>; text: string }>;
}

function writingTool<I extends z.ZodType<{ projectId?: string | null | undefined }>>(
  ports: AgentRecordPorts,
  { name, title, description, input, write }: Writing<I>,
): McpTool<ToolCaller> {
  const annotations = { title, readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  return {
    definition: { name, title, description, inputSchema: schemaOf(input, "input"), annotations },
    isListed: ({ caller }) => mayWrite(caller),
    call: (by, given) =>
      answered(by, async () => {
        const { caller, request_id } = by;
        if (!mayWrite(caller))
          throw new MemError("insufficient_scope", {
            message: `\`${name}\` needs a key with the scope memories:write.`,
          });
        const parsed = input.safeParse(given, { error: issueWords });
        if (!parsed.success) throw invalidRequest(parsed.error, `See the input schema of ${name}.`);
        const scope = await demandNamedProject(ports, caller, parsed.data.projectId ?? undefined);
        const { structured, text } = await write({ caller, scope, request_id }, parsed.data);
        return { content: [{ type: "text", text }], structuredContent: structured };
      }),
  };
}

function mayWrite({ scopes }: Caller): boolean {
  return scopes.includes("memories:write");
}
