import { randomBytes, randomUUID } from 'node:crypto';
import { PlatformError, rpc } from '@crm/contracts';
import { newId } from '@crm/database';
import { answerRpc } from '@crm/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Tenant, WebhookService } from './webhook-service.js';

/** A developer, whose workspace publishes an app. */
export interface Developer extends Tenant {
  readonly appKey: string;
  /** What the deliveries of the app are signed with. */
  readonly secret: string;
}

/** The marketplace of a test: it knows the publishers of apps and their sandboxes. */
export class Marketplace {
  private readonly publishers = new Map<string, string>();
  private readonly sandboxes = new Map<string, string[]>();
  private stop: (() => Promise<void>) | undefined;

  constructor(private readonly app: WebhookService) {}

  async start(): Promise<void> {
    const answering = await answerRpc(rpc.marketplace.listSandboxes, ({ appKey }, { principal }) => {
      if (this.publishers.get(appKey) !== principal?.tenantId) throw new PlatformError('NOT_FOUND');
      return { installationIds: this.sandboxes.get(appKey) ?? [] };
    });
    this.stop = () => answering.close();
  }

  async close(): Promise<void> {
    await this.stop?.();
  }

  async developer(): Promise<Developer> {
    const tenant = await this.app.tenant();
    const appKey = `acme-${randomUUID().slice(0, 8)}`;
    this.publishers.set(appKey, tenant.id);
    return { ...tenant, appKey, secret: `whsec_${randomBytes(32).toString('base64')}` };
  }

  /** Installs the app in the publisher's workspace as a sandbox. @returns the id of its subscription */
  async sandbox(developer: Developer, { events = ['lead.created'] } = {}): Promise<string> {
    const installationId = newId();
    const id = await this.install(developer.id, developer, installationId, events);
    this.sandboxes.set(developer.appKey, [installationId, ...(this.sandboxes.get(developer.appKey) ?? [])]);
    return id;
  }

  /** Installs the app in a workspace, not as a sandbox of its publisher. @returns the id of its subscription */
  async install(
    tenantId: string,
    { appKey, secret }: Developer,
    installationId = newId(),
    events = ['lead.created'],
  ): Promise<string> {
    const webhooks = [{ events, url: `${this.app.receiver.url}/sandbox` }];
    const [subscription] = await this.app.provision(tenantId, { installationId, appKey, secret, webhooks });
    return (subscription as { id: string }).id;
  }
}

/** Answers for the marketplace in a suite, with a new developer for each test. */
export function useMarketplace(app: WebhookService): { marketplace: Marketplace; developer: Developer } {
  const marketplace = new Marketplace(app);
  const developer = {} as Developer;
  beforeAll(() => marketplace.start());
  afterAll(() => marketplace.close());
  beforeEach(async () => {
    Object.assign(developer, await marketplace.developer());
  });
  return { marketplace, developer };
}
