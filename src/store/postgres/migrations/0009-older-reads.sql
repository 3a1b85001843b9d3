-- The older routes read by time and list what users asked: both would walk everything that a project ever did.

create index observations_by_time on observations (team_id, project_id, created_at, seq);
create index agent_events_prompts on agent_events (team_id, project_id, seq) where event_type = 'user_prompt';
create index agent_events_prompts_by_time on agent_events (team_id, project_id, occurred_at, seq)
  where event_type = 'user_prompt';
