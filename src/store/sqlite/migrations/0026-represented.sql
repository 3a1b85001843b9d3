-- Until when records that an export or another device brought stand for the session's events. An import of its transcript
-- leaves out what happened until then. Null for a session that this device recorded.
alter table sessions add column represented_until_epoch integer;
