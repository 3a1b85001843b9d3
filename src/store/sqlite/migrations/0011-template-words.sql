-- The words that templates put into records of the local rules, and the names of a summary's parts, leave the full text
-- and the terms.
insert or ignore into stale_derived (kind, id) select 'observations', id from observations where generator = 'local';
insert or ignore into stale_derived (kind, id) select 'session_summaries', id from session_summaries;
