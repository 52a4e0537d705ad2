import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ReceiversModule } from '../receivers/receivers.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { ListeningLimit, SampleEventLimit } from './concurrency-limit.js';
import { ListeningRepository } from './listening.repository.js';
import { ListeningService } from './listening.service.js';
import { ListeningController, SampleEventController, TestEventController } from './sandbox.controller.js';
import { SandboxService } from './sandbox.service.js';
import { TestEventService } from './test-event.service.js';

@Module({
  imports: [DeliveryModule, ReceiversModule, SubscriptionsModule],
  controllers: [ListeningController, SampleEventController, TestEventController],
  providers: [
    ListeningLimit,
    ListeningRepository,
    ListeningService,
    SampleEventLimit,
    SandboxService,
    TestEventService,
  ],
})
export class SandboxModule {}
