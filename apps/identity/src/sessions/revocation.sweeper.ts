import { Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RevocationService } from './revocation.service.js';

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
