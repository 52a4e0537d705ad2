import { Module } from '@nestjs/common';
import { QueueModule } from '../queue/queue.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { RateLimits } from './rate-limits.js';
import { ReceiverDirectory, ReceiverRepository } from './receiver-directory.js';
import { ReceiverHealth } from './receiver-health.js';
import { ReceiverLimits } from './receiver-limits.js';

@Module({
  imports: [QueueModule, SubscriptionsModule],
  providers: [RateLimits, ReceiverDirectory, ReceiverHealth, ReceiverLimits, ReceiverRepository],
  exports: [RateLimits, ReceiverDirectory, ReceiverHealth, ReceiverLimits],
})
export class ReceiversModule {}
