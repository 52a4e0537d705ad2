import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SuspensionRepository } from './suspension.repository.js';
import { SuspensionService } from './suspension.service.js';

@Module({
  imports: [MailModule, PeopleModule, SessionsModule],
  providers: [SuspensionRepository, SuspensionService],
  exports: [SuspensionRepository, SuspensionService],
})
export class SuspensionsModule {}
