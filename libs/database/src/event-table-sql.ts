// The statements by which outbox, inbox and dead letters are reached, for the test that looks at their plans; services call functions.
export * from './inbox/dead-letter.sql.js';
export * from './inbox/inbox.sql.js';
export * from './outbox/outbox.sql.js';
