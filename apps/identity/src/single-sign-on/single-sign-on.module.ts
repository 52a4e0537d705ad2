import { Module } from '@nestjs/common';
import { EgressModule } from '../egress.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { DomainController, RequirementController } from './domain.controller.js';
import { DomainService, DomainSweeper } from './domain.service.js';
import { IdentityProviderController } from './identity-provider.controller.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { OidcClient } from './oidc-client.js';
import { ProviderLinkService } from './provider-link.service.js';
import {
  ProviderSignInController,
  ProviderSignInLimit,
  ProviderStepUpController,
} from './provider-sign-in.controller.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import {
  DomainRepository,
  IdentityProviderRepository,
  ProviderLinkRepository,
  ProviderSignInRepository,
} from './single-sign-on.repository.js';

@Module({
  imports: [PeopleModule, MailModule, EgressModule, SessionsModule, SignInModule, UsageModule],
  controllers: [
    DomainController,
    IdentityProviderController,
    ProviderSignInController,
    ProviderStepUpController,
    RequirementController,
  ],
  providers: [
    DomainRepository,
    DomainService,
    DomainSweeper,
    IdentityProviderRepository,
    IdentityProviderService,
    OidcClient,
    ProviderLinkRepository,
    ProviderLinkService,
    ProviderSignInLimit,
    ProviderSignInRepository,
    ProviderSignInService,
  ],
  exports: [DomainService, ProviderLinkRepository],
})
export class SingleSignOnModule {}
