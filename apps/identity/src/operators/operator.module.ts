import { Module } from '@nestjs/common';
import { PasswordModule } from '../sign-in/password.module.js';
import { AfterAnswerModule } from '../after-answer.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { AuthenticatorModule } from '../sign-in/authenticator.module.js';
import { FactorNoticeModule } from '../sign-in/factor-notice.module.js';
import { KnownDeviceModule } from '../sign-in/known-device.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { MfaModule } from '../sign-in/mfa.module.js';
import { PasskeyModule } from '../sign-in/passkey.module.js';
import { RecoveryCodeModule } from '../sign-in/recovery-code.module.js';
import { StepUpModule } from '../sign-in/step-up.module.js';
import { OperatorRepository } from './operator.repository.js';
import { OperatorRpc } from './operator.rpc.js';
import { OperatorService } from './operator.service.js';
import { OperatorAdministrationRpc } from './operator-administration.rpc.js';
import { OperatorAdministrationService } from './operator-administration.service.js';
import { OperatorAuditRpc } from './operator-audit.rpc.js';
import { OperatorPasskeyRpc } from './operator-passkey.rpc.js';
import { OperatorPasskeyService } from './operator-passkey.service.js';
import { OperatorSessionService } from './operator-session.service.js';

/** Operators: their sign-in, their sessions and their administration. */
@Module({
  imports: [
    AfterAnswerModule,
    PasswordModule,
    SessionModule,
    KnownDeviceModule,
    LimitModule,
    MfaModule,
    StepUpModule,
    AuthenticatorModule,
    RecoveryCodeModule,
    FactorNoticeModule,
    PasskeyModule,
  ],
  providers: [
    OperatorRepository,
    OperatorSessionService,
    OperatorService,
    OperatorAdministrationService,
    OperatorPasskeyService,
  ],
  controllers: [OperatorRpc, OperatorAdministrationRpc, OperatorPasskeyRpc, OperatorAuditRpc],
})
export class OperatorModule {}
