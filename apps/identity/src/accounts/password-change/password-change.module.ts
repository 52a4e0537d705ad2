import { Module } from '@nestjs/common';
import { MailModule } from '../../mail/mail.module.js';
import { SessionModule } from '../../sessions/session/session.module.js';
import { KnownDeviceModule } from '../../sign-in/known-device/known-device.module.js';
import { LimitModule } from '../../sign-in/limit/limit.module.js';
import { PasswordModule } from '../password/password.module.js';
import { PasswordPolicyModule } from '../password-policy/password-policy.module.js';
import { PasswordResetModule } from '../password-reset/password-reset.module.js';
import { ReauthenticationModule } from '../reauthentication/reauthentication.module.js';
import { TenantModule } from '../tenant/tenant.module.js';
import { UserModule } from '../user/user.module.js';
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
