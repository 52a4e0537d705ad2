import { Module } from '@nestjs/common';
import { RevocationModule } from '../../sessions/revocation/revocation.module.js';
import { SessionModule } from '../../sessions/session/session.module.js';
import { TenantModule } from '../tenant/tenant.module.js';
import { SuspensionRepository } from './suspension.repository.js';
import { SuspensionRpc } from './suspension.rpc.js';
import { SuspensionService } from './suspension.service.js';

/** Workspaces that operators have suspended. */
@Module({
  imports: [RevocationModule, SessionModule, TenantModule],
  controllers: [SuspensionRpc],
  providers: [SuspensionRepository, SuspensionService],
})
export class SuspensionModule {}
