import type { Revocation } from '@crm/contracts';
import { Database, type NarrowTransaction, Sweeper, type TenantTransaction } from '@crm/database';
import { RevocationPublisher } from '@crm/messaging';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { RevocationRepository } from './revocation.repository.js';

/** Published after the commit, again until that succeeds, and at start, so that a lost bucket is filled again. */
@Injectable()
export class RevocationService implements OnApplicationBootstrap {
  private readonly logger = new Logger(RevocationService.name);

  constructor(
    private readonly database: Database,
    private readonly revocations: RevocationRepository,
    private readonly publisher: RevocationPublisher,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.publish('all');
  }

  /**
   * Call {@link publishPending} after the commit.
   * @param kind what `id` names
   * @param cutoffMs Unix time in milliseconds
   */
  async record(
    tx: TenantTransaction | NarrowTransaction,
    kind: Revocation['kind'],
    id: string,
    cutoffMs = Date.now(),
  ): Promise<void> {
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
      await this.publish('unpublished');
    } catch (error) {
      this.logger.error({ msg: 'Cut-offs could not be published; the next sweep tries again', err: error });
    }
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

/** Keeps suspensions in the bucket of cut-offs for as long as they are in force, for processes that start later. */
@Injectable()
export class LastingCutoffSweeper extends Sweeper {
  constructor(private readonly revocations: RevocationService) {
    super({ everyMs: LASTING_EVERY_MS });
  }

  sweep(): Promise<void> {
    return this.revocations.publishLasting();
  }
}
