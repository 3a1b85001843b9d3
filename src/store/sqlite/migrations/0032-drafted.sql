-- With a model, rules write provisional records of a message at once; it waits for the model's call at the end of its turn.
alter table pending_messages add column drafted integer not null default 0 check (drafted in (0, 1));
create index pending_messages_undrafted on pending_messages (session_id, id) where status = 'pending' and drafted = 0;
