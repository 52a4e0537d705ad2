import type { Principal } from '@crm/access';
import { type ProvisionedHook, rolesAllow, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';
import type { HookRef, Installation } from './installation.entity.js';
import { InstallationRepository } from './installation.repository.js';

/** A hook as it is shown: with its address only to administrators. */
export type ShownHook = HookRef & { readonly url?: string };

const CONCURRENCY = 8;

/** Shows the addresses of hooks. They hold a secret, so the audit trail records every user who sees them. */
@Injectable()
export class HookAddressService {
  private readonly logger = new Logger(HookAddressService.name);

  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Returns the hooks of installations, by the id of the installation. While automation-hooks is away, the addresses are
   * missing.
   */
  async show(principal: Principal, shown: readonly Installation[]): Promise<Map<string, ShownHook[]>> {
    const result = new Map<string, ShownHook[]>(shown.map(({ id, hooks }) => [id, hooks]));
    if (!rolesAllow(principal.roles, 'administer')) return result;
    const withHooks = shown.filter(({ state, hooks }) => state === 'active' && hooks.length > 0);
    for (let start = 0; start < withHooks.length; start += CONCURRENCY) {
      const found = await Promise.all(
        withHooks
          .slice(start, start + CONCURRENCY)
          .map(async ({ id }) => [id, await this.findHooks(principal, id)] as const),
      );
      for (const [id, hooks] of found) if (hooks) result.set(id, hooks);
    }
    await this.record(
      principal,
      withHooks.filter(({ id }) => result.get(id)?.some(({ url }) => url)),
    );
    return result;
  }

  /** Records that a user is about to see addresses; when this fails, they are not shown. */
  async record(principal: Principal, shown: readonly Pick<Installation, 'id'>[]): Promise<void> {
    if (shown.length === 0) return;
    const ids = shown.map(({ id }) => id);
    await this.database.transaction(principal.tenantId, (tx) =>
      this.installations.recordActs(tx, ids, { userId: principal.userId, action: 'hook_urls_shown' }),
    );
  }

  private async findHooks(principal: Principal, installationId: string): Promise<ProvisionedHook[] | null> {
    try {
      const { hooks } = await this.rpc.call(rpc.automations.listHooks, { installationId }, principal);
      return hooks.map(({ key, workflowId, url }) => ({ key, workflowId, url }));
    } catch (error) {
      this.logger.warn({
        msg: 'The addresses of hooks could not be read; they are left out',
        err: error,
        installationId,
      });
      return null;
    }
  }
}
