import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { EmailChangeModule } from './accounts/email-change/email-change.module.js';
import { InvitationModule } from './accounts/invitation/invitation.module.js';
import { PasswordChangeModule } from './accounts/password-change/password-change.module.js';
import { PasswordResetModule } from './accounts/password-reset/password-reset.module.js';
import { RegistrationModule } from './accounts/registration/registration.module.js';
import { SuspensionModule } from './accounts/suspension/suspension.module.js';
import { TenantModule } from './accounts/tenant/tenant.module.js';
import { UserAdministrationModule } from './accounts/user-administration/user-administration.module.js';
import { VerificationModule } from './accounts/verification/verification.module.js';
import { KeyExchangeModule } from './api-keys/key-exchange/key-exchange.module.js';
import { PersonalKeyModule } from './api-keys/personal-key/personal-key.module.js';
import { ServiceAccountModule } from './api-keys/service-account/service-account.module.js';
import { ServiceKeyModule } from './api-keys/service-key/service-key.module.js';
import { UserKeyModule } from './api-keys/user-key/user-key.module.js';
import { AuditEventModule } from './audit/event/audit-event.module.js';
import { HookSecretActModule } from './audit/hook-secret/hook-secret-act.module.js';
import { AuditLogModule } from './audit/log/audit-log.module.js';
import { AuditTrailModule } from './audit/trail/audit-trail.module.js';
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
import { ErasureModule } from './personal-data/erasure/erasure.module.js';
import { PersonalDataExportModule } from './personal-data/export/personal-data-export.module.js';
import { sealedColumns } from './sealed-columns.js';
import { InternalTokenModule } from './sessions/internal-token/internal-token.module.js';
import { SessionModule } from './sessions/session/session.module.js';
import { UserSessionModule } from './sessions/user-session/user-session.module.js';
import { MfaModule } from './sign-in/mfa/mfa.module.js';
import { PasskeyModule } from './sign-in/passkey/passkey.module.js';
import { SignInPolicyModule } from './sign-in/policy/sign-in-policy.module.js';
import { SignInModule } from './sign-in/sign-in/sign-in.module.js';
import { StepUpModule } from './sign-in/step-up/step-up.module.js';
import { SingleSignOnModule } from './single-sign-on/single-sign-on.module.js';
import { VerdictModule } from './verdict/verdict.module.js';

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
