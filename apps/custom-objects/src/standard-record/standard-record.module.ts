import { IdempotencyModule } from '@crm/database';
import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { CompanyController } from './company.controller.js';
import { ContactController } from './contact.controller.js';
import { LeadController } from './lead.controller.js';
import { OpportunityController } from './opportunity.controller.js';
import { TaskController } from './task.controller.js';

/** The addresses of leads, contacts, companies, opportunities and tasks. */
@Module({
  imports: [IdempotencyModule, RecordModule],
  controllers: [LeadController, ContactController, CompanyController, OpportunityController, TaskController],
})
export class StandardRecordModule {}
