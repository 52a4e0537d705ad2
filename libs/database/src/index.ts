export { Batches, chunksByStatement, MOST_WEIGHT, type Outcome } from './batches.js';
export { catalogueProblems } from './catalogue.js';
export { shardProblems } from './catalogue-shards.js';
export { byTenant, type ReadOfEveryTenant } from './cluster/every-tenant.js';
export { Database, inOtherTenant, inWorkspace } from './database.js';
export { DatabaseModule } from './database.module.js';
export { bigintAsNumber, secondsFromNow } from './entities.js';
export { type Erasure, eraseDeadLetters, eraseEvents, isErasure, lowestIdSince } from './erasure/erased-events.js';
export {
  createErasedRecordTable,
  type DueErasure,
  ErasureSweeper,
  noteErased,
} from './erasure/erased-record.js';
export { isCausedByOneTenant, isExcessive, isRefusedStatement, isTemporary, isUniqueViolation } from './errors.js';
export * as eventTableSql from './event-table-sql.js';
export { FairQueue } from './fair-queue.js';
export {
  type CallClaim,
  CREATE_CLAIM_CALLS,
  claimOfCall,
  createIdempotencyTable,
  headerCall,
  IdempotencyKey,
  IdempotencyModule,
  IdempotencyService,
  type IdempotentCall,
  readIdempotencyKey,
  stepCall,
} from './idempotency.js';
export { idOf, lowestIdOf, millisecondsOfId, NO_TENANT, newId } from './ids.js';
export {
  countDeadLetters,
  type DeadLetterSummary,
  findDeadLetter,
  listDeadLetters,
  lockDeadLetter,
  markReplayed,
  recordInbox,
  storeDeadLetter,
} from './inbox.js';
export { isDistributed } from './migrations/distribution.js';
export { createInboxTable, createOutboxTable } from './migrations/event-tables.js';
export { type MigrationClass, UnknownSteps } from './migrations/known-steps.js';
export { type ProvisionedDatabase, provisionDatabase } from './migrations/provision.js';
export { runMigrations, runSql, ServiceMigration } from './migrations/run.js';
export {
  createGlobalTable,
  createTenantTable,
  type GlobalTableDefinition,
  type TenantTable,
} from './migrations/tables.js';
export { NarrowSession } from './narrow-session.js';
export { appendEvent, eventRow } from './outbox/append-event.js';
export {
  isDayPublished,
  isMarkedPublished,
  Outbox,
  type OutboxEvent,
  type OutboxMark,
  type RefusedEvent,
  replayOutboxEvent,
  type StreamPosition,
} from './outbox/outbox.js';
export { PartitionUpkeep } from './partitions/partition-upkeep.js';
export {
  countDefaultPartition,
  dropPartition,
  listPartitions,
  makePartition,
  retentionOf,
  sweepDefaultPartition,
} from './partitions/partitions.js';
export type { DatabaseConfig } from './pool.js';
export {
  assertQuotaLeft,
  createQuotaTable,
  DAY_SECONDS,
  HOUR_SECONDS,
  type QuotaRule,
  quotaRefusal,
  takeQuota,
} from './quota.js';
export {
  type NarrowTransaction,
  OUTBOX_CONSUMER,
  type OutboxRow,
  originOf,
  PLAN_FOR_VALUES,
  type Queryable,
  type SharedTransaction,
  TENANT_OF_STATEMENT,
  type TenantTransaction,
  type Transaction,
  type TransactionOrigin,
} from './transaction.js';
export { Backoff, jittered } from './worker/backoff.js';
export { Breaker } from './worker/breaker.js';
export { deleteOldest } from './worker/delete-oldest.js';
export { DueWorkMeter, measureDueWork } from './worker/due-work-meter.js';
export { RoundRobin } from './worker/round-robin.js';
export { Sweeper } from './worker/sweeper.js';
export { type Capacity, type Claimed, LOOK_AGAIN_SOON, TenantShares, Wake, Worker } from './worker/worker.js';
