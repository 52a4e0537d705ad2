import { Module } from '@nestjs/common';
import { SessionModule } from '../sessions/session.module.js';
import { SignInPolicyController } from './sign-in-policy.controller.js';
import { SignInPolicyRepository } from './sign-in-policy.repository.js';

/** What a workspace demands of the sign-ins of its users. */
@Module({
  imports: [SessionModule],
  controllers: [SignInPolicyController],
  providers: [SignInPolicyRepository],
  exports: [SignInPolicyRepository],
})
export class SignInPolicyModule {}
