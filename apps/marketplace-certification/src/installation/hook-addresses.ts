import { type Principal } from '@crm/context';
import { type ProvisionedHook, rolesAllow, rpc } from '@crm/contracts';
import { Database, newId } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';
import type { HookRef, Installation } from './installation.js';
import { InstallationRepository } from './installation.repository.js';

/** A hook as it is shown: with its address only to those who administer the workspace. */
export type ShownHook = HookRef & { readonly url?: string };

/** Installations whose addresses are asked for at the same time. */
const AT_ONCE = 8;

/** Shows the addresses of hooks. They hold a secret, so each time they are shown it is noted who saw them. */
@Injectable()
export class HookAddresses {
  private readonly logger = new Logger(HookAddresses.name);

  constructor(
    private readonly database: Database,
    private readonly installations: InstallationRepository,
    private readonly rpc: Rpc,
  ) {}

  /**
   * The hooks of installations, by the installation's id. Without automation-hooks the addresses are missing, not the
   * answer.
   */
  async show(principal: Principal, shown: readonly Installation[]): Promise<Map<string, ShownHook[]>> {
    const result = new Map<string, ShownHook[]>(shown.map(({ id, hooks }) => [id, hooks]));
    if (!rolesAllow(principal.roles, 'administer')) return result;
    const withHooks = shown.filter(({ state, hooks }) => state === 'active' && hooks.length > 0);
    for (let start = 0; start < withHooks.length; start += AT_ONCE) {
      const found = await Promise.all(
        withHooks.slice(start, start + AT_ONCE).map(async ({ id }) => [id, await this.ask(principal, id)] as const),
      );
      for (const [id, hooks] of found) if (hooks) result.set(id, hooks);
    }
    await this.note(
      principal,
      withHooks.filter(({ id }) => result.get(id)?.some(({ url }) => url)),
    );
    return result;
  }

  /** Notes that somebody is about to see addresses; when this fails they are not shown. */
  async note(principal: Principal, shown: readonly Pick<Installation, 'id'>[]): Promise<void> {
    if (shown.length === 0) return;
    await this.database.transaction(principal.tenantId, (tx) =>
      this.installations.audit(
        tx,
        shown.map(({ id }) => ({
          id: newId(),
          installationId: id,
          userId: principal.userId,
          action: 'hook_urls_shown' as const,
        })),
      ),
    );
  }

  private async ask(principal: Principal, installationId: string): Promise<ProvisionedHook[] | undefined> {
    try {
      const { hooks } = await this.rpc.call(rpc.automations.listHooks, { installationId }, { token: principal.token });
      return hooks.map(({ key, workflowId, url }) => ({ key, workflowId, url }));
    } catch (error) {
      this.logger.warn({ err: error, installationId }, 'The addresses of hooks could not be had');
      return undefined;
    }
  }
}
