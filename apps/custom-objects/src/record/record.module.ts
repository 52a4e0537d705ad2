import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { FindingModule } from '../finding/finding.module.js';
import { ObjectModule } from '../object/object.module.js';
import { ReadingModule } from '../reading/reading.module.js';
import { WritingModule } from '../writing/writing.module.js';
import { RecordController } from './record.controller.js';
import { RecordRpc } from './record.rpc.js';
import { RecordService } from './record.service.js';
import {
  CompanyController,
  ContactController,
  LeadController,
  OpportunityController,
  TaskController,
} from './standard-record.controller.js';

@Module({
  imports: [FindingModule, IdempotencyModule, ObjectModule, ReadingModule, WritingModule],
  controllers: [
    RecordController,
    LeadController,
    ContactController,
    CompanyController,
    OpportunityController,
    TaskController,
    RecordRpc,
  ],
  providers: [RecordService],
})
export class RecordModule {}
