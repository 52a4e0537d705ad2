import { Module } from '@nestjs/common';
import { LimitModule } from '../sign-in/limit.module.js';
import { PasswordModule } from '../sign-in/password.module.js';
import { PasswordPolicyModule } from '../sign-in/password-policy.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { VerificationModule } from './verification.module.js';
import { RegistrationController } from './registration.controller.js';
import { RegistrationService } from './registration.service.js';
import { RegistrationLimit } from './registration-limit.js';

/** Opens workspaces. */
@Module({
  imports: [PasswordModule, PasswordPolicyModule, TenantModule, UserModule, LimitModule, VerificationModule],
  controllers: [RegistrationController],
  providers: [RegistrationLimit, RegistrationService],
})
export class RegistrationModule {}
