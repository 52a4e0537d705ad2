import { MAX_CUTOFF_AGE_MS } from '@crm/access';
import { type Revocation } from '@crm/contracts';
import { Database } from '@crm/database';
import { RevocationPublisher, RevocationWatch } from '@crm/messaging';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type WorkspaceTransaction } from '../tenant-row.js';
import { RevocationRepository } from './revocation.repository.js';

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
