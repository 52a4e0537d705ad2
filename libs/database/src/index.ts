export { Batches, type Execution, MOST_WEIGHT, type Outcome } from './batches.js';
export { catalogueProblems } from './catalogue.js';
export { copiesByStatement } from './copies.js';
export { Database } from './database.js';
export { DatabaseModule, type DatabaseModuleOptions } from './database.module.js';
export type { DatabaseConfig } from './database-config.js';
export { DueWorkMeter, measureDueWork } from './due-work/due-work-meter.js';
export { bigintAsNumber } from './entities/bigint-as-number.js';
export { secondsFromNow } from './entities/database-time.js';
export type { EntityClass } from './entities/entity-managers.js';
export { isExcessive, isRefusedStatement, isTemporary, isUniqueViolation } from './errors.js';
export * as eventTableSql from './event-table-sql.js';
export { IdempotencyModule } from './idempotency/idempotency.module.js';
export { IdempotencyService } from './idempotency/idempotency.service.js';
export { createIdempotencyTable } from './idempotency/idempotency.table.js';
export { IdempotencyKey, readIdempotencyKey } from './idempotency/idempotency-key.js';
export { headerCall, type IdempotentCall, stepCall } from './idempotency/idempotent-call.js';
export { idOf, lowestIdOf, millisecondsOfId, NO_TENANT, newId } from './ids.js';
export { inWorkspace } from './in-workspace.js';
export {
  countDeadLetters,
  type DeadLetter,
  type DeadLetterSummary,
  findDeadLetter,
  listDeadLetters,
  lockDeadLetter,
  markReplayed,
  storeDeadLetter,
} from './inbox/dead-letter.js';
export { recordInbox } from './inbox/inbox.js';
export { createInboxTable, createOutboxTable } from './migrations/event-tables.js';
export { type ProvisionedDatabase, type Provisioning, provisionDatabase } from './migrations/provision.js';
export { type MigrationRun, runMigrations } from './migrations/run.js';
export { type MigrationClass, ServiceMigration } from './migrations/service-migration.js';
export {
  type Command,
  createGlobalTable,
  createTenantTable,
  type GlobalTableDefinition,
  type IndexDefinition,
  type ReferenceDefinition,
  type TenantTable,
} from './migrations/tables.js';
export { NarrowSession, type NarrowSessionOptions } from './narrow-session.js';
export { appendEvent, type EventInput, eventRow, MAX_EVENT_BYTES } from './outbox/append-event.js';
export {
  isDayPublished,
  Outbox,
  type OutboxEvent,
  type OutboxMark,
  type RefusedEvent,
  replayOutboxEvent,
  type StreamPlace,
} from './outbox/outbox.js';
export { OUTBOX_CONSUMER, type OutboxRow } from './outbox/outbox-row.js';
export { OutboxSignal } from './outbox/signal.js';
export { PartitionUpkeep } from './partitions/partition-upkeep.js';
export {
  countDefaultPartition,
  type DropOutcome,
  dropPartition,
  listPartitions,
  type MakeOutcome,
  makePartition,
  type PartitionedTable,
  sweepDefaultPartition,
} from './partitions/partitions.js';
export { defaultRetention, retentionOf } from './partitions/retention.js';
export { PLAN_FOR_VALUES } from './plan-for-values.js';
export { assertQuotaLeft, DAY_SECONDS, HOUR_SECONDS, type QuotaRule, quotaRefusal, takeQuota } from './quota/quota.js';
export { createQuotaTable } from './quota/quota.table.js';
export { TENANT_OF_STATEMENT } from './tenant-of-statement.js';
export type {
  NarrowTransaction,
  Queryable,
  TenantTransaction,
  Transaction,
  TransactionOrigin,
} from './transaction.js';
export { Backoff, jittered } from './worker/backoff.js';
export { Breaker, type BreakerOptions } from './worker/breaker.js';
export { Sweeper, type SweeperOptions } from './worker/sweeper.js';
export { TenantShares } from './worker/tenant-shares.js';
export { Wake } from './worker/wake.js';
export {
  type Claimed,
  LOOK_AGAIN_SOON,
  type Room,
  Worker,
  type WorkerOptions,
  type WorkItem,
} from './worker/worker.js';
