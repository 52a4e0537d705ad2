import { Module } from '@nestjs/common';
import { FindingModule } from '../finding/finding.module.js';
import { ObjectModule } from '../object/object.module.js';
import { ReferenceRepository, UniqueRepository } from './claim.repository.js';
import { RecordRemovalService } from './record-removal.service.js';
import { RecordWriteRepository } from './record-write.repository.js';
import { RecordWriteService } from './record-write.service.js';
import { ReferenceAccessService, ReferenceService } from './reference.service.js';

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
