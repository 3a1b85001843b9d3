-- A deleted prompt without its session: a hash of its delivery, and when it was asked. A host copies prompts into the
-- transcript of a resumed session. This device's imports alone read it. Null for a prompt that was deleted before.
alter table tombstones add column delivery_key text;
alter table tombstones add column asked_at_epoch integer;
create index tombstones_delivery on tombstones (delivery_key) where delivery_key is not null;
