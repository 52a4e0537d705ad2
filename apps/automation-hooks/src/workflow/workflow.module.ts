import { Module } from '@nestjs/common';
import { HookModule } from '../hook/hook.module.js';
import { OutsideModule } from '../outside/outside.module.js';
import { AcceptedRunsService } from './accepted-runs.service.js';
import { DefinitionSweeper } from './definition.sweeper.js';
import { WorkflowController } from './workflow.controller.js';
import { WorkflowRepository } from './workflow.repository.js';
import { WorkflowRpc } from './workflow.rpc.js';
import { WorkflowService } from './workflow.service.js';
import { WorkflowHookController } from './workflow-hook.controller.js';
import { WorkflowHookService } from './workflow-hook.service.js';
import { WorkflowLimit } from './workflow-limit.js';
import { WorkflowProvisioningService } from './workflow-provisioning.service.js';

@Module({
  imports: [HookModule, OutsideModule],
  controllers: [WorkflowController, WorkflowHookController, WorkflowRpc],
  providers: [
    AcceptedRunsService,
    DefinitionSweeper,
    WorkflowHookService,
    WorkflowLimit,
    WorkflowProvisioningService,
    WorkflowRepository,
    WorkflowService,
  ],
  // Runs read their workflow in their own transactions.
  exports: [WorkflowRepository],
})
export class WorkflowModule {}
