import { Module } from '@nestjs/common';
import { RunModule } from '../run/run.module.js';
import { HookCallController } from './hook-call.controller.js';
import { HookCallGate } from './hook-call.gate.js';
import { HookCallKeySweeper, HookCallRepository } from './hook-call.repository.js';

import { HookCallService } from './hook-call.service.js';

@Module({
  imports: [RunModule],
  controllers: [HookCallController],
  providers: [HookCallGate, HookCallKeySweeper, HookCallRepository, HookCallService],
})
export class HookCallModule {}
