import { Module } from '@nestjs/common';
import { PasswordModule } from './password.module.js';
import { UserModule } from '../people/user.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KnownDeviceModule } from './known-device.module.js';
import { LimitModule } from './limit.module.js';
import { MfaModule } from './mfa.module.js';
import { SignInPolicyModule } from './sign-in-policy.module.js';
import { PasswordStrategy } from './password.strategy.js';
import { SignInController } from './sign-in.controller.js';
import { SignInService } from './sign-in.service.js';

/** Sign-in by password and, where it is on, the second factor. */
@Module({
  imports: [PasswordModule, UserModule, SessionModule, LimitModule, KnownDeviceModule, MfaModule, SignInPolicyModule],
  controllers: [SignInController],
  providers: [PasswordStrategy, SignInService],
})
export class SignInModule {}
