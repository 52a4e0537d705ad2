// The service that is measured: everything a service of the platform has, around one route that does nothing. It plays
// identity, so that the gateway routes to it and asks it for the keys of tokens, over NATS as always.
import { Access, CurrentPrincipal, KeySource } from '@crm/access';
import type { Principal } from '@crm/context';
import { type RpcResponse, rpc } from '@crm/contracts';
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
class KeyRpc {
  constructor(private readonly keys: KeySource) {}

  @RpcHandler(rpc.identity.getKeys)
  async getKeys(): Promise<RpcResponse<typeof rpc.identity.getKeys>> {
    return (await this.keys.getKeys()) as unknown as RpcResponse<typeof rpc.identity.getKeys>;
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
    controllers: [ConstantController, KeyRpc],
    providers: [{ provide: KeySource, useClass: OneKey }],
  },
  { keySource: 'own' },
);
