// The statements by which outbox and inbox are reached, for the test that looks at their plans; services call functions.
export * from './inbox/inbox.sql.js';
export * from './outbox/outbox.sql.js';
