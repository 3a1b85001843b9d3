-- Deleting a session deletes its rows: without these it read every observation and summary, 80 ms of 100,000.
create index observations_of_session on observations (session_id) where session_id is not null;
create index session_summaries_of_session on session_summaries (session_id) where session_id is not null;
