// Bounds that a statement carries although another one holds already: without one of them it finds the same.
import type { Mutant } from "./tenancy-walls.ts";

interface Rule {
  /** The statement. */
  of: RegExp;
  /** The bound that is gone; any, unless it says. */
  what?: RegExp;
  why: string;
}

const session = "the session was read in the tenant before, and its id is random";

const rules: readonly Rule[] = [
  {
    of: /from observation_sources s\s+join observations/,
    why: "the event was read in the tenant before, and its id is random",
  },
  { of: /o\.seq = any\(\$3::bigint\[\]\)/, why: "the numbers were read in the tenant before" },
  { of: /from unnest\(\$3::bigint\[\]\) asked \(seq\)/, why: "the numbers were read in the tenant before" },
  {
    of: /e\.event_type ~\* .* and e\.session_id is not null and not e\.metadata/s,
    why: "a prompt counts for records of its session, and for quotes: test/http/v1/mcp-writing-tools.test.ts",
  },
  {
    of: /^select o\.seq::float8 as seq\s+from observations o\s+where .*o\.created_at >= /s,
    why: "the records of the numbers are read in the tenant",
  },
  {
    of: /and not o\.routine and o\.kind <> 'session_summary'/,
    why: "the ranking decides what of them is quoted: test/store/postgres/rankable.test.ts holds these bounds",
  },
  {
    of: /from fix_commands f\s+where/,
    why: "the command family and its record are of one project, by a foreign key",
  },
  { of: /^update observations o\s+set superseded_by/, why: "the records were read in the tenant before" },
  {
    of: /^select o\.id, .*o\.standing and /s,
    why: "the update of what it finds is bound, too",
  },
  {
    of: /^select o\.seq.*\(o\.project_id = \$2 or o\.reach = 'everywhere'\) and o\.standing/s,
    what: /^o\.team_id = \$1$/,
    why: "no home has a rule for everywhere; test/store/postgres/statements.test.ts holds this bound",
  },
  {
    of: /^select r\.project_id, r\.device, .* join shared_records r /s,
    why: "rows of another project are left out after the read",
  },
  {
    of: /from shared_devices\s+where team_id = \$1/,
    why: "a device of another project can only refuse: test/http/v1/shared-records.test.ts holds these bounds",
  },
  { of: /update sessions s\s+set status = 'completed'/, why: session },
  { of: /source_type = 'session_summary' and source_id = \$3$/, why: session },
  { of: /update sessions\s+set status = coalesce/, why: session },
  { of: /e\.metadata -> 'promptNumber' as number, .* and e\.session_id = \$3/s, why: session },
  {
    of: /o\.kind = 'session_summary' and o\.session_id = \$3/,
    why: session,
  },
  {
    of: /^delete from observations\s+where .* and id = \$3/s,
    why: "the record was looked for in the tenant before",
  },
  {
    of: /^with retried as .*update generation_jobs j/s,
    what: /^(?:e\.(?:team_id = \$1|project_id = \$2)|e\.team_id = \$1 and e\.project_id = \$2|j\.project_id = \$2|j\.team_id = \$1 and j\.project_id = \$2)$/,
    why: "the other half of the statement is bound, too",
  },
  {
    of: /^with due as .*grouped as/s,
    what: /^e\.team_id = \$1$/,
    why: "the project beside it is checked, and of one team",
  },
  {
    of: /\$4::uuid as session_id,/,
    why: "project, session and lease were claimed in the tenant, and their ids are random",
  },
  {
    of: /^select array_agg\(r\.seq::float8\) as seqs/,
    why: "the numbers come from the search of the tenant; each is one record's",
  },
  {
    of: /^with walked as materialized/,
    why: "the session was claimed in the tenant, and its id is random",
  },
  { of: /^with done as \(\s*update generation_jobs/, why: "the jobs were held in the tenant before" },
  {
    of: /^select (?:body_hash = |id from projects where team_id = \$1 and \(\$2)/,
    what: / and /,
    why: "without one of them it is noticed; without both the planner may find the own row first",
  },
  {
    of: /memory_epoch.* projects?|update projects/s,
    what: /^(?:p\.)?team_id = \$1$/,
    why: "the project was looked for in the tenant before",
  },
  {
    of: /^select 1 from projects where/,
    why: "the project was looked for in the reach before",
  },
  {
    of: /^select id, team_id, name,.* from projects\s+where .* and id = \$3$/s,
    what: /^\(\$2/,
    why: "the project that is named was compared with the key's before",
  },
  {
    of: /^with child as \(/,
    why: "the parent is the caller's own key; a child stands in its parent's team, by a foreign key",
  },
  {
    of: /from api_keys\s+where team_id = \$1 and id = \$2 and revoked_at is null/,
    why: "it is the caller's own key",
  },
  {
    of: /with recursive family/,
    why: "the key was read in the reach before; a child stands in its parent's team, by a foreign key",
  },
  {
    of: /count\(\*\)::float8 as n from observation_search/,
    why: "how many records there are weighs words and is told to nobody",
  },
  {
    of: /^with hit as materialized/,
    why: "the numbers come from search_candidates, which takes the tenant from the transaction; each is one record's",
  },
  {
    of: /^with near as materialized/,
    what: /^o\.\w+ = \$\d(?: and o\.\w+ = \$\d)?$/,
    why: "the numbers come from the tenant's vectors; each is one record's",
  },
  {
    of: /^with near as materialized[\s\S]* join observation_search f/,
    what: /^([vf])\.\w+ = \$\d(?: and \1\.\w+ = \$\d)?$/,
    why: "a vector has its record's number, and the record beside it is bound, too",
  },
  {
    of: /left join sessions s\s+on s\.team_id = \$1 and s\.project_id = \S+ and s\.id = \w+\.session_id/,
    what: /^s\./,
    why: "a record's session is of its project, by a foreign key",
  },
  {
    of: /o\.session_id = any\(array\(\s*select s\.id/,
    what: /^s\./,
    why: "a record's session is of its project, by a foreign key",
  },
  {
    of: /^select id from projects where .* name = \$3/,
    what: /^\(\$2/,
    why: "the project that is found is compared with the key's",
  },
  {
    of: /s\.content_session_id = \$3\s+where p\.team_id/,
    what: /\(\$2/,
    why: "it is asked for keys of a whole team alone",
  },
  {
    of: /from projects p\s+(?:cross )?join/,
    what: /^\w+\.team_id = \$1$/,
    why: "the other table of the join is bound, and a project is of one team",
  },
  {
    of: /join projects p on p\.team_id = \$1 and p\.id = \w+\.project_id/,
    what: /^\w+\.team_id = \$1$/,
    why: "the other table of the join is bound, and a project is of one team",
  },
];

/** Why the text finds the same without the bound; undefined when it must not. */
export function sameForAll({ of, what, text }: Mutant): string | undefined {
  if (isBesideProject({ of, what, text })) return "the project beside it is checked, and of one team";
  const statement = of.trim();
  return rules.find((rule) => rule.of.test(statement) && (rule.what === undefined || rule.what.test(what)))
    ?.why;
}

// `team_id = $1` where `project_id = $n` of the same table stays.
function isBesideProject({ of, what, text }: Mutant): boolean {
  const alias = /^((?:\w+\.)?)team_id = \$\d+$/.exec(what)?.[1];
  if (alias === undefined) return false;
  const at = firstDifference(of, text);
  const beside = of.slice(at + what.length);
  return new RegExp(String.raw`^\s+and ${alias.replace(".", "\\.")}project_id = \$\d+`).test(beside);
}

function firstDifference(left: string, right: string): number {
  let at = 0;
  while (at < left.length && left[at] === right[at]) at += 1;
  return at;
}
