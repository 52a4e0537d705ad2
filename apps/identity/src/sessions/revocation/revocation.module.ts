import { Module } from '@nestjs/common';
import { RevocationRepository } from './revocation.repository.js';
import { RevocationService } from './revocation.service.js';
import { RevocationSweeper } from './revocation.sweeper.js';

/** Cut-offs, which end tokens before they expire. */
@Module({
  providers: [RevocationRepository, RevocationService, RevocationSweeper],
  exports: [RevocationService],
})
export class RevocationModule {}
