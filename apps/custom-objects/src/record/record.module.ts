import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { ObjectModule } from '../object/object.module.js';
import { TenantModule } from '../tenant/tenant.module.js';
import { CostlyQueries } from './costly-query.service.js';
import { RecordController } from './record.controller.js';
import { RecordRepository } from './record.repository.js';
import { RecordRpc } from './record.rpc.js';
import { RecordService } from './record.service.js';
import { RecordListService } from './record-list.service.js';
import { RecordReadService } from './record-read.service.js';
import { RecordRemovalService } from './record-removal.service.js';
import { RecordWriteService } from './record-write.service.js';
import { ReferenceRepository } from './reference.repository.js';
import { ReferenceService } from './reference.service.js';
import { ReferenceAccessService } from './reference-access.service.js';
import { SearchRepository } from './search.repository.js';
import { SearchTextService } from './search-text.service.js';
import { UniqueRepository } from './unique.repository.js';
import { UniqueService } from './unique.service.js';

@Module({
  imports: [IdempotencyModule, ObjectModule, TenantModule],
  controllers: [RecordController, RecordRpc],
  providers: [
    CostlyQueries,
    RecordListService,
    RecordReadService,
    RecordRemovalService,
    RecordRepository,
    RecordService,
    RecordWriteService,
    ReferenceRepository,
    ReferenceService,
    ReferenceAccessService,
    SearchRepository,
    SearchTextService,
    UniqueRepository,
    UniqueService,
  ],
  exports: [RecordService],
})
export class RecordModule {}
