// The patterns of wording, where statements look for them.
export { cueOf, removing } from "../../text/cue-pattern.ts";
