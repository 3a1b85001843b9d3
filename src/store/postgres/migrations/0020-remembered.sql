-- What agents kept over MCP, which has a limit a day and key.
create index audit_log_remembered on audit_log (team_id, created_at) where action = 'observation.remembered';
