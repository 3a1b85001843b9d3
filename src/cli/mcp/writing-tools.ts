// The two writing tools: what the agent keeps for later sessions, and takes back.
import * as z from "zod";
import { plainLine } from "../../context/quote.ts";
import { workingPlace } from "../../core/directory.ts";
import { keptLines, rememberTool, reviewTool } from "../../http/schemas/agent-tools.ts";
import { defineTool, type Tool } from "./tool.ts";

const id = () => z.coerce.number().int().min(1);

const remember = defineTool(
  { ...rememberTool, input: z.strictObject(rememberTool.input(id())), writes: true },
  async (worker, { kind, text, quote, replaces }, { host }) => {
    const kept = await worker.keep({
      ...{ kind, text, host, ...workingPlace() },
      ...(quote == null || quote === "" ? {} : { quote }),
      ...(replaces == null ? {} : { replaces }),
    });
    if (kept.status === "skipped")
      return { structured: kept, lines: ["Not kept: the user marked this as private."] };
    const { replaced } = kept;
    const shown = { ...kept, replaced: replaced && { ...replaced, text: plainLine(replaced.text, 1000) } };
    const proposal =
      "A proposal until the user accepts it: the quote is not in what they typed in this session.";
    return { structured: kept, lines: keptLines(shown, { kind, replaces: replaces ?? null, proposal }) };
  },
);

const review = defineTool(
  {
    ...reviewTool,
    description: `${reviewTool.description} The id stands behind the record as #12.`,
    input: z.strictObject(reviewTool.input(id())),
    writes: true,
  },
  async (worker, { id, verdict, why }, { host }) => {
    await worker.judge(id, { verdict, host, ...workingPlace(), ...(why == null ? {} : { why }) });
    return { structured: { id, verdict }, lines: [`#${id} is ${verdict}. The user can restore it.`] };
  },
);

export const writingTools: readonly Tool[] = [remember, review];
