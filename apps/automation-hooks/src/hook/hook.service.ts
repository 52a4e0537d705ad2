import { createHash, randomBytes } from 'node:crypto';
import type { Principal } from '@crm/access';
import { HOOK_PATH, PlatformError, rpc } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { type SealedColumn, SecretBox } from '@crm/encryption';
import { Rpc } from '@crm/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import type { HookSecretInput, HookView, NewHookSecretView } from './hook.dto.js';
import type { Hook } from './hook.entity.js';
import { HookRepository } from './hook.repository.js';

/** 128 bits, as the hook's contract says. */
const SECRET_BYTES = 16;

/** For how long upstream systems can go on with the previous secret unless the administrator says otherwise. */
const OVERLAP_HOURS = 24;

/** The secrets by which upstream systems start workflows. */
@Injectable()
export class HookService {
  private readonly logger = new Logger(HookService.name);
  private readonly box: SecretBox;

  constructor(
    private readonly database: Database,
    private readonly hooks: HookRepository,
    private readonly rpc: Rpc,
    @Inject(AUTOMATIONS_CONFIG) private readonly config: AutomationsConfig,
  ) {
    this.box = new SecretBox(config.encryptionKey);
  }

  /**
   * Gives a hook to a workflow that has none. The global row commits first: if the workflow's transaction fails, only
   * the hash of an unknown secret remains, which the next hook replaces.
   * @returns the hook's URL, secret included
   */
  async issue(tx: TenantTransaction, workflowId: string): Promise<string> {
    const { hook, sealed, url } = this.newSecret(tx.tenantId, workflowId);
    await this.database.crossTenant((narrow) => this.hooks.store(narrow, hook));
    await this.hooks.insertSecret(tx, workflowId, sealed);
    return url;
  }

  /**
   * The hook URL with the state of its secrets, for an administrator; the log says who was shown it.
   * @throws NOT_FOUND, also for a workflow that is not started by calls
   */
  async get({ tenantId, userId }: Principal, workflowId: string): Promise<HookView> {
    const urls = await this.database.transaction(tenantId, (tx) => this.reveal(tx, [workflowId]));
    const [hookUrl] = urls.values();
    const hook = hookUrl === undefined ? null : await this.find(tenantId, workflowId);
    if (hookUrl === undefined || !hook) throw new PlatformError('NOT_FOUND');
    this.logger.log({ msg: 'A hook URL was shown', workflowId, userId });
    return { hookUrl, ...secretsOf(hook) };
  }

  /**
   * Issues a new secret; the previous one stays valid as long as the administrator says.
   * @throws NOT_FOUND, also for a workflow that is not started by calls
   */
  async rotate(
    principal: Principal,
    workflowId: string,
    { overlapHours = OVERLAP_HOURS }: HookSecretInput = {},
  ): Promise<NewHookSecretView> {
    await this.requireHook(principal, workflowId);
    const overlapSeconds = overlapHours * 3600;
    const act = { action: 'hook_secret.issued', subjectId: workflowId, detail: { overlapSeconds } } as const;
    await this.rpc.call(rpc.identity.recordAct, act, principal);
    const { hook, sealed, url } = this.newSecret(principal.tenantId, workflowId);
    const previousValidUntil = await this.database.crossTenant((narrow) =>
      this.hooks.rotate(narrow, hook, sealed, overlapSeconds),
    );
    if (previousValidUntil === undefined) throw new PlatformError('NOT_FOUND');
    return { hookUrl: url, previousSecretValidUntil: previousValidUntil?.toISOString() ?? null };
  }

  /** Ends the previous secret before its time. @throws NOT_FOUND, also when no previous secret is valid */
  async endPrevious(principal: Principal, workflowId: string): Promise<void> {
    const hook = await this.requireHook(principal, workflowId);
    if (!secretsOf(hook).previousSecret) throw noPreviousSecret();
    const act = { action: 'hook_secret.previous_revoked', subjectId: workflowId } as const;
    await this.rpc.call(rpc.identity.recordAct, act, principal);
    const isEnded = await this.database.crossTenant((narrow) =>
      this.hooks.endPrevious(narrow, principal.tenantId, workflowId),
    );
    if (!isEnded) throw noPreviousSecret();
  }

  /** The hook URLs of workflows, secrets included: for administrators only. */
  async reveal(tx: TenantTransaction, workflowIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const secrets = await this.hooks.listSecrets(tx, workflowIds);
    return new Map(
      secrets.map(({ workflowId, sealed }) => {
        const secret = this.box.open(sealed, contextOfHookSecret(tx.tenantId, workflowId));
        return [workflowId, this.urlOf(workflowId, secret)];
      }),
    );
  }

  /**
   * Withdraws the hook of a workflow that stays. The global row is left to the workflow's next hook: removed after the
   * commit, it could already be the row of that hook.
   */
  async withdraw(tx: TenantTransaction, workflowId: string): Promise<void> {
    await this.hooks.deleteSecret(tx, workflowId);
  }

  /**
   * Removes the global rows of deleted workflows. Hooks without their workflow are dead, so a failure is only logged.
   */
  async forget(workflowIds: readonly string[]): Promise<void> {
    try {
      await this.database.crossTenant((narrow) => this.hooks.delete(narrow, workflowIds));
    } catch (error) {
      this.logger.warn({ msg: 'Rows of removed hooks were not deleted and stay', workflowIds, err: error });
    }
  }

  /** A workflow has a hook while it has a sealed secret: the global row of one that was withdrawn stays. */
  private async requireHook({ tenantId }: Principal, workflowId: string): Promise<Hook> {
    const secrets = await this.database.transaction(tenantId, (tx) => this.hooks.listSecrets(tx, [workflowId]));
    const hook = secrets.length > 0 ? await this.find(tenantId, workflowId) : null;
    if (!hook) throw new PlatformError('NOT_FOUND');
    return hook;
  }

  private find(tenantId: string, workflowId: string): Promise<Hook | null> {
    return this.database.crossTenant((narrow) => this.hooks.find(narrow, tenantId, workflowId));
  }

  private newSecret(tenantId: string, workflowId: string) {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    return {
      hook: { workflowId, tenantId, secretHash: hashOfSecret(secret) },
      sealed: this.box.seal(secret, contextOfHookSecret(tenantId, workflowId)),
      url: this.urlOf(workflowId, secret),
    };
  }

  private urlOf(workflowId: string, secret: string): string {
    return `${this.config.hooks.baseUrl}${HOOK_PATH}/${workflowId}/${secret}`;
  }
}

const noPreviousSecret = () => new PlatformError('NOT_FOUND', "There's no previous secret to revoke");

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

/** The secret is random and long, so one round of a fast hash protects it. */
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const contextOfHookSecret = (tenantId: string, workflowId: string): string => `hook_secret/${tenantId}/${workflowId}`;

/** The columns sealed with this service's encryption keys, for re-encryption. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'hook_secret',
    column: 'sealed',
    key: { column: 'workflow_id', type: 'uuid' },
    reach: 'tenant',
    context: ({ key, tenantId }) => contextOfHookSecret(tenantId, key),
  },
];
