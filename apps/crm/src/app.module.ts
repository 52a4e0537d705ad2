import { DatabaseModule } from '@crm/database';
import { IdempotencyModule } from '@crm/idempotency';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { CompanyController } from './company/company.controller.js';
import type { CrmConfig } from './config.js';
import { ContactController } from './contact/contact.controller.js';
import { RecordReferences } from './core-record/record.references.js';
import { RecordRepository } from './core-record/record.repository.js';
import { RecordRpc } from './core-record/record.rpc.js';
import { RecordService } from './core-record/record.service.js';
import { LeadController } from './lead/lead.controller.js';
import { OpportunityController } from './opportunity/opportunity.controller.js';
import { TaskController } from './task/task.controller.js';

@Module({
  controllers: [LeadController, ContactController, CompanyController, OpportunityController, TaskController, RecordRpc],
  providers: [RecordService, RecordRepository, RecordReferences],
})
export class AppModule {
  static with(config: CrmConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        DatabaseModule.forService({ config: config.database }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        IdempotencyModule,
      ],
    };
  }
}
