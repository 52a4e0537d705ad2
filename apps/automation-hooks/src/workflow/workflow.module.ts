import { OutsideClient } from '@crm/egress';
import { Module } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { HookModule } from '../hook/hook.module.js';
import { WorkflowController, WorkflowRpc } from './workflow.controller.js';
import { DefinitionSweeper, WorkflowRepository } from './workflow.repository.js';
import { DeletedWorkflowsService, WorkflowService } from './workflow.service.js';
import { WorkflowProvisioningService } from './workflow-provisioning.service.js';

@Module({
  imports: [HookModule],
  controllers: [WorkflowController, WorkflowRpc],
  providers: [
    DefinitionSweeper,
    DeletedWorkflowsService,
    WorkflowProvisioningService,
    WorkflowRepository,
    WorkflowService,
    {
      provide: OutsideClient,
      inject: [AUTOMATIONS_CONFIG],
      useFactory: ({ egress }: Pick<AutomationsConfig, 'egress'>) => new OutsideClient(egress),
    },
  ],
  // Runs read their workflow in their own transactions.
  exports: [OutsideClient, WorkflowRepository],
})
export class WorkflowModule {}
