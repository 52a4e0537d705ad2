import { Module } from '@nestjs/common';
import { MailModule } from '../mail/mail.module.js';
import { RevocationModule } from '../sessions/revocation.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { TenantModule } from '../people/tenant.module.js';
import { UserModule } from '../people/user.module.js';
import { SuspensionRepository } from './suspension.repository.js';
import { SuspensionRpc } from './suspension.rpc.js';
import { SuspensionService } from './suspension.service.js';
import { SuspensionNoticeService } from './suspension-notice.service.js';

/** Workspaces that operators have suspended. */
@Module({
  imports: [MailModule, RevocationModule, SessionModule, TenantModule, UserModule],
  controllers: [SuspensionRpc],
  providers: [SuspensionRepository, SuspensionNoticeService, SuspensionService],
})
export class SuspensionModule {}
