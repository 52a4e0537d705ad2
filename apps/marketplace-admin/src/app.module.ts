import { LimitsModule } from '@crm/limits';
import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import { AccountModule } from './account/account.module.js';
import { PublishedAppModule } from './app/app.module.js';
import { AuditModule } from './audit/audit.module.js';
import type { MarketplaceAdminConfig } from './config.js';
import { ConfigModule } from './config.module.js';
import { EmbedConflictModule } from './embed-conflict/embed-conflict.module.js';
import { OperatorModule } from './operator/operator.module.js';
import { PasskeyModule } from './passkey/passkey.module.js';
import { SessionModule } from './session/session.module.js';
import { SubmissionModule } from './submission/submission.module.js';
import { TenantModule } from './tenant/tenant.module.js';
import { TokenGateModule } from './token-gate/token-gate.module.js';

/** The operators' edge. It has no state: identity and marketplace-certification decide, by the operator's own token. */
@Module({})
export class AppModule {
  static with(config: MarketplaceAdminConfig): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(config),
        MessagingModule.forService({ config: config.service.nats }),
        LimitsModule.forService(config.limits, config.service.name),
        TokenGateModule,
        SessionModule,
        AccountModule,
        OperatorModule,
        SubmissionModule,
        TenantModule,
        EmbedConflictModule,
        PublishedAppModule,
        AuditModule,
        PasskeyModule,
      ],
    };
  }
}
