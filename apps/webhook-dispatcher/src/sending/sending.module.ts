import { Module } from '@nestjs/common';
import { OutsideModule } from '../outside/outside.module.js';
import { ReceiverChangesModule } from '../receiver-changes/receiver-changes.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SubscriptionQueueModule } from '../subscription-queue/subscription-queue.module.js';
import { ReceiverHealth } from './receiver-health.js';
import { SendPlaces } from './send-places.js';
import { SendRates } from './send-rates.js';
import { Sender } from './sender.js';
import { SlowLane } from './slow-lane.js';
import { Targets } from './targets.js';

@Module({
  imports: [OutsideModule, ReceiverChangesModule, SubscriptionModule, SubscriptionQueueModule],
  providers: [ReceiverHealth, SendPlaces, SendRates, Sender, SlowLane, Targets],
  exports: [ReceiverHealth, SendPlaces, Sender, Targets],
})
export class SendingModule {}
