import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { CostlyQueries } from '../finding/costly-query.service.js';
import { ExpandedReferences } from '../finding/expanded-references.service.js';
import { ListTotals } from '../finding/list-total.service.js';
import { ObjectSizes } from '../finding/object-size.service.js';
import { RecordAggregateRepository } from '../finding/record-aggregate.repository.js';
import { RecordAggregateService } from '../finding/record-aggregate.service.js';
import { RecordListRepository } from '../finding/record-list.repository.js';
import { RecordListService } from '../finding/record-list.service.js';
import { SearchRepository } from '../finding/search.repository.js';
import { SearchService } from '../finding/search.service.js';
import { SearchListSweeper } from '../finding/search-list.sweeper.js';
import { ObjectModule } from '../object/object.module.js';
import { RecordRepository } from '../reading/record.repository.js';
import { StorageModule } from '../storage/storage.module.js';
import { NoteRepository } from '../timeline/note.repository.js';
import { NoteService } from '../timeline/note.service.js';
import { RecordHistoryRepository } from '../timeline/record-history.repository.js';
import { RelatedTaskRepository } from '../timeline/related-task.repository.js';
import { TimelineService } from '../timeline/timeline.service.js';
import { BinRepository } from '../writing/bin.repository.js';
import { ReferenceRepository, UniqueValueRepository } from '../writing/claim.repository.js';
import { ErasureRepository } from '../writing/erasure.repository.js';
import { RecordErasureService, StreamErasureSweeper } from '../writing/record-erasure.service.js';
import { RecordMergeService } from '../writing/record-merge.service.js';
import { RecordRemovalService } from '../writing/record-removal.service.js';
import { RecordRestoreService } from '../writing/record-restore.service.js';
import { RecordWriteRepository } from '../writing/record-write.repository.js';
import { RecordWriteService } from '../writing/record-write.service.js';
import { ReferenceAccessService, UserDirectory } from '../writing/reference-access.service.js';
import { ReferringRecords } from '../writing/referring-records.js';
import { LeadConversionController } from './lead-conversion.controller.js';
import { LeadConversionService } from './lead-conversion.service.js';
import { NoteController } from './note.controller.js';
import { recordControllers } from './record.controller.js';
import { RecordRpc } from './record.rpc.js';
import { RecordService } from './record.service.js';
import { RecordBulkService } from './record-bulk.service.js';
import { timelineControllers } from './record-timeline.controller.js';
import { SearchController } from './search.controller.js';

/** Everything on records; the folders `reading`, `finding`, `writing` and `timeline` are its parts. */
@Module({
  imports: [IdempotencyModule, ObjectModule, StorageModule],
  controllers: [
    ...recordControllers,
    ...timelineControllers,
    NoteController,
    LeadConversionController,
    RecordRpc,
    SearchController,
  ],
  providers: [
    BinRepository,
    CostlyQueries,
    ErasureRepository,
    ExpandedReferences,
    LeadConversionService,
    ListTotals,
    NoteRepository,
    NoteService,
    ObjectSizes,
    RecordHistoryRepository,
    RecordAggregateRepository,
    RecordAggregateService,
    RecordBulkService,
    RecordErasureService,
    RecordListRepository,
    RecordListService,
    RecordMergeService,
    RecordRemovalService,
    RecordRepository,
    RecordRestoreService,
    RecordService,
    RecordWriteRepository,
    RecordWriteService,
    ReferenceAccessService,
    ReferenceRepository,
    ReferringRecords,
    RelatedTaskRepository,
    SearchListSweeper,
    SearchRepository,
    SearchService,
    TimelineService,
    StreamErasureSweeper,
    UniqueValueRepository,
    UserDirectory,
  ],
})
export class RecordModule {}
