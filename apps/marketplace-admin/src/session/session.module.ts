import { Module } from '@nestjs/common';
import { CredentialLimit } from './credential-limit.js';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';
import { PasskeySignInController } from './passkey-sign-in.controller.js';
import { SessionController } from './session.controller.js';

/** Sign-in of operators. Both controllers are here because each module would have a limit of its own. */
@Module({
  controllers: [SessionController, PasskeySignInController],
  providers: [CredentialLimit, OperatorPasswordStrategy],
})
export class SessionModule {}
