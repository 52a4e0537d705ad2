import { AUDIENCES } from '@crm/contracts';
import { answerRpc, startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { AppModule } from '../src/app.module.js';
import type { MarketplaceAdminConfig } from '../src/config.js';

export const config: MarketplaceAdminConfig = { service: testServiceConfig('marketplace-admin'), limits: {} };
export const tokens = testTokens();

/** What a browser sends of a passkey; identity looks at it. */
export const PASSKEY_ANSWER = { challengeId: 'c', credential: { id: 'x', response: { signature: 'y' } } };

/** The service alone: a test stands in for the neighbours that it calls. */
export class OperatorsApi {
  private readonly neighbours: { close(): Promise<void> }[] = [];

  private constructor(
    readonly service: TestService,
    /** Tokens of operators in either role. */
    readonly administrator: string,
    readonly reviewer: string,
  ) {}

  static async start(changes: Partial<MarketplaceAdminConfig['service']> = {}): Promise<OperatorsApi> {
    const changed = { ...config, service: { ...config.service, ...changes } };
    const service = await startTestService(changed, AppModule.with(changed), {
      keySource: tokens.keySource,
      audiences: [AUDIENCES.admin],
    });
    const sign = (role: string) => tokens.sign({ aud: AUDIENCES.admin, tid: undefined, roles: [role], scopes: [] });
    return new OperatorsApi(service, await sign('administrator'), await sign('reviewer'));
  }

  readonly stand: typeof answerRpc = async (contract, handler) => {
    const neighbour = await answerRpc(contract, handler);
    this.neighbours.push(neighbour);
    return neighbour;
  };

  /** @param token default: that of an administrator */
  request(method: string, path: string, body?: unknown, token: string = this.administrator) {
    return this.service.request<Record<string, unknown>>(method, path, { token, body });
  }

  /** Ends the neighbours of a test. */
  async standAlone(): Promise<void> {
    for (const neighbour of this.neighbours.splice(0)) await neighbour.close();
  }

  async close(): Promise<void> {
    await this.standAlone();
    await this.service.close();
  }
}
