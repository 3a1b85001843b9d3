// The writing tools of the hosted server's MCP endpoint, for keys that may write: remember and review.
import * as z from "zod";
import { MemError } from "../../core/errors.ts";
import type { KeptKind } from "../../core/records/statement.ts";
import type { Caller, ProjectScope } from "../../core/records/tenancy.ts";
import { invalidRequest } from "../plugins/zod.ts";
import { type KeptRecord, keptLines, rememberTool, resultOf, reviewTool } from "../schemas/agent-tools.ts";
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

export interface AgentRecordPorts extends ProjectScopePorts {
  /** Throws `invalid_request` for a text without words, and `conflict` at the key's limit of a day. */
  keep(by: AgentWrite, record: AgentRecord): Promise<KeptRecord<string>>;
  /** Throws `not_found` for another project's record, `conflict` for one that a user wrote. */
  judge(
    by: AgentWrite,
    given: { id: string; verdict: string; why?: string | null | undefined },
  ): Promise<void>;
}

export function writingTools(ports: AgentRecordPorts): McpTool<ToolCaller>[] {
  const id = z.string().min(1).max(100);
  const projectId = z.string().max(256).optional().meta({ description: projectWords });
  const kept = z.strictObject({ ...rememberTool.input(id), projectId });
  const judged = z.strictObject({ ...reviewTool.input(id), projectId });
  const described = `${reviewTool.description} Ids are in the answers of \`search\` and \`recent\`.`;
  return [
    writingTool(ports, { ...rememberTool, input: kept }, async (by, record) => {
      const { kind, replaces = null } = record;
      const answer = await ports.keep(by, record);
      return [{ ...answer }, keptLines(answer, { kind, replaces, proposal }).join("\n")];
    }),
    writingTool(ports, { ...reviewTool, description: described, input: judged }, async (by, given) => {
      await ports.judge(by, given);
      const { id, verdict } = given;
      return [{ id, verdict }, `#${id} is ${verdict}.`];
    }),
  ];
}

const proposal =
  "A proposal, which is not injected: the quote is not in the newest prompts of the project. With the user's exact words, replace it.";

function writingTool<I extends z.ZodType<{ projectId?: string | undefined }>>(
  ports: AgentRecordPorts,
  { name, title, description, input }: { name: string; title: string; description: string; input: I },
  write: (by: AgentWrite, given: z.output<I>) => Promise<[fields: Record<string, unknown>, text: string]>,
): McpTool<ToolCaller> {
  const annotations = { title, readOnlyHint: false, destructiveHint: false, openWorldHint: false };
  const mayCall = ({ caller }: ToolCaller) => caller.scopes.includes("memories:write");
  return {
    definition: { name, title, description, inputSchema: schemaOf(input, "input"), annotations },
    isListed: mayCall,
    call: (by, given) =>
      answered(by, async () => {
        const message = "The tool needs a key with the scope memories:write.";
        if (!mayCall(by)) throw new MemError("insufficient_scope", { message });
        const parsed = input.safeParse(given, { error: issueWords });
        if (!parsed.success) throw invalidRequest(parsed.error, `See the input schema of ${name}.`);
        const scope = await demandNamedProject(ports, by.caller, parsed.data.projectId);
        const [fields, text] = await write({ ...by, scope }, parsed.data);
        return resultOf(text, fields);
      }),
  };
}
