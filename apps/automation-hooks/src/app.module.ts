import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from './config.js';
import { Hook, HookSecret } from './hook/hook.entity.js';
import { HookModule } from './hook/hook.module.js';
import { sealedColumns } from './hook/hook.service.js';
import { HookCallModule } from './hook-call/hook-call.module.js';
import { migrations } from './migrations/index.js';
import { Run, RunStep } from './run/run.entity.js';
import { RunModule } from './run/run.module.js';
import { Workflow } from './workflow/workflow.entity.js';
import { WorkflowModule } from './workflow/workflow.module.js';

/** Every table but `run_queue`, which only hand-written SQL reaches, and the tables of the libraries. */
const entities = [Hook, HookSecret, Run, RunStep, Workflow];

@Module({})
export class AppModule {
  static with(config: AutomationsConfig): DynamicModule {
    return {
      module: AppModule,
      // The configuration reaches every module of the service.
      global: true,
      providers: [{ provide: AUTOMATIONS_CONFIG, useValue: config }],
      exports: [AUTOMATIONS_CONFIG],
      imports: [
        DatabaseModule.forService({ config: config.database, entities, migrations }),
        SealingModule.forService(config.encryptionKey, sealedColumns),
        MessagingModule.forService({ config: config.service.nats }),
        LimitsModule.forService(config.limits, config.service.name),
        HookModule,
        WorkflowModule,
        RunModule,
        HookCallModule,
      ],
    };
  }
}
