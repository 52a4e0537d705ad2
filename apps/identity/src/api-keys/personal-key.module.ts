import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KeyIssueModule } from './key-issue.module.js';
import { PersonalKeyController } from './personal-key.controller.js';
import { PersonalKeyService } from './personal-key.service.js';

/** Keys that users make for themselves. */
@Module({
  imports: [KeyIssueModule, MailModule, SessionModule, UserModule],
  controllers: [PersonalKeyController],
  providers: [PersonalKeyService],
})
export class PersonalKeyModule {}
