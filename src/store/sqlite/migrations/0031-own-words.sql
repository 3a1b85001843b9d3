-- The prompt of the turn is no longer a part of a statement's title in the full text, and leaves its terms.
insert or ignore into stale_derived (kind, id) select 'observations', id from observations where subtitle like 'Asked: %';
