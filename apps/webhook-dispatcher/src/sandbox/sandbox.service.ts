import type { Principal } from '@crm/access';
import { PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import type { Receiver } from '../receivers/receiver.js';
import { ReceiverDirectory } from '../receivers/receiver-directory.js';
import { SubscriptionRepository } from '../subscriptions/subscription.repository.js';

interface Sandboxes {
  readonly exist: boolean;
  readonly receivers: readonly Receiver[];
}

/** Only the workspace that publishes an app has sandboxes of it. */
@Injectable()
export class SandboxService {
  constructor(
    private readonly rpc: Rpc,
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly directory: ReceiverDirectory,
  ) {}

  /** @throws PlatformError NOT_FOUND when another workspace publishes the app; SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED */
  async find(principal: Principal, appKey: string): Promise<Sandboxes> {
    const { tenantId } = principal;
    const { installationIds } = await this.rpc.call(rpc.marketplace.listSandboxes, { appKey }, principal);
    const stored = await this.database.transaction(tenantId, async (tx) =>
      Promise.all(installationIds.map((id) => this.subscriptions.listByInstallation(tx, id))),
    );
    const receivers = await this.directory.of(tenantId);
    const ofSandboxes = stored.flat().flatMap(({ id }) => receivers.get(id) ?? []);
    return { exist: installationIds.length > 0, receivers: ofSandboxes };
  }
}

export function refuseWithoutSandbox(appKey: string): never {
  const detail = `${appKey} has no sandbox in this workspace. Install it with \`"sandbox": true\` first`;
  throw new PlatformError('CONFLICT', detail);
}
