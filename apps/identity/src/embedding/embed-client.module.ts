import { Module } from '@nestjs/common';
import { TenantModule } from '../people/tenant.module.js';
import { SessionModule } from '../sessions/session.module.js';
import { EmbedClientRepository } from './embed-client.repository.js';
import { EmbedClientRpc } from './embed-client.rpc.js';
import { EmbedClientService } from './embed-client.service.js';

/** Credentials of apps that are embedded. */
@Module({
  imports: [SessionModule, TenantModule],
  controllers: [EmbedClientRpc],
  providers: [EmbedClientRepository, EmbedClientService],
  exports: [EmbedClientService],
})
export class EmbedClientModule {}
