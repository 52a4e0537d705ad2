import { Module } from '@nestjs/common';
import { IdempotencyRepository } from './idempotency.repository.js';
import { IdempotencyService } from './idempotency.service.js';
import { IdempotencySweeper } from './idempotency.sweeper.js';

/** For services whose migrations call `createIdempotencyTable`; needs the service's `DatabaseModule`. */
@Module({
  providers: [IdempotencyRepository, IdempotencyService, IdempotencySweeper],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
