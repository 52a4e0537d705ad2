import { Module } from '@nestjs/common';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { LapsedClaimSweeper } from './lapsed-claim.sweeper.js';
import { RegistrationController } from './registration.controller.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';
import { VerificationController } from './verification.controller.js';
import { VerificationService } from './verification.service.js';

@Module({
  imports: [InvitationsModule, MailModule, PasskeysModule, PasswordsModule, PeopleModule, SessionsModule],
  controllers: [RegistrationController, VerificationController],
  providers: [LapsedClaimSweeper, RegistrationLimit, RegistrationService, VerificationService],
})
export class RegistrationModule {}
