import { Module } from '@nestjs/common';
import { FanOutModule } from '../fan-out/fan-out.module.js';
import { SandboxModule } from '../sandbox/sandbox.module.js';
import { SampleEventController } from './sample-event.controller.js';
import { SampleEventService } from './sample-event.service.js';
import { SampleEventPlaces } from './sample-event-places.js';

@Module({
  imports: [FanOutModule, SandboxModule],
  controllers: [SampleEventController],
  providers: [SampleEventPlaces, SampleEventService],
})
export class SampleEventModule {}
