// The statements on outbox, inbox, dead letters and partitions, for the test of their plans; services call functions instead.
export {
  COUNT_DEAD_LETTERS,
  FIND_DEAD_LETTER,
  LIST_DEAD_LETTERS,
  LOCK_DEAD_LETTER,
  MARK_REPLAYED,
  RECORD_HANDLED,
  RENEW_DEAD_LETTER,
  STORE_DEAD_LETTER,
} from './inbox.js';
export * from './outbox/outbox.sql.js';
export {
  COUNT_DEFAULT_PARTITION,
  DROP_PARTITION,
  LIST_PARTITIONS,
  MAKE_PARTITION,
  SWEEP_DEFAULT_PARTITION,
} from './partitions/partitions.js';
