import { Module } from '@nestjs/common';
import { UserModule } from '../../accounts/user/user.module.js';
import { KeyModule } from '../../keys/key.module.js';
import { SessionModule } from '../../sessions/session/session.module.js';
import { KnownDeviceModule } from '../../sign-in/known-device/known-device.module.js';
import { MfaModule } from '../../sign-in/mfa/mfa.module.js';
import { SignInPolicyModule } from '../../sign-in/policy/sign-in-policy.module.js';
import { DomainModule } from '../domain/domain.module.js';
import { ProviderLinkModule } from '../link/provider-link.module.js';
import { ProtocolModule } from '../protocol/protocol.module.js';
import { IdentityProviderModule } from '../provider/identity-provider.module.js';
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
