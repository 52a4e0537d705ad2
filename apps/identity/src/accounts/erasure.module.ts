import { Module } from '@nestjs/common';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { ErasureController } from './erasure.controller.js';
import { ErasureRepository } from './erasure.repository.js';
import { ErasureService } from './erasure.service.js';

/** Erasing users. */
@Module({
  imports: [RevocationModule, SessionModule],
  controllers: [ErasureController],
  providers: [ErasureRepository, ErasureService],
})
export class ErasureModule {}
