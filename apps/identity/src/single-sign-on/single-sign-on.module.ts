import { Module } from '@nestjs/common';
import { DomainModule } from './domain.module.js';
import { IdentityProviderModule } from './identity-provider.module.js';
import { RequirementModule } from './requirement.module.js';
import { ProviderSignInModule } from './provider-sign-in.module.js';

/** Single sign-on: domains, providers, signing in with them, and whether it is required. */
@Module({ imports: [DomainModule, IdentityProviderModule, ProviderSignInModule, RequirementModule] })
export class SingleSignOnModule {}
