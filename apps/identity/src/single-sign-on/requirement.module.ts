import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module.js';
import { SignInPolicyModule } from '../sign-in/sign-in-policy.module.js';
import { DomainModule } from './domain.module.js';
import { IdentityProviderModule } from './identity-provider.module.js';
import { RequirementController } from './requirement.controller.js';
import { RequirementService } from './requirement.service.js';

/** Whether a workspace requires single sign-on. */
@Module({
  imports: [SessionModule, SignInPolicyModule, DomainModule, IdentityProviderModule],
  controllers: [RequirementController],
  providers: [RequirementService],
})
export class RequirementModule {}
