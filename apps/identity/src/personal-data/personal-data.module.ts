import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { MembershipsModule } from '../memberships/memberships.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsersModule } from '../users/users.module.js';
import { ErasureController } from './erasure.controller.js';
import { ExpiredRowRepository } from './expired-row.repository.js';
import { ExpiredRowSweeper } from './expired-row.sweeper.js';
import { PersonalDataRepository } from './personal-data.repository.js';
import { PersonalDataExportController } from './personal-data-export.controller.js';
import { PersonalDataExportService } from './personal-data-export.service.js';

@Module({
  imports: [AuditModule, MembershipsModule, PeopleModule, SessionsModule, UsersModule],
  controllers: [ErasureController, PersonalDataExportController],
  providers: [ExpiredRowRepository, ExpiredRowSweeper, PersonalDataExportService, PersonalDataRepository],
})
export class PersonalDataModule {}
