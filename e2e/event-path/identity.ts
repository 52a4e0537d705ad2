import { rpc, type TenantView } from '@crm/contracts';
import { ContractPipe, NatsConnection, RpcServer } from '@crm/messaging';
import type { TestTokens } from '@crm/testing';

/** Stands in for identity, which is not on the way of an event: the keys of tokens and the settings of tenants. */
export class Identity {
  private constructor(
    private readonly nats: NatsConnection,
    private readonly server: RpcServer,
  ) {}

  static async start(url: string, password: string, tokens: TestTokens): Promise<Identity> {
    const nats = await NatsConnection.open({ url, user: 'identity', password, service: 'identity' });
    const server = new RpcServer(nats);
    const pipe = new ContractPipe(rpc.identity.getTenant.request);
    server.add(rpc.identity.getKeys, () => tokens.keySource.getKeys());
    server.add(rpc.identity.getTenant, async (request): Promise<TenantView> => {
      const { tenantId } = pipe.check(request) as { tenantId: string };
      return { id: tenantId, name: 'Tenant', plan: 'enterprise', timeZone: 'Europe/Berlin', country: 'DE' };
    });
    for (const admitted of [rpc.identity.assertProof, rpc.identity.recordAct]) server.add(admitted, async () => ({}));
    server.start();
    await nats.flush();
    return new Identity(nats, server);
  }

  async stop(): Promise<void> {
    await this.server.drain();
    await this.nats.close();
  }
}
