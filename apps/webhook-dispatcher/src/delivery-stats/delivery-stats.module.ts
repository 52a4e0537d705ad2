import { Module } from '@nestjs/common';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { DeliveryStatsController } from './delivery-stats.controller.js';
import { DeliveryStatsRepository } from './delivery-stats.repository.js';
import { DeliveryStatsService } from './delivery-stats.service.js';

@Module({
  imports: [SubscriptionModule],
  controllers: [DeliveryStatsController],
  providers: [DeliveryStatsRepository, DeliveryStatsService],
  exports: [DeliveryStatsRepository],
})
export class DeliveryStatsModule {}
