import { Module } from '@nestjs/common';
import { CredentialLimit } from './credential-limit.js';
import { OperatorPasswordStrategy } from './operator-password.strategy.js';
import { SessionController } from './session.controller.js';

/** Sign-in of operators. */
@Module({
  controllers: [SessionController],
  providers: [CredentialLimit, OperatorPasswordStrategy],
})
export class SessionModule {}
