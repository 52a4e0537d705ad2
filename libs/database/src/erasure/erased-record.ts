import type { ServiceDatabase } from '@crm/contracts';
import type { QueryRunner } from 'typeorm';
import type { ReadOfEveryTenant } from '../cluster/every-tenant.js';
import type { Database } from '../database.js';
import { createTenantTable } from '../migrations/tables.js';
import type { TenantTransaction } from '../transaction.js';
import { deleteOldest } from '../worker/delete-oldest.js';
import { DueWorkMeter, measureDueWork } from '../worker/due-work-meter.js';
import { Sweeper } from '../worker/sweeper.js';
import type { Erasure } from './erased-events.js';

/** The records that were erased, and what is still to be done about it. Later events of them are known by it. */
export async function createErasedRecordTable(runner: QueryRunner, roles: ServiceDatabase): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'erased_record',
    columns: `
      record_id text NOT NULL,
      event json NOT NULL,
      detail json,
      erased_at timestamptz NOT NULL DEFAULT now(),
      due_at timestamptz`,
    primaryKey: ['record_id'],
    indexes: [
      { columns: 'erased_at', where: 'due_at IS NOT NULL', tenantFirst: false },
      { columns: 'erased_at', tenantFirst: false },
    ],
    grants: ['select', 'insert', 'update'],
    narrow: ['select', 'delete'],
  });
}

/** The first event says it all. $1: tenant, $2: record, $3: event, $4: detail, $5: seconds until something is to be done. */
export const NOTE_ERASED = `
  INSERT INTO erased_record (tenant_id, record_id, event, detail, due_at) VALUES ($1, $2, $3, $4, now() + make_interval(secs => $5))
  ON CONFLICT (tenant_id, record_id) DO NOTHING RETURNING 1`;

export const findDueErasures: ReadOfEveryTenant = (table) => `
  SELECT tenant_id AS "tenantId", record_id AS "recordId" FROM ${table('erased_record')}
   WHERE due_at <= now() ORDER BY erased_at LIMIT 100`;

/** Since the erasure: what fails is put off each time. */
const measureErasures = measureDueWork('erased_record', 'erased_at', 'due_at IS NOT NULL');

// Times are given, because a cluster changes rows by immutable functions alone.

/** In case this process ends meanwhile. $1: tenant, $2: record, $3: now, $4: until when. */
export const CLAIM_ERASURE = `
  UPDATE erased_record SET due_at = $4::timestamptz
   WHERE tenant_id = $1 AND record_id = $2 AND due_at <= $3::timestamptz
  RETURNING event, detail, erased_at AS "erasedAt"`;

/** $1: tenant, $2: record, $3: the next time; null when there is none. */
export const SETTLE_ERASURE = `
  UPDATE erased_record SET due_at = $3::timestamptz WHERE tenant_id = $1 AND record_id = $2`;

const EVERY_MS = 1_000;
/** It may be done twice, by anyone who takes it over. */
const CLAIM_SECONDS = 15;
const KEPT_DAYS = 30;

export interface DueErasure {
  readonly event: Erasure;
  readonly detail: unknown;
  readonly erasedAt: Date;
}

/** In the transaction that takes the content. @returns false when it was noted before */
export async function noteErased(
  tx: TenantTransaction,
  event: Erasure,
  dueInSeconds: number,
  detail: unknown = null,
): Promise<boolean> {
  const noted = [tx.tenantId, event.subject, JSON.stringify(event), JSON.stringify(detail), dueInSeconds];
  return (await tx.query(NOTE_ERASED, noted)).length > 0;
}

/** Carries out what is due, and again until it is done, also after the end of a process. */
export abstract class ErasureSweeper extends Sweeper {
  private readonly meter: DueWorkMeter;

  constructor(protected readonly database: Database) {
    super({ everyMs: EVERY_MS, atStart: true });
    this.meter = new DueWorkMeter(database, 'erasures', measureErasures);
  }

  override start(): void {
    this.meter.start();
    super.start();
  }

  override async stop(): Promise<void> {
    await Promise.all([this.meter.stop(), super.stop()]);
  }

  /** Can be repeated. @returns seconds until it is to be called again; null when nothing is left to do */
  protected abstract erase(erasure: DueErasure): Promise<number | null>;

  async sweep(stopping: AbortSignal): Promise<void> {
    type Due = { tenantId: string; recordId: string };
    for (const { tenantId, recordId } of await this.database.everyTenant.read<Due>(findDueErasures)) {
      if (stopping.aborted) return;
      const [claimed] = await this.database.transaction(tenantId, (tx) =>
        tx.query<DueErasure>(CLAIM_ERASURE, [tenantId, recordId, new Date(), later(CLAIM_SECONDS)]),
      );
      if (!claimed) continue;
      try {
        const dueInSeconds = await this.erase(claimed);
        const dueAt = dueInSeconds === null ? null : later(dueInSeconds);
        await this.database.transaction(tenantId, (tx) => tx.query(SETTLE_ERASURE, [tenantId, recordId, dueAt]));
      } catch (error) {
        this.logger.error({ msg: 'An erasure failed; it is tried again', tenantId, recordId, err: error });
      }
    }
    const upTo = `now() - make_interval(days => ${KEPT_DAYS})`;
    await this.database.crossTenant((tx) =>
      deleteOldest(tx, { table: 'erased_record', column: 'erased_at', upTo }, 1_000),
    );
  }
}

const later = (seconds: number): Date => new Date(Date.now() + seconds * 1_000);
