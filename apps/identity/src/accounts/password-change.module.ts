import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KnownDeviceModule } from '../sign-in/known-device.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { PasswordModule } from '../sign-in/password.module.js';
import { PasswordPolicyModule } from '../sign-in/password-policy.module.js';
import { PasswordResetModule } from './password-reset.module.js';
import { ReauthenticationModule } from '../sign-in/reauthentication.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { PasswordChangeController } from './password-change.controller.js';
import { PasswordChangeService } from './password-change.service.js';

/** Changing one's own password. */
@Module({
  imports: [
    KnownDeviceModule,
    LimitModule,
    MailModule,
    PasswordModule,
    PasswordPolicyModule,
    PasswordResetModule,
    ReauthenticationModule,
    SessionModule,
    TenantModule,
    UserModule,
  ],
  controllers: [PasswordChangeController],
  providers: [PasswordChangeService],
})
export class PasswordChangeModule {}
