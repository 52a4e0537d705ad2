import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { SignInPolicyModule } from '../sign-in/sign-in-policy.module.js';
import { ProtocolModule } from './protocol.module.js';
import { IdentityProviderController } from './identity-provider.controller.js';
import { IdentityProviderRepository } from './identity-provider.repository.js';
import { IdentityProviderService } from './identity-provider.service.js';

/** Identity providers of workspaces. */
@Module({
  imports: [TenantModule, SessionModule, SignInPolicyModule, ProtocolModule],
  controllers: [IdentityProviderController],
  providers: [IdentityProviderRepository, IdentityProviderService],
  exports: [IdentityProviderRepository, IdentityProviderService],
})
export class IdentityProviderModule {}
