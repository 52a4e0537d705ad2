// Plays identity: everything a service of the platform has, around one route that does nothing. The gateway routes to it,
// and services ask it for the keys of tokens and for the settings of tenants, over NATS as always.
import { Access, CurrentPrincipal, KeySource, type Principal } from '@crm/access';
import {
  ACCESS_TOKEN_TYPE,
  API_KEY_TOKEN_SECONDS,
  AUDIENCES,
  type RpcRequest,
  type RpcResponse,
  rpc,
  type TenantView,
} from '@crm/contracts';
import { newId } from '@crm/database';
import { ListQuery } from '@crm/http';
import { MessagingModule, RpcHandler } from '@crm/messaging';
import { serviceConfig, startService } from '@crm/runtime';
import { Controller, Get, Module, Query } from '@nestjs/common';
import { importJWK, type JSONWebKeySet, SignJWT } from 'jose';

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

/** Every API key is valid and belongs to a user of its own. */
@Controller()
class ApiKeyRpc {
  private readonly jwk = JSON.parse(process.env.BENCH_PRIVATE_KEY ?? 'null');

  @RpcHandler(rpc.identity.exchangeApiKey)
  async exchange({
    tenantId,
    keyId,
  }: RpcRequest<typeof rpc.identity.exchangeApiKey>): Promise<RpcResponse<typeof rpc.identity.exchangeApiKey>> {
    const token = await new SignJWT({ tid: tenantId, roles: ['admin'], scopes: ['leads'], sid: keyId, api_key: true })
      .setProtectedHeader({ alg: 'EdDSA', typ: ACCESS_TOKEN_TYPE, kid: this.jwk.kid })
      .setIssuer(service.issuer)
      .setAudience(AUDIENCES.api)
      .setSubject(keyId)
      .setJti(newId())
      .setIssuedAt()
      .setExpirationTime(`${API_KEY_TOKEN_SECONDS}s`)
      .sign(await importJWK(this.jwk, 'EdDSA'));
    return { token, expiresIn: API_KEY_TOKEN_SECONDS };
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
    controllers: [ConstantController, IdentityRpc, ApiKeyRpc],
    providers: [{ provide: KeySource, useClass: OneKey }],
  },
  { keySource: 'own' },
);
