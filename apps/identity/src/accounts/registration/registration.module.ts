import { Module } from '@nestjs/common';
import { LimitModule } from '../../sign-in/limit/limit.module.js';
import { PasswordModule } from '../password/password.module.js';
import { PasswordPolicyModule } from '../password-policy/password-policy.module.js';
import { TenantModule } from '../tenant/tenant.module.js';
import { UserModule } from '../user/user.module.js';
import { VerificationModule } from '../verification/verification.module.js';
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
