import { Module } from '@nestjs/common';
import { RecordRepository } from './record.repository.js';
import { RecordReadService } from './record-read.service.js';

@Module({ providers: [RecordReadService, RecordRepository], exports: [RecordReadService, RecordRepository] })
export class ReadingModule {}
