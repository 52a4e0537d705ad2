import { Module } from '@nestjs/common';
import { GuessesModule } from '../guesses/guesses.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasskeysModule } from '../passkeys/passkeys.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuthenticatorRepository } from './authenticator.repository.js';
import { AuthenticatorService } from './authenticator.service.js';
import { MfaController } from './mfa.controller.js';
import { MfaService } from './mfa.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';
import { MfaRequestService } from './mfa-request.service.js';
import { MfaSettingsService } from './mfa-settings.service.js';
import { ReauthenticationService } from './reauthentication.service.js';
import { RecoveryCodeRepository } from './recovery-code.repository.js';
import { StepUpController } from './step-up.controller.js';
import { StepUpService } from './step-up.service.js';

/** What other nouns use. */
const SHARED = [AuthenticatorService, MfaRequestService, MfaService, ReauthenticationService, StepUpService];

@Module({
  imports: [GuessesModule, MailModule, PasskeysModule, PasswordsModule, PeopleModule, SessionsModule],
  controllers: [MfaController, StepUpController],
  providers: [...SHARED, AuthenticatorRepository, MfaChallengeRepository, MfaSettingsService, RecoveryCodeRepository],
  exports: SHARED,
})
export class SecondFactorModule {}
