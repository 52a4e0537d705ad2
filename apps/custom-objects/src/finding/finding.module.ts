import { Module } from '@nestjs/common';
import { ObjectModule } from '../object/object.module.js';
import { CostlyQueries } from './costly-query.service.js';
import { RecordListRepository } from './record-list.repository.js';
import { RecordListService } from './record-list.service.js';
import { SearchRepository } from './search.repository.js';
import { SearchTextService } from './search-text.service.js';

@Module({
  imports: [ObjectModule],
  providers: [CostlyQueries, RecordListRepository, RecordListService, SearchRepository, SearchTextService],
  exports: [RecordListService, SearchRepository],
})
export class FindingModule {}
