import { Module } from '@nestjs/common';
import { SessionModule } from '../../sessions/session/session.module.js';
import { LimitModule } from '../../sign-in/limit/limit.module.js';
import { MfaModule } from '../../sign-in/mfa/mfa.module.js';
import { PasswordModule } from '../password/password.module.js';
import { UserModule } from '../user/user.module.js';
import { ReauthenticationService } from './reauthentication.service.js';

/** Proving again who one is, before a change of the account. */
@Module({
  imports: [LimitModule, MfaModule, PasswordModule, SessionModule, UserModule],
  providers: [ReauthenticationService],
  exports: [ReauthenticationService],
})
export class ReauthenticationModule {}
