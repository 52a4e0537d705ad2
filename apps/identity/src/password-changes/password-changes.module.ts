import { Module } from '@nestjs/common';
import { GuessesModule } from '../guesses/guesses.module.js';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { PasswordChangeController } from './password-change.controller.js';
import { PasswordChangeService } from './password-change.service.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordResetRepository } from './password-reset.repository.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordResetLimit } from './password-reset-limit.js';

/** What other nouns use. */
const SHARED = [PasswordResetRepository, PasswordResetService];

@Module({
  imports: [
    GuessesModule,
    InvitationsModule,
    MailModule,
    PasskeysModule,
    PasswordsModule,
    PeopleModule,
    SecondFactorModule,
    SessionsModule,
  ],
  controllers: [PasswordChangeController, PasswordResetController],
  providers: [...SHARED, PasswordChangeService, PasswordResetLimit],
  exports: SHARED,
})
export class PasswordChangesModule {}
