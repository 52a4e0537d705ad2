import { Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuthenticatorRepository } from './authenticator.repository.js';
import { AuthenticatorService } from './authenticator.service.js';
import { CodeGuessService } from './code-guess.service.js';
import { DeviceTokens } from './device-tokens.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { HashPool } from './hash-pool.js';
import { InitialPasswords } from './initial-passwords.js';
import { LocalPasswords, LocalPasswordsController } from './local-passwords.js';
import { MailCodes } from './mail-codes.js';
import { MfaController } from './mfa.controller.js';
import { MfaService } from './mfa.service.js';
import { MfaChallengeRepository } from './mfa-challenge.repository.js';
import { MfaRequestService } from './mfa-request.service.js';
import { MfaSettingsService } from './mfa-settings.service.js';
import { PageCookie } from './page-cookie.js';
import { PageSessionController } from './page-session.controller.js';
import { PasskeyController } from './passkey.controller.js';
import { PasskeyRepository } from './passkey.repository.js';
import { PasskeyService } from './passkey.service.js';
import { PasskeyAssertionService } from './passkey-assertion.service.js';
import { PasskeyChallengeService } from './passkey-challenge.service.js';
import { PasskeyParts } from './passkey-parts.js';
import { PasskeyProofController } from './passkey-proof.controller.js';
import { PasswordService } from './password.service.js';
import { PasswordStrategy } from './password.strategy.js';
import { PasswordMarks } from './password-marks.js';
import { PasswordPolicy } from './password-policy.js';
import { ReauthenticationService } from './reauthentication.service.js';
import { RecoveryCodeRepository } from './recovery-code.repository.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { SignInLimit } from './sign-in-limit.js';
import { SignInPolicyController } from './sign-in-policy.controller.js';
import { SignInPolicyRepository } from './sign-in-policy.repository.js';
import { StepUpController } from './step-up.controller.js';
import { StepUpService } from './step-up.service.js';
import { UserInitialPasswords } from './user-initial-passwords.js';
import { WorkspaceSwitchService } from './workspace-switch.service.js';
import { WorkspacesController } from './workspaces.controller.js';

/** What other nouns use. */
const SHARED = [
  AuthenticatorService,
  CodeGuessService,
  FactorNoticeService,
  DeviceTokens,
  SignInLimit,
  InitialPasswords,
  LocalPasswords,
  MfaRequestService,
  MfaService,
  PasskeyParts,
  PasskeyRepository,
  PasswordPolicy,
  PasswordMarks,
  PasswordService,
  ReauthenticationService,
  SignInPolicyRepository,
  StepUpService,
];

@Module({
  imports: [MailModule, SessionsModule, PeopleModule],
  controllers: [
    LocalPasswordsController,
    MfaController,
    PageSessionController,
    PasskeyController,
    PasskeyProofController,
    SignInPolicyController,
    SignInController,
    StepUpController,
    WorkspacesController,
  ],
  providers: [
    ...SHARED,
    AuthenticatorRepository,
    MailCodes,
    MfaChallengeRepository,
    MfaSettingsService,
    PageCookie,
    PasskeyService,
    PasskeyAssertionService,
    PasskeyChallengeService,
    {
      provide: HashPool,
      useFactory: ({ hashPool }: IdentityConfig) => new HashPool(hashPool),
      inject: [IDENTITY_CONFIG],
    },
    RecoveryCodeRepository,
    PasswordStrategy,
    SignInService,
    WorkspaceSwitchService,
    UserInitialPasswords,
  ],
  exports: SHARED,
})
export class SignInModule {}
