import { DatabaseModule } from '@crm/database';
import { SealingModule } from '@crm/encryption';
import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { IDENTITY_CONFIG, type IdentityConfig } from './config.js';
import { EmailChangesModule } from './email-changes/email-changes.module.js';
import { EmbeddingModule } from './embedding/embedding.module.js';
import { entities } from './entities.js';
import { InvitationsModule } from './invitations/invitations.module.js';
import { MailModule } from './mail/mail.module.js';
import { migrations } from './migrations/index.js';
import { OAuthModule } from './oauth/oauth.module.js';
import { OperatorsModule } from './operators/operators.module.js';
import { PasswordChangesModule } from './password-changes/password-changes.module.js';
import { PeopleModule } from './people/people.module.js';
import { PersonalDataModule } from './personal-data/personal-data.module.js';
import { RegistrationModule } from './registration/registration.module.js';
import { RolesModule } from './roles/roles.module.js';
import { sealedColumns } from './sealed-columns.js';
import { SessionsModule } from './sessions/sessions.module.js';
import { SignInModule } from './sign-in/sign-in.module.js';
import { SingleSignOnModule } from './single-sign-on/single-sign-on.module.js';
import { UsersModule } from './users/users.module.js';

@Module({})
class ConfigModule {
  static with(config: IdentityConfig): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: [{ provide: IDENTITY_CONFIG, useValue: config }],
      exports: [IDENTITY_CONFIG],
    };
  }
}

@Module({})
export class AppModule {
  static with(config: IdentityConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        DatabaseModule.forService({ config: config.database, entities, migrations }),
        SealingModule.forService(config.keyEncryptionKey, sealedColumns),
        MessagingModule.forService({ config: config.service.nats, outbox: true }),
        LimitsModule.forService(config.limits, config.service.name),
        AuditModule,
        PeopleModule,
        EmailChangesModule,
        InvitationsModule,
        OperatorsModule,
        PasswordChangesModule,
        PersonalDataModule,
        RegistrationModule,
        UsersModule,
        SignInModule,
        SessionsModule,
        EmbeddingModule,
        MailModule,
        SingleSignOnModule,
        ApiKeysModule,
        OAuthModule,
        RolesModule,
      ],
    };
  }
}
