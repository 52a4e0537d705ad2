import { Database, Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { DomainRepository } from './domain.repository.js';
import { DomainService } from './domain.service.js';

const EVERY_MS = 10 * 60_000;

const AT_A_TIME = 50;

/** Looks proven domains up again, each once a day. */
@Injectable()
export class DomainSweeper extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly repository: DomainRepository,
    private readonly domains: DomainService,
  ) {
    super({ everyMs: EVERY_MS, atStart: true });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    for (;;) {
      const due = await this.database.crossTenant((tx) => this.repository.takeDue(tx, AT_A_TIME));
      for (const holder of due) {
        if (stopping?.aborted) return;
        await this.domains.recheck(holder);
      }
      if (due.length < AT_A_TIME) return;
    }
  }
}
