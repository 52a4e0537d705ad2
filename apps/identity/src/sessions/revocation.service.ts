import { MAX_CUTOFF_AGE_MS } from '@crm/access';
import { ACCESS_TOKEN_SECONDS, type Revocation } from '@crm/contracts';
import { Database, type NarrowTransaction, Sweeper } from '@crm/database';
import { RevocationPublisher, RevocationWatch } from '@crm/messaging';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { In, LessThanOrEqual } from 'typeorm';
import { FUTURE, type WorkspaceTransaction } from '../tenant-row.js';
import { RevocationCutoff } from './sessions.entity.js';

/** The later one of two cut-offs stays. $1: tenant, $2: kind, $3: id, $4: cut-off in milliseconds. */
export const RECORD_CUTOFF = `
  INSERT INTO pending_cutoff AS p (tenant_id, kind, id, cutoff_ms) VALUES ($1, $2, $3, $4)
  ON CONFLICT (tenant_id, kind, id) DO UPDATE SET cutoff_ms = GREATEST(p.cutoff_ms, EXCLUDED.cutoff_ms)`;

/**
 * Moves what the tenants' transactions recorded into the one list that is published. A suspension matters until it is lifted,
 * and that it was lifted for longer than the bucket keeps the suspension (a day) after it was published for the last time. The
 * revocation of an app matters for ever.
 * $1: seconds that any other matters.
 */
export const COLLECT_CUTOFFS = `
  WITH recorded AS (DELETE FROM pending_cutoff RETURNING kind, id, cutoff_ms)
  INSERT INTO revocation_cutoff AS c (kind, id, cutoff_ms, expires_at)
  SELECT kind, id, max(cutoff_ms),
         CASE kind WHEN 'suspension' THEN 'infinity'
                   WHEN 'revoked_app' THEN 'infinity'
                   WHEN 'reinstatement' THEN now() + interval '2 days'
                   ELSE now() + make_interval(secs => $1) END
    FROM recorded GROUP BY kind, id
  ON CONFLICT (kind, id) DO UPDATE SET
    cutoff_ms = GREATEST(c.cutoff_ms, EXCLUDED.cutoff_ms), expires_at = EXCLUDED.expires_at, published = false`;

export const DELETE_LIFTED_SUSPENSIONS = `
  DELETE FROM revocation_cutoff AS suspended USING revocation_cutoff AS lifted
   WHERE suspended.kind = 'suspension' AND lifted.kind = 'reinstatement' AND lifted.id = suspended.id
     AND lifted.cutoff_ms >= suspended.cutoff_ms`;

/** A cut-off matters for as long as a token issued before it could live; a minute more covers clocks that differ. */
const RELEVANT_SECONDS = ACCESS_TOKEN_SECONDS + 60;

const LASTING: readonly Revocation['kind'][] = ['suspension', 'reinstatement', 'revoked_app'];

@Injectable()
export class RevocationRepository {
  async record(tx: WorkspaceTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx.query(RECORD_CUTOFF, [tx.tenantId ?? tx.origin?.tenantId, kind, id, cutoffMs]);
  }

  async collect(tx: NarrowTransaction): Promise<void> {
    await tx.query(COLLECT_CUTOFFS, [RELEVANT_SECONDS]);
  }

  /** The cut-off of a tenant comes before a reinstatement of the same moment. */
  async list(tx: NarrowTransaction, which: 'all' | 'unpublished' | 'lasting'): Promise<Revocation[]> {
    const cutoffs = await tx.repository(RevocationCutoff).find({
      select: { kind: true, id: true, cutoffMs: true },
      where: {
        expiresAt: FUTURE,
        ...(which === 'unpublished' && { published: false }),
        ...(which === 'lasting' && { kind: In(LASTING) }),
      },
      order: { cutoffMs: 'ASC', kind: 'DESC' },
    });
    return cutoffs.map(({ kind, id, cutoffMs }) => ({ kind, id, cutoffMs }));
  }

  async deleteLifted(tx: NarrowTransaction): Promise<void> {
    await tx.query(DELETE_LIFTED_SUSPENSIONS, []);
  }

  async markPublished(tx: NarrowTransaction, { kind, id, cutoffMs }: Revocation): Promise<void> {
    await tx
      .repository(RevocationCutoff)
      .update({ kind, id, cutoffMs: LessThanOrEqual(cutoffMs) }, { published: true });
  }
}

/**
 * Published after the commit, again until that succeeds, and at start, so that a lost bucket is filled again. While the watch is
 * broken, each process of identity reads them from the database.
 */
@Injectable()
export class RevocationService implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger(RevocationService.name);
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly revocations: RevocationRepository,
    private readonly publisher: RevocationPublisher,
    private readonly watch: RevocationWatch,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.publish('all');
    this.stopListening = this.publisher.onReturn(() => void this.publishPending());
  }

  onApplicationShutdown(): void {
    this.stopListening?.();
  }

  /** Call {@link publishPending} after the commit. @param cutoffMs Unix time in milliseconds */
  async record(tx: WorkspaceTransaction, kind: Revocation['kind'], id: string, cutoffMs = Date.now()): Promise<void> {
    await this.revocations.record(tx, { kind, id, cutoffMs });
  }

  /** Publishes again what outlives the bucket, which keeps an entry for a day. */
  async publishLasting(): Promise<void> {
    const lasting = await this.database.crossTenant((tx) => this.revocations.list(tx, 'lasting'));
    for (const revocation of lasting) await this.publisher.publish(revocation);
  }

  /** A failure is logged, not thrown: the change is committed, and the sweeper tries again. */
  async publishPending(): Promise<void> {
    try {
      if (this.publisher.isCut || this.watch.ageMs > MAX_CUTOFF_AGE_MS) await this.learn();
      if (!this.publisher.isCut) await this.publish('unpublished');
    } catch (error) {
      this.logger.error({ msg: 'Cut-offs could not be published; the next sweep tries again', err: error });
    }
  }

  private async learn(): Promise<void> {
    const cutoffs = await this.database.crossTenant(async (tx) => {
      await this.revocations.collect(tx);
      return this.revocations.list(tx, 'all');
    });
    for (const cutoff of cutoffs) this.watch.learn(cutoff);
  }

  private async publish(which: 'all' | 'unpublished'): Promise<void> {
    const pending = await this.database.crossTenant(async (tx) => {
      await this.revocations.collect(tx);
      // One whose reinstatement has expired would come into force again.
      if (which === 'all') await this.revocations.deleteLifted(tx);
      return this.revocations.list(tx, which);
    });
    for (const revocation of pending) {
      await this.publisher.publish(revocation);
      await this.database.crossTenant((tx) => this.revocations.markPublished(tx, revocation));
    }
  }
}

const EVERY_MS = 1000;

/** Publishes cut-offs whose publishing failed, or whose process died before it. */
@Injectable()
export class RevocationSweeper extends Sweeper {
  constructor(private readonly revocations: RevocationService) {
    super({ everyMs: EVERY_MS });
  }

  sweep(): Promise<void> {
    return this.revocations.publishPending();
  }
}

/** Far more often than the bucket forgets (a day), so that the publications of a night may fail. */
const LASTING_EVERY_MS = 3_600_000;

/** Keeps suspensions and revoked apps in the bucket of cut-offs for as long as they are in force, for processes that start later. */
@Injectable()
export class LastingCutoffSweeper extends Sweeper {
  constructor(private readonly revocations: RevocationService) {
    super({ everyMs: LASTING_EVERY_MS });
  }

  sweep(): Promise<void> {
    return this.revocations.publishLasting();
  }
}
