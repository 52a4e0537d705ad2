import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { UsageController } from './usage.controller.js';
import { UsageRpc } from './usage.rpc.js';
import { UsageService } from './usage.service.js';

@Module({
  imports: [MailModule, PeopleModule],
  controllers: [UsageController, UsageRpc],
  providers: [UsageService],
  exports: [UsageService],
})
export class UsageModule {}
