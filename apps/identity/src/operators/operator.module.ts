import { Module } from '@nestjs/common';
import { AfterAnswerModule } from '../after-answer.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';

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
  imports: [AfterAnswerModule, SignInModule, SessionsModule],
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
