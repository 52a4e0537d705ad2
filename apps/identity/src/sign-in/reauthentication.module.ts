import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module.js';
import { LimitModule } from './limit.module.js';
import { MfaModule } from './mfa.module.js';
import { PasswordModule } from './password.module.js';
import { UserModule } from '../people/user.module.js';
import { ReauthenticationService } from './reauthentication.service.js';

/** Proving again who one is, before a change of the account. */
@Module({
  imports: [LimitModule, MfaModule, PasswordModule, SessionModule, UserModule],
  providers: [ReauthenticationService],
  exports: [ReauthenticationService],
})
export class ReauthenticationModule {}
