import { Module } from '@nestjs/common';
import { SessionModule } from '../../sessions/session/session.module.js';
import { SignInPolicyModule } from '../../sign-in/policy/sign-in-policy.module.js';
import { DomainModule } from '../domain/domain.module.js';
import { IdentityProviderModule } from '../provider/identity-provider.module.js';
import { RequirementController } from './requirement.controller.js';
import { RequirementService } from './requirement.service.js';

/** Whether a workspace requires single sign-on. */
@Module({
  imports: [SessionModule, SignInPolicyModule, DomainModule, IdentityProviderModule],
  controllers: [RequirementController],
  providers: [RequirementService],
})
export class RequirementModule {}
