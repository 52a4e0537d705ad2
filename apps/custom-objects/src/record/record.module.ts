import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { CostlyQueries } from '../finding/costly-query.service.js';
import { ExpandedReferences } from '../finding/expanded-references.service.js';
import { ListTotals } from '../finding/list-total.service.js';
import { ObjectSizes } from '../finding/object-size.service.js';
import { RecordListRepository } from '../finding/record-list.repository.js';
import { RecordListService } from '../finding/record-list.service.js';
import { SearchRepository } from '../finding/search.repository.js';
import { SearchService } from '../finding/search.service.js';
import { ObjectModule } from '../object/object.module.js';
import { RecordRepository } from '../reading/record.repository.js';
import { BinRepository } from '../writing/bin.repository.js';
import { ReferenceRepository, UniqueValueRepository } from '../writing/claim.repository.js';
import { ErasureRepository } from '../writing/erasure.repository.js';
import { RecordErasureService, StreamErasureSweeper } from '../writing/record-erasure.service.js';
import { RecordRemovalService } from '../writing/record-removal.service.js';
import { RecordRestoreService } from '../writing/record-restore.service.js';
import { RecordWriteRepository } from '../writing/record-write.repository.js';
import { RecordWriteService } from '../writing/record-write.service.js';
import { ReferenceAccessService, UserDirectory } from '../writing/reference-access.service.js';
import { recordControllers } from './record.controller.js';
import { RecordRpc } from './record.rpc.js';
import { RecordService } from './record.service.js';
import { erasureControllers } from './record-erasure.controller.js';
import { restoreControllers } from './record-restore.controller.js';
import { SearchController } from './search.controller.js';

/** Everything on records; the folders `reading`, `finding` and `writing` are its parts. */
@Module({
  imports: [IdempotencyModule, ObjectModule],
  controllers: [...recordControllers, ...restoreControllers, ...erasureControllers, RecordRpc, SearchController],
  providers: [
    BinRepository,
    CostlyQueries,
    ErasureRepository,
    ExpandedReferences,
    ListTotals,
    ObjectSizes,
    RecordErasureService,
    RecordListRepository,
    RecordListService,
    RecordRemovalService,
    RecordRepository,
    RecordRestoreService,
    RecordService,
    RecordWriteRepository,
    RecordWriteService,
    ReferenceAccessService,
    ReferenceRepository,
    SearchRepository,
    SearchService,
    StreamErasureSweeper,
    UniqueValueRepository,
    UserDirectory,
  ],
})
export class RecordModule {}
