import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { AutomationsConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { entities } from './entities.js';
import { HookModule } from './hook/hook.module.js';
import { HookCallModule } from './hook-call/hook-call.module.js';
import { RunModule } from './run/run.module.js';
import { sealedColumns } from './sealed-columns.js';
import { WorkflowModule } from './workflow/workflow.module.js';

@Module({})
export class AppModule {
  static with(config: AutomationsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities }),
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
