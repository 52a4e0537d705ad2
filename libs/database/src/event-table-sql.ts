// The statements on outbox, inbox, dead letters and partitions, for the test of their plans; services call functions instead.
export * from './inbox/dead-letter.sql.js';
export * from './inbox/inbox.sql.js';
export * from './outbox/outbox.sql.js';
export * from './partitions/partitions.sql.js';
