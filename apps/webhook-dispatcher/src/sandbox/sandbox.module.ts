import { Module } from '@nestjs/common';
import { ReceiverModule } from '../receiver/receiver.module.js';
import { SubscriptionModule } from '../subscription/subscription.module.js';
import { SandboxService } from './sandbox.service.js';

@Module({
  imports: [ReceiverModule, SubscriptionModule],
  providers: [SandboxService],
  exports: [SandboxService],
})
export class SandboxModule {}
