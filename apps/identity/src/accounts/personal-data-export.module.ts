import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { AuditLogModule } from '../audit/audit-log.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataExportController } from './personal-data-export.controller.js';
import { PersonalDataExportService } from './personal-data-export.service.js';

/** Handing out what is kept of a person. */
@Module({
  imports: [AuditLogModule, SessionModule, TenantModule],
  controllers: [PersonalDataExportController],
  providers: [PersonalDataExportService, PersonalDataRepository],
})
export class PersonalDataExportModule {}
