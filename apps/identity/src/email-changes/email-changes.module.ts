import { Module } from '@nestjs/common';
import { EmbeddingModule } from '../embedding/embedding.module.js';
import { MailModule } from '../mail/mail.module.js';
import { MembershipsModule } from '../memberships/memberships.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordChangesModule } from '../password-changes/password-changes.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SingleSignOnModule } from '../single-sign-on/single-sign-on.module.js';
import { EmailChangeController } from './email-change.controller.js';
import { EmailChangeRepository } from './email-change.repository.js';
import { EmailChangeService } from './email-change.service.js';
import { EmailChangeLimit } from './email-change-limit.js';
import { EmailChangeUndoService } from './email-change-undo.service.js';

@Module({
  imports: [
    EmbeddingModule,
    MailModule,
    MembershipsModule,
    PasskeysModule,
    PasswordChangesModule,
    PeopleModule,
    SecondFactorModule,
    SessionsModule,
    SingleSignOnModule,
  ],
  controllers: [EmailChangeController],
  providers: [EmailChangeLimit, EmailChangeRepository, EmailChangeService, EmailChangeUndoService],
})
export class EmailChangesModule {}
