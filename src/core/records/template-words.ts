// The words that our own templates put around quotes: not content, so no search finds a record by them.
import { summaryPartNames } from "./summary-parts.ts";

/**
 * `text` of a record by `generator`, without them. Only the local rules write by templates: every word of a model or a
 * person is content. So is what stands between backquotes.
 */
export function withoutTemplateWords(text: string, generator: string): string {
  if (generator !== "local") return text;
  return text.replace(templates, (found) => (found.startsWith("`") ? found : " "));
}

/** The same of a session summary's text, and without the names of its parts, which every writer puts there. */
export function summaryContent(text: string, generator: string): string {
  return withoutTemplateWords(text.replace(partNames, ""), generator);
}

const partNames = new RegExp(`^(?:${Object.values(summaryPartNames).join("|")}): `, "gm");

// Each line below is one alternative of a pattern; `#` stands for a number. The tests of the local rules hold these lists
// and the rules together: a draft of theirs has no searchable word that its tool use lacks.

/** Sentences that quote nothing. */
const sentences = String.raw`
  It ended with exit code #
  It printed (?:nothing|# lines?)
  # lines report an error
  It reported nothing wrong
  Nothing (?:matched|was searched|of it was seen)
  Only the number was asked for
  The file was left as it was
  (?:It is )?an image
  It (?:answered nothing|gave no answer)
  Its answer comes later
  There is no answer yet
  The answer was empty
  The work tree has no changed files
  It showed # commits?
  The list has # tasks?
  Looked at the output of a command that was started before
  # lines?
  Used a tool
  Session summary
  \S{1,40} script`;

/** How a sentence, a title or a fact begins. */
const openings = `
  A (?:running command|tool)
  a file(?=:)
  (?:Created|Deleted|New) branch
  Created(?: directory)?
  (?:Edited|Edit of|Read|Could not read)(?: a file(?=[.: ]|$))?
  Read # files?
  (?:Deleted|Moved|Copied|Wrote|Changed files|Changed|Renamed|Ran)
  Started(?: (?:a )?sub-agent)?
  (?:Searched for|Searched the web for|Search for|Web search failed for|Search failed)
  Listed(?: the working directory)?
  (?:Fetched|Could not fetch)(?: a page with)?
  (?:Installed|Removed)(?: packages| dependencies)?
  Committed(?: and pushed)?
  (?:Pushed|Pulled|Merged|Rebased(?: onto)?|Staged(?: all changes)?|Restored|Switched to|Tagged|Tag|Cloned)
  (?:Opened|Merged|Closed|Edited|Commented on) (?:pull request|issue|release)
  Looked (?:around|at commit)
  (?:Planned|Plan was not accepted|User decided|Asked the user|Asked of the page|Asked|Offered were|The user's answer)
  Tasks: # of # done(?:, now)?
  Sub-agent(?: answered| failed at)?
  (?:Command|Output|Answer|Address|Question|Step|Task|Entries|Found|Gone|Untracked|Differs|Touching)
  (?:First error|Error|Failing test|Failing|Tests|New lines|New test|Gone from|Commit message|Commit|Branch)
  It (?:said|begins|declares|has the sections|sets|answered|failed)
  The (?:last|place is|first match|status was|answer begins)
  Among them
  HTTP status
  MCP tool
  Exit code # of(?: A running command)?
  (?:HTTP # from )?(?:GET|POST|HEAD)`;

/** What stands between two quotes, or behind one. */
const between = String.raw`
  (?:failed|was interrupted|reports an error) with exit code #
  was interrupted
  reports (?:an error|# errors)
  (?:failed|passed):? # (?:of # )?\w{1,20}(?:, exit code #)?
  but ended with (?:exit code #|an error)
  # \w{1,20} (?:passed, # failed(?:, # skipped)?|failed)
  (?:# lines?|[Nn]o lines) (?:added|removed|changed)(?:, # removed)?
  (?:at least )?# (?:match|matches|files?|entry|entries|results?|more)
  nothing (?:found|changed)
  # (?:changed|untracked)
  (?:lines #-#(?: of #)?|from line #)
  latest is
  differs?:
  no difference
  stopped at conflicts in
  ended well
  answered #
  (?:agent )?in the background
  files named
  (?:is now|now has|now declares|now sets)(?: the sections)?
  has (?:the )?sections
  (?:declares|sets|keys|sections):
  of server
  was called(?: with)?
  agent (?:answered|failed at:)
  touching
  the user said:
  on branch
  (?<=\ba \S{1,40} )script`;

/** One word says too little to be taken away anywhere: it stands where a quote begins or ends. */
const atQuotes = String.raw`
  (?<=[:,] )(?:declares|sections|keys|sets|renamed|replaced|added test|added|removed|changed)(?= )
  (?<= )(?:failed|passed)(?=:|\.?$|\. | \()
  (?<=${"`"} )became(?= ${"`"})
  (?<=^\w{1,40}: )task list(?=\.|$)`;

const quoted = "`[^`\\n]*`";
const start = `(?:^(?:- )?|(?<=[.!?…。！？｡।۔؟;]["')”’」』）]? ))`;
const templates = new RegExp(
  [
    quoted,
    String.raw`${start}(?:${anyOf(sentences)})(?=\.(?:\s|$)|$)`,
    String.raw`${start}(?:${anyOf(openings)})(?![\w-])`,
    String.raw`(?<![\w-])(?:${anyOf(between)})(?![\w-])`,
    anyOf(atQuotes),
  ].join("|"),
  "gm",
);

function anyOf(lines: string): string {
  return lines.trim().replaceAll("#", "\\d+").split(/\n\s*/).join("|");
}
