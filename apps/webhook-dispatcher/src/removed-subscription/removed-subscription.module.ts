import { Module } from '@nestjs/common';
import { RemovedSubscriptionRepository } from './removed-subscription.repository.js';
import { RemovedSubscriptionSweeper } from './removed-subscription.sweeper.js';

@Module({
  providers: [RemovedSubscriptionRepository, RemovedSubscriptionSweeper],
  exports: [RemovedSubscriptionRepository],
})
export class RemovedSubscriptionModule {}
