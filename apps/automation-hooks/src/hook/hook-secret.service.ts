import type { Principal } from '@crm/access';
import { PlatformError, rpc } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';
import { type HookSecretInput, type HookView, type NewHookSecretView } from './hook.dto.js';
import type { Hook } from './hook.entity.js';
import { HookService } from './hook.service.js';

/** For how long upstream systems can go on with the previous secret unless the administrator says otherwise. */
const OVERLAP_HOURS = 24;

/** Shows, replaces and ends hook secrets for administrators. */
@Injectable()
export class HookSecretService {
  private readonly logger = new Logger(HookSecretService.name);

  constructor(
    private readonly database: Database,
    private readonly hooks: HookService,
    private readonly rpc: Rpc,
  ) {}

  /**
   * The hook URL with the state of its secrets; the log says who was shown it.
   * @throws NOT_FOUND, also for a workflow that is not started by calls
   */
  async reveal({ tenantId, userId }: Principal, workflowId: string): Promise<HookView> {
    const urls = await this.database.transaction(tenantId, (tx) => this.hooks.reveal(tx, [workflowId]));
    const [hookUrl] = urls.values();
    const hook = hookUrl === undefined ? null : await this.hooks.find(tenantId, workflowId);
    if (hookUrl === undefined || !hook) throw new PlatformError('NOT_FOUND');
    this.logger.log({ msg: 'A hook URL was shown', workflowId, userId });
    return { hookUrl, ...secretsOf(hook) };
  }

  /**
   * Issues a new secret; the previous one stays valid as long as the caller says.
   * @throws NOT_FOUND, also for a workflow that is not started by calls; STEP_UP_REQUIRED
   */
  async rotate(
    principal: Principal,
    workflowId: string,
    { overlapHours = OVERLAP_HOURS }: HookSecretInput = {},
  ): Promise<NewHookSecretView> {
    const { tenantId } = principal;
    await this.assertHook(principal, workflowId);
    const overlapSeconds = overlapHours * 3600;
    await this.rpc.call(rpc.identity.admitHookSecretAct, { act: 'issued', workflowId, overlapSeconds }, principal);
    const rotated = await this.hooks.rotate(tenantId, workflowId, overlapSeconds);
    if (!rotated) throw new PlatformError('NOT_FOUND');
    return { hookUrl: rotated.url, previousSecretValidUntil: rotated.previousValidUntil?.toISOString() ?? null };
  }

  /** Ends the previous secret before its time. @throws NOT_FOUND, also when no previous secret is valid */
  async endPrevious(principal: Principal, workflowId: string): Promise<void> {
    const { tenantId } = principal;
    const hook = await this.assertHook(principal, workflowId);
    if (!secretsOf(hook).previousSecret) throw noPreviousSecret();
    await this.rpc.call(rpc.identity.admitHookSecretAct, { act: 'previous_revoked', workflowId }, principal);
    if (!(await this.hooks.endPrevious(tenantId, workflowId))) throw noPreviousSecret();
  }

  private async assertHook({ tenantId }: Principal, workflowId: string): Promise<Hook> {
    const isThere = await this.database.transaction(tenantId, (tx) => this.hooks.exists(tx, workflowId));
    const hook = isThere ? await this.hooks.find(tenantId, workflowId) : null;
    if (!hook) throw new PlatformError('NOT_FOUND');
    return hook;
  }
}

const noPreviousSecret = () => new PlatformError('NOT_FOUND', 'No previous secret is valid');

function secretsOf(hook: Hook): Pick<HookView, 'secret' | 'previousSecret'> {
  const { previousSecretHash, previousValidUntil: until } = hook;
  const isPreviousValid = previousSecretHash !== null && until !== null && until.getTime() > Date.now();
  const secretOf = (createdAt: Date, lastUsedAt: Date | null) => ({
    createdAt: createdAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  });
  return {
    secret: secretOf(hook.secretCreatedAt, hook.secretLastUsedAt),
    previousSecret: isPreviousValid
      ? {
          ...secretOf(hook.previousSecretCreatedAt ?? hook.secretCreatedAt, hook.previousSecretLastUsedAt),
          validUntil: until.toISOString(),
        }
      : null,
  };
}
