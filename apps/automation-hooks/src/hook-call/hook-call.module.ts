import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { Module } from '@nestjs/common';
import { HookModule } from '../hook/hook.module.js';
import { RunModule } from '../run/run.module.js';
import { WorkflowModule } from '../workflow/workflow.module.js';
import { HookCallController } from './hook-call.controller.js';
import { HookCallGate } from './hook-call.gate.js';

@Module({
  imports: [HookModule, RunModule, WorkflowModule],
  controllers: [HookCallController],
  providers: [HookCallGate, { provide: LimiterStore, useClass: MemoryLimiterStore }],
})
export class HookCallModule {}
