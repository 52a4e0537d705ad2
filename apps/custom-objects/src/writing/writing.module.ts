import { Module } from '@nestjs/common';
import { FindingModule } from '../finding/finding.module.js';
import { ObjectModule } from '../object/object.module.js';
import { RecordRemovalService } from './record-removal.service.js';
import { RecordWriteRepository } from './record-write.repository.js';
import { RecordWriteService } from './record-write.service.js';
import { ReferenceRepository } from './reference.repository.js';
import { ReferenceService } from './reference.service.js';
import { ReferenceAccessService } from './reference-access.service.js';
import { UniqueRepository } from './unique.repository.js';
import { UniqueService } from './unique.service.js';

@Module({
  imports: [FindingModule, ObjectModule],
  providers: [
    RecordRemovalService,
    RecordWriteRepository,
    RecordWriteService,
    ReferenceAccessService,
    ReferenceRepository,
    ReferenceService,
    UniqueRepository,
    UniqueService,
  ],
  exports: [RecordRemovalService, RecordWriteService, ReferenceAccessService],
})
export class WritingModule {}
