import { Module } from '@nestjs/common';
import { EgressModule } from '../egress.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PeopleModule } from '../people/people.module.js';
import { RolesModule } from '../roles/roles.module.js';
import { SessionsModule } from '../sessions/sessions.module.js';
import { SignInModule } from '../sign-in/sign-in.module.js';
import { UsageModule } from '../usage/usage.module.js';
import { DomainController, RequirementController } from './domain.controller.js';
import { DomainService, DomainSweeper } from './domain.service.js';
import { FollowedAddressService } from './followed-address.service.js';
import { IdentityProviderController } from './identity-provider.controller.js';
import { IdentityProviderService } from './identity-provider.service.js';
import { LinkRequestController } from './link-request.controller.js';
import { LinkRequestService } from './link-request.service.js';
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
  LinkRequestRepository,
  ProviderLinkRepository,
  ProviderSignInRepository,
} from './single-sign-on.repository.js';

@Module({
  imports: [PeopleModule, MailModule, EgressModule, SessionsModule, SignInModule, RolesModule, UsageModule],
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
