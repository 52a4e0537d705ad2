// Plays identity: everything a service of the platform has, around one route that does nothing. The gateway routes to it,
// and services ask it for the keys of tokens and for the settings of tenants, over NATS as always.
import { Access, CurrentPrincipal, KeySource } from '@crm/access';
import type { Principal } from '@crm/context';
import { type RpcRequest, type RpcResponse, rpc, type TenantView } from '@crm/contracts';
import { ListQuery } from '@crm/http';
import { MessagingModule, RpcHandler } from '@crm/messaging';
import { serviceConfig, startService } from '@crm/runtime';
import { Controller, Get, Module, Query } from '@nestjs/common';
import type { JSONWebKeySet } from 'jose';

@Controller('api/auth/constant')
class ConstantController {
  @Get()
  @Access({ right: 'read', scope: 'leads' })
  read(@Query() { size }: ListQuery, @CurrentPrincipal() { userId }: Principal): object {
    return { id: userId, name: 'Ada Lovelace', email: 'ada@example.com', size };
  }
}

class OneKey extends KeySource {
  override async getKeys(): Promise<JSONWebKeySet> {
    return { keys: [JSON.parse(process.env.BENCH_PUBLIC_KEY ?? '')] };
  }
}

@Controller()
class IdentityRpc {
  constructor(private readonly keys: KeySource) {}

  @RpcHandler(rpc.identity.getKeys)
  async getKeys(): Promise<RpcResponse<typeof rpc.identity.getKeys>> {
    return (await this.keys.getKeys()) as unknown as RpcResponse<typeof rpc.identity.getKeys>;
  }

  @RpcHandler(rpc.identity.getTenant)
  async getTenant({ tenantId }: RpcRequest<typeof rpc.identity.getTenant>): Promise<TenantView> {
    return { id: tenantId, name: 'Tenant', plan: 'enterprise', timeZone: 'Europe/Berlin', country: 'DE' };
  }
}

@Module({})
class MeasuredModule {}

const service = serviceConfig('identity');
await startService(
  { service },
  {
    module: MeasuredModule,
    imports: [MessagingModule.forService({ config: service.nats })],
    controllers: [ConstantController, IdentityRpc],
    providers: [{ provide: KeySource, useClass: OneKey }],
  },
  { keySource: 'own' },
);
