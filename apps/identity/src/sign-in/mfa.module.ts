import { Module } from '@nestjs/common';
import { PasswordModule } from './password.module.js';
import { UserModule } from '../people/user.module.js';
import { MailModule } from '../mail/mail.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { AuthenticatorModule } from './authenticator.module.js';
import { CodeGuessModule } from './code-guess.module.js';
import { FactorNoticeModule } from './factor-notice.module.js';
import { LimitModule } from './limit.module.js';
import { PasskeyStoreModule } from './passkey-store.module.js';
import { SignInPolicyModule } from './sign-in-policy.module.js';
import { RecoveryCodeModule } from './recovery-code.module.js';
import { MailCodes } from './mail-code.js';
import { MfaController } from './mfa.controller.js';
import { MfaService } from './mfa.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';
import { MfaRequestService } from './mfa-request.service.js';
import { MfaSettingsService } from './mfa-settings.service.js';

/** The second factor. */
@Module({
  imports: [
    PasswordModule,
    UserModule,
    MailModule,
    LimitModule,
    SessionModule,
    AuthenticatorModule,
    RecoveryCodeModule,
    CodeGuessModule,
    SignInPolicyModule,
    FactorNoticeModule,
    PasskeyStoreModule,
  ],
  controllers: [MfaController],
  providers: [MailCodes, MfaChallengeRepository, MfaRequestService, MfaService, MfaSettingsService],
  exports: [MfaRequestService, MfaService],
})
export class MfaModule {}
