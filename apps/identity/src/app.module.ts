import { DatabaseModule } from '@crm/database';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { SealingModule } from '@crm/sealing';
import { type DynamicModule, Module } from '@nestjs/common';
import { EmailChangeModule } from './accounts/email-change.module.js';
import { InvitationModule } from './accounts/invitation.module.js';
import { PasswordChangeModule } from './accounts/password-change.module.js';
import { PasswordResetModule } from './accounts/password-reset.module.js';
import { RegistrationModule } from './accounts/registration.module.js';
import { SuspensionModule } from './accounts/suspension.module.js';
import { TenantModule } from './people/tenant.module.js';
import { UserAdministrationModule } from './accounts/user-administration.module.js';
import { VerificationModule } from './accounts/verification.module.js';
import { KeyExchangeModule } from './api-keys/key-exchange.module.js';
import { PersonalKeyModule } from './api-keys/personal-key.module.js';
import { ServiceAccountModule } from './api-keys/service-account.module.js';
import { ServiceKeyModule } from './api-keys/service-key.module.js';
import { UserKeyModule } from './api-keys/user-key.module.js';
import { AuditEventModule } from './audit/audit-event.module.js';
import { HookSecretActModule } from './sign-in/hook-secret-act.module.js';
import { AuditLogModule } from './audit/audit-log.module.js';
import { AuditTrailModule } from './audit/audit-trail.module.js';
import type { IdentityConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { EmbedClientModule } from './embedding/embed-client.module.js';
import { EmbedConflictModule } from './embedding/embed-conflict.module.js';
import { EmbedLinkModule } from './embedding/embed-link.module.js';
import { EmbedTokenModule } from './embedding/embed-token.module.js';
import { EndpointNoticeModule } from './mail/endpoint-notice.module.js';
import { entities } from './entities.js';
import { ExpiredRowModule } from './sessions/expired-row.module.js';
import { KeyModule } from './sessions/key.module.js';
import { MailModule } from './mail/mail.module.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { OperatorModule } from './operators/operator.module.js';
import { ErasureModule } from './accounts/erasure.module.js';
import { PersonalDataExportModule } from './accounts/personal-data-export.module.js';
import { sealedColumns } from './sealed-columns.js';
import { InternalTokenModule } from './sessions/internal-token.module.js';
import { SessionModule } from './sessions/session.module.js';
import { UserSessionModule } from './sessions/user-session.module.js';
import { MfaModule } from './sign-in/mfa.module.js';
import { PasskeyModule } from './sign-in/passkey.module.js';
import { SignInPolicyModule } from './sign-in/sign-in-policy.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { StepUpModule } from './sign-in/step-up.module.js';
import { SingleSignOnModule } from './single-sign-on/single-sign-on.module.js';
import { VerdictModule } from './mail/verdict.module.js';

@Module({})
export class AppModule {
  static with(config: IdentityConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities }),
        SealingModule.forService(config.keyEncryptionKey, sealedColumns),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        LimitsModule.forService(config.limits, config.service.name),
        AuditTrailModule,
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
        AuditLogModule,
        AuditEventModule,
        HookSecretActModule,
        ErasureModule,
        PersonalDataExportModule,
        SingleSignOnModule,
        PasskeyModule,
        PersonalKeyModule,
        UserKeyModule,
        ServiceAccountModule,
        ServiceKeyModule,
        KeyExchangeModule,
        OAuthModule,
        SuspensionModule,
        VerdictModule,
      ],
    };
  }
}
