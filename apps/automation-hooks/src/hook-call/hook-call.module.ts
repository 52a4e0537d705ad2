import { Module } from '@nestjs/common';
import { RunModule } from '../run/run.module.js';
import { HookCallKeySweeper } from './call-key.sweeper.js';
import { HookCallController, HookCallGate } from './hook-call.controller.js';
import { HookCallRepository } from './hook-call.repository.js';
import { HookCallService } from './hook-call.service.js';

@Module({
  imports: [RunModule],
  controllers: [HookCallController],
  providers: [HookCallGate, HookCallKeySweeper, HookCallRepository, HookCallService],
})
export class HookCallModule {}
