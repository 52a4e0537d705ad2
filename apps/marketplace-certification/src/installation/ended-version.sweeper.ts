import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { InstallationRepository, InstallationWorkRepository } from './installation.repository.js';
import { InstallationWorker } from './installation.worker.js';

const EVERY_MS = 1_000;
/** A publisher tries a version in a few sandboxes. */
const MOST = 100;

/**
 * Removes the sandboxes of versions that were withdrawn or rejected: they were never reviewed to the end, and nobody would look
 * after what goes on with the rights that they were granted. What is in progress is found when it is installed.
 */
@Injectable()
export class EndedVersionSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly work: InstallationWorkRepository,
    private readonly worker: InstallationWorker,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  /** After a version has ended. A failure is logged, not thrown: that is committed, and the next sweep tries again. */
  async sweepNow(): Promise<void> {
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn({
        msg: 'Sandboxes of an ended version were not removed; the next sweep tries again',
        err: error,
      });
    }
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const ended = await this.database.crossTenant((tx) => this.installations.listOfEndedVersions(tx, MOST));
    for (const { tenantId, id } of ended) {
      if (stopping?.aborted) return;
      const lease = await this.database.transaction(tenantId, async (tx) =>
        (await this.installations.changeState(tx, id, 'active', 'uninstalling', { actingUserId: null }))
          ? this.work.start(tx, id)
          : undefined,
      );
      if (lease) this.worker.startUnattended(lease);
    }
  }
}
