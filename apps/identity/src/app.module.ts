import { DatabaseModule } from '@crm/database';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { EmailChangeModule } from './accounts/email-change/email-change.module.js';
import { InvitationModule } from './accounts/invitation/invitation.module.js';
import { PasswordChangeModule } from './accounts/password-change/password-change.module.js';
import { PasswordResetModule } from './accounts/password-reset/password-reset.module.js';
import { RegistrationModule } from './accounts/registration/registration.module.js';
import { TenantModule } from './accounts/tenant/tenant.module.js';
import { UserAdministrationModule } from './accounts/user-administration/user-administration.module.js';
import { VerificationModule } from './accounts/verification/verification.module.js';
import type { IdentityConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { EmbedClientModule } from './embedding/embed-client/embed-client.module.js';
import { EmbedConflictModule } from './embedding/embed-conflict/embed-conflict.module.js';
import { EmbedLinkModule } from './embedding/embed-link/embed-link.module.js';
import { EmbedTokenModule } from './embedding/embed-token/embed-token.module.js';
import { EndpointNoticeModule } from './endpoint-notice/endpoint-notice.module.js';
import { entities } from './entities.js';
import { ExpiredRowModule } from './housekeeping/expired-row.module.js';
import { KeyModule } from './keys/key.module.js';
import { MailModule } from './mail/mail.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { OperatorModule } from './operators/operator.module.js';
import { InternalTokenModule } from './sessions/internal-token/internal-token.module.js';
import { SessionModule } from './sessions/session/session.module.js';
import { UserSessionModule } from './sessions/user-session/user-session.module.js';
import { MfaModule } from './sign-in/mfa/mfa.module.js';
import { SignInPolicyModule } from './sign-in/policy/sign-in-policy.module.js';
import { SignInModule } from './sign-in/sign-in/sign-in.module.js';
import { StepUpModule } from './sign-in/step-up/step-up.module.js';

@Module({})
export class AppModule {
  static with(config: IdentityConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities }),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        LimitsModule.forService(config.limits, config.service.name),
        TenantModule,
        RegistrationModule,
        VerificationModule,
        InvitationModule,
        UserAdministrationModule,
        SignInModule,
        MfaModule,
        SessionModule,
        InternalTokenModule,
        EmbedClientModule,
        EmbedLinkModule,
        EmbedTokenModule,
        EmbedConflictModule,
        OperatorModule,
        KeyModule,
        MailModule,
        EndpointNoticeModule,
        ExpiredRowModule,
        UserSessionModule,
        SignInPolicyModule,
        StepUpModule,
        PasswordChangeModule,
        PasswordResetModule,
        EmailChangeModule,
        OAuthModule,
      ],
    };
  }
}
