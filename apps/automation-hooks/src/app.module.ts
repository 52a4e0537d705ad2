import { DatabaseModule } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { LimiterStore, MemoryLimiterStore } from '@crm/http';
import { MessagingModule, TenantDirectory } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from './config.js';
import { HookController } from './hook/hook.controller.js';
import { HookGate } from './hook/hook.gate.js';
import { HookRepository } from './hook/hook.repository.js';
import { HookService } from './hook/hook.service.js';
import { RunActions } from './run/run.actions.js';
import { RunConsumer } from './run/run.consumer.js';
import { RunController } from './run/run.controller.js';
import { RunExecutor } from './run/run.executor.js';
import { RunHttpRequest } from './run/run.http-request.js';
import { RunQueue } from './run/run.queue.js';
import { RunRepository } from './run/run.repository.js';
import { RunService } from './run/run.service.js';
import { RunSignal } from './run/run.signal.js';
import { RunTokens } from './run/run.tokens.js';
import { RunWorker } from './run/run.worker.js';
import { WorkflowController } from './workflow/workflow.controller.js';
import { WorkflowLimit } from './workflow/workflow.limit.js';
import { WorkflowProvisioning } from './workflow/workflow.provisioning.js';
import { WorkflowRepository } from './workflow/workflow.repository.js';
import { WorkflowRpc } from './workflow/workflow.rpc.js';
import { WorkflowService } from './workflow/workflow.service.js';

const WORKFLOW = [WorkflowService, WorkflowProvisioning, WorkflowLimit, WorkflowRepository];
const HOOK = [HookGate, HookService, HookRepository];
const RUN = [
  RunService,
  RunRepository,
  RunQueue,
  RunSignal,
  RunWorker,
  RunExecutor,
  RunActions,
  RunHttpRequest,
  RunTokens,
];

@Module({
  controllers: [WorkflowController, WorkflowRpc, HookController, RunController, RunConsumer],
  providers: [...WORKFLOW, ...HOOK, ...RUN, TenantDirectory],
})
export class AppModule {
  static with(config: AutomationsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database }),
        MessagingModule.forService({ config: config.service.nats }),
      ],
      providers: [
        { provide: AUTOMATIONS_CONFIG, useValue: config },
        { provide: LimiterStore, useClass: MemoryLimiterStore },
        { provide: OutsideClient, useFactory: () => new OutsideClient(config.egress) },
      ],
    };
  }
}
