-- A deleted prompt as an import may bring it: a hash of its delivery without the session, since a host copies prompts into
-- the transcript of a resumed session, or of session and text where the host gave it no id; and when it was asked. Only
-- this device has them. Null for a prompt that was deleted before.
alter table tombstones add column delivery_key text;
alter table tombstones add column asked_at_epoch integer;
create index tombstones_delivery on tombstones (delivery_key) where delivery_key is not null;
