import { Sweeper } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { RevocationService } from './revocation.service.js';

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
