import { Module } from '@nestjs/common';
import { PasswordModule } from './password.module.js';
import { ReauthenticationModule } from './reauthentication.module.js';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { AuthenticatorModule } from './authenticator.module.js';
import { CodeGuessModule } from './code-guess.module.js';
import { FactorNoticeModule } from './factor-notice.module.js';
import { LimitModule } from './limit.module.js';
import { RecoveryCodeModule } from './recovery-code.module.js';
import { StepUpController } from './step-up.controller.js';
import { StepUpService } from './step-up.service.js';
import { UserStepUpService } from './user-step-up.service.js';

/** Proves within a session who uses it. */
@Module({
  imports: [
    PasswordModule,
    UserModule,
    ReauthenticationModule,
    SessionModule,
    AuthenticatorModule,
    RecoveryCodeModule,
    CodeGuessModule,
    LimitModule,
    FactorNoticeModule,
  ],
  controllers: [StepUpController],
  providers: [StepUpService, UserStepUpService],
  exports: [StepUpService],
})
export class StepUpModule {}
