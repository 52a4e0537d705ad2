import { Module } from '@nestjs/common';
import { EgressModule } from '../egress.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SecondFactorModule } from '../second-factor/second-factor.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { DomainController } from './domain.controller.js';
import { DomainRepository } from './domain.repository.js';
import { DomainService } from './domain.service.js';
import { DomainSweeper } from './domain.sweeper.js';
import { FollowedAddressService } from './followed-address.service.js';
import { IdentityProviderController } from './identity-provider.controller.js';
import { IdentityProviderRepository } from './identity-provider.repository.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { LinkRequestController } from './link-request.controller.js';
import { LinkRequestRepository } from './link-request.repository.js';
import { LinkRequestService } from './link-request.service.js';
import { OidcClient } from './oidc-client.js';
import { ProviderLinkRepository } from './provider-link.repository.js';
import { ProviderLinkService } from './provider-link.service.js';
import { ProviderSignInController } from './provider-sign-in.controller.js';
import { ProviderSignInRepository } from './provider-sign-in.repository.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { ProviderSignInLimit } from './provider-sign-in-limit.js';
import { ProviderStepUpController } from './provider-step-up.controller.js';
import { RequirementController } from './requirement.controller.js';

@Module({
  imports: [PeopleModule, MailModule, EgressModule, SessionsModule, SecondFactorModule, RolesModule, UsageModule],
  controllers: [
    DomainController,
    IdentityProviderController,
    LinkRequestController,
    ProviderSignInController,
    ProviderStepUpController,
    RequirementController,
  ],
  providers: [
    DomainRepository,
    DomainService,
    DomainSweeper,
    FollowedAddressService,
    IdentityProviderRepository,
    IdentityProviderService,
    LinkRequestRepository,
    LinkRequestService,
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
