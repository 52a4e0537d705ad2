import { Module } from '@nestjs/common';
import { UserModule } from '../people/user.module.js';
import { KeyModule } from '../sessions/key.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { KnownDeviceModule } from '../sign-in/known-device.module.js';
import { MfaModule } from '../sign-in/mfa.module.js';
import { SignInPolicyModule } from '../sign-in/sign-in-policy.module.js';
import { DomainModule } from './domain.module.js';
import { ProviderLinkModule } from './provider-link.module.js';
import { ProtocolModule } from './protocol.module.js';
import { IdentityProviderModule } from './identity-provider.module.js';
import { ProviderSignInController } from './provider-sign-in.controller.js';
import { ProviderSignInRepository } from './provider-sign-in.repository.js';
import { ProviderSignInService } from './provider-sign-in.service.js';
import { ProviderSignInLimit } from './provider-sign-in-limit.js';
import { ProviderStepUpController } from './provider-step-up.controller.js';

/** Signing in at the identity provider of a workspace. */
@Module({
  imports: [
    UserModule,
    KeyModule,
    SessionModule,
    KnownDeviceModule,
    MfaModule,
    SignInPolicyModule,
    DomainModule,
    ProviderLinkModule,
    ProtocolModule,
    IdentityProviderModule,
  ],
  controllers: [ProviderSignInController, ProviderStepUpController],
  providers: [ProviderSignInLimit, ProviderSignInRepository, ProviderSignInService],
})
export class ProviderSignInModule {}
