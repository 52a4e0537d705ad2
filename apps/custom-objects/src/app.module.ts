import { DatabaseModule } from '@crm/database';
import { IdempotencyModule } from '@crm/idempotency';
import { MessagingModule, TenantDirectory } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { CustomObjectsConfig } from './config.js';
import { ModelStore } from './object/model-store.js';
import { ObjectController } from './object/object.controller.js';
import { ObjectRepository } from './object/object.repository.js';
import { ObjectRpc } from './object/object.rpc.js';
import { ObjectService } from './object/object.service.js';
import { RecordController } from './record/record.controller.js';
import { RecordRepository } from './record/record.repository.js';
import { RecordRpc } from './record/record.rpc.js';
import { RecordService } from './record/record.service.js';
import { ReferenceService } from './record/reference.service.js';
import { UniqueRepository } from './record/unique.repository.js';
import { UniqueService } from './record/unique.service.js';

@Module({})
export class AppModule {
  static with(config: CustomObjectsConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        IdempotencyModule,
      ],
      controllers: [ObjectController, ObjectRpc, RecordController, RecordRpc],
      providers: [
        TenantDirectory,
        ObjectRepository,
        ModelStore,
        ObjectService,
        RecordRepository,
        ReferenceService,
        UniqueRepository,
        UniqueService,
        RecordService,
      ],
    };
  }
}
