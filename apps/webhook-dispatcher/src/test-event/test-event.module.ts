import { Module } from '@nestjs/common';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { TestEventController } from './test-event.controller.js';
import { TestEventService } from './test-event.service.js';

@Module({
  imports: [ReceiverModule, SendingModule],
  controllers: [TestEventController],
  providers: [TestEventService],
})
export class TestEventModule {}
