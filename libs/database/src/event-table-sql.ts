// The statements on outbox, inbox and dead letters, for the test of their plans; services call functions instead.
export * from './inbox/dead-letter.sql.js';
export * from './inbox/inbox.sql.js';
export * from './outbox/outbox.sql.js';
