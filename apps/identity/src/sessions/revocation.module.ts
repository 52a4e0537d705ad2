import { Module } from '@nestjs/common';
import { LastingCutoffSweeper } from './lasting-cutoff.sweeper.js';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { RevocationSweeper } from './revocation.sweeper.js';

/** Cut-offs, which end tokens before they expire. */
@Module({
  providers: [LastingCutoffSweeper, RevocationRepository, RevocationService, RevocationSweeper],
  exports: [RevocationService],
})
export class RevocationModule {}
