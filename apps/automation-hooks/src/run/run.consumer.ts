import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { EventHandler } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { RunService } from './run.service.js';

/** Domain events start the workflows that wait for them. */
@Injectable()
export class RunConsumer {
  constructor(private readonly runs: RunService) {}

  @EventHandler(CONSUMERS['automation-hooks'], 'all')
  async onEvent(event: EventEnvelope, tx: TenantTransaction): Promise<void> {
    await this.runs.acceptEvent(tx, event);
  }
}
