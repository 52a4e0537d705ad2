import { Module } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { AuthenticatorService } from './authenticator.service.js';
import { DeviceTokens } from './device-tokens.js';
import {
  AuthenticatorRepository,
  MfaChallengeRepository,
  PasskeyRepository,
  RecoveryCodeRepository,
  SignInPolicyRepository,
} from './factor.repository.js';
import { FactorNoticeService } from './factor-notice.service.js';
import { CodeGuessService, MailCodes, SignInLimit } from './guess-limits.js';
import { HashPool } from './hash-pool.js';
import { InitialPasswords, UserInitialPasswords } from './initial-password.js';
import { LocalPasswords, LocalPasswordsController } from './local-passwords.js';
import { MfaController } from './mfa.controller.js';
import { MfaRequestService, MfaService } from './mfa.service.js';
import { MfaSettingsService } from './mfa-settings.service.js';
import { PageCookie, PageSessionController } from './page-session.controller.js';
import { PasskeyController, PasskeyProofController } from './passkey.controller.js';
import { PasskeyParts, PasskeyService } from './passkey.service.js';
import { PasskeyAssertionService, PasskeyChallengeService } from './passkey-challenge.service.js';
import { PasswordMarks, PasswordPolicy, PasswordService } from './password.service.js';
import { PasswordStrategy, SignInController, SignInPolicyController, StepUpController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';
import { ReauthenticationService, StepUpService } from './step-up.service.js';
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
