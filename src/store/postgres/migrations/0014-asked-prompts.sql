-- Prompts by whichever name a sender gives their events, as `promptEventPattern` has it: each context for a prompt reads
-- the newest of the project.
create index agent_events_asked on agent_events (team_id, project_id, seq)
  where event_type ~* '^(user_?prompt(_?submit(ted)?)?|prompt)$';
