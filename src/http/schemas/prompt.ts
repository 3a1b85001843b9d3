// Wire shapes of user prompts.
import * as z from "zod";
import { epochMs, pageOf, syncColumns } from "./fields.ts";

/** A user prompt; prompts that were entirely private are never answered. */
export const prompt = z.lazy(() => z.object(promptFields()).meta({ id: "Prompt" }));

/** The fields of `prompt`, for shapes that add to it. */
export function promptFields() {
  return {
    id: z.int(),
    claude_session_id: z.string(),
    sdk_session_id: z.string(),
    project: z.string(),
    prompt_number: z.int(),
    prompt_text: z.string(),
    created_at_epoch: epochMs(),
    ...syncColumns(),
  };
}

/** A page of prompts, newest first. */
export const promptPage = z.lazy(() => pageOf(prompt));
