import { Module } from '@nestjs/common';
import { DomainModule } from './domain/domain.module.js';
import { IdentityProviderModule } from './provider/identity-provider.module.js';
import { RequirementModule } from './requirement/requirement.module.js';
import { ProviderSignInModule } from './sign-in/provider-sign-in.module.js';

/** Single sign-on: domains, providers, signing in with them, and whether it is required. */
@Module({ imports: [DomainModule, IdentityProviderModule, ProviderSignInModule, RequirementModule] })
export class SingleSignOnModule {}
