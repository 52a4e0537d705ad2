import { Module } from '@nestjs/common';
import { AfterAnswerModule } from '../after-answer.module.js';
import { MailModule } from '../mail/mail.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KnownDeviceModule } from '../sign-in/known-device.module.js';
import { LimitModule } from '../sign-in/limit.module.js';
import { PasswordModule } from '../sign-in/password.module.js';
import { PasswordPolicyModule } from '../sign-in/password-policy.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { PasswordResetController } from './password-reset.controller.js';
import { PasswordResetRepository } from './password-reset.repository.js';
import { PasswordResetService } from './password-reset.service.js';
import { PasswordResetLimit } from './password-reset-limit.js';

/** New passwords by mail. */
@Module({
  imports: [
    AfterAnswerModule,
    KnownDeviceModule,
    LimitModule,
    MailModule,
    PasswordModule,
    PasswordPolicyModule,
    RevocationModule,
    SessionModule,
    TenantModule,
    UserModule,
  ],
  controllers: [PasswordResetController],
  providers: [PasswordResetLimit, PasswordResetRepository, PasswordResetService],
  exports: [PasswordResetRepository, PasswordResetService],
})
export class PasswordResetModule {}
