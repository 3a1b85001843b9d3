-- Events of hosts that could not be read, counted by host and reason.
create table unread_events (
  host text not null,
  reason text not null,
  events integer not null,
  last_event text not null,
  last_at_epoch integer not null,
  primary key (host, reason)
) strict, without rowid;
