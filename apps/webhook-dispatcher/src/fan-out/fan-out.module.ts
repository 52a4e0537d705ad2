import { Module } from '@nestjs/common';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { RecordingModule } from '../recording/recording.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { FanOutConsumer } from './fan-out.consumer.js';
import { FanOutService } from './fan-out.service.js';
import { KnownDeliveries } from './known-deliveries.js';

@Module({
  imports: [ReceiverModule, RecordingModule, SendingModule],
  controllers: [FanOutConsumer],
  providers: [FanOutService, KnownDeliveries],
  exports: [FanOutService],
})
export class FanOutModule {}
