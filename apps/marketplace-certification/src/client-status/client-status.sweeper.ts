import { Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { ClientStatusService } from './client-status.service.js';

const EVERY_MS = 5_000;
/** Operators decide about a few apps in a year. */
const MOST = 100;

/** Tells identity again what it could not be told. */
@Injectable()
export class ClientStatusSweeper extends Sweeper {
  constructor(private readonly statuses: ClientStatusService) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    for (const appKey of await this.statuses.listUntold(MOST)) {
      if (stopping?.aborted) return;
      await this.statuses.tell(appKey);
    }
  }
}
