import { Module } from '@nestjs/common';
import { DeliveryModule } from '../delivery/delivery.module.js';
import { ReceiversModule } from '../receivers/receivers.module.js';
import { SubscriptionsModule } from '../subscriptions/subscriptions.module.js';
import { ListeningController } from './listening.controller.js';
import { ListeningRepository } from './listening.repository.js';
import { ListeningService } from './listening.service.js';
import { ListeningLimit } from './listening-places.js';
import { SampleEventController } from './sample-event.controller.js';
import { SampleEventService } from './sample-event.service.js';
import { SampleEventLimit } from './sample-event-places.js';
import { SandboxService } from './sandbox.service.js';
import { TestEventController } from './test-event.controller.js';
import { TestEventService } from './test-event.service.js';

@Module({
  imports: [DeliveryModule, ReceiversModule, SubscriptionsModule],
  controllers: [ListeningController, SampleEventController, TestEventController],
  providers: [
    ListeningLimit,
    ListeningRepository,
    ListeningService,
    SampleEventLimit,
    SampleEventService,
    SandboxService,
    TestEventService,
  ],
})
export class SandboxModule {}
