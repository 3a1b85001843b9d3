-- The parts of the file that the observation is about, as hashes: {"lines": [[characters, sum, hash]], "symbols":
-- [[hash of the name, hash of the block]]}. Null when it names no part.
alter table observation_blobs add column spans text;
