import { createHash, randomBytes } from 'node:crypto';
import { HOOK_PATH } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { type SealedColumn, SecretBox } from '@crm/encryption';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import type { Hook } from './hook.entity.js';
import { HookRepository } from './hook.repository.js';

/** 128 bits, as the hook's contract says. */
const SECRET_BYTES = 16;

export interface RotatedHook {
  readonly url: string;
  readonly previousValidUntil: Date | null;
}

/** The secrets by which upstream systems start workflows. */
@Injectable()
export class HookService {
  private readonly logger = new Logger(HookService.name);
  private readonly box: SecretBox;
  private readonly baseUrl: string;

  constructor(
    private readonly database: Database,
    private readonly hooks: HookRepository,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.box = new SecretBox(config.encryptionKey);
    this.baseUrl = config.hooks.baseUrl;
  }

  /**
   * Gives a hook to a workflow that has none. The global row commits first: if the workflow's transaction fails, only
   * the hash of an unknown secret remains, which the next hook replaces.
   * @returns the hook's URL, secret included
   */
  async issue(tx: TenantTransaction, workflowId: string): Promise<string> {
    const secret = newSecret();
    const hook = { workflowId, tenantId: tx.tenantId, secretHash: hashOfSecret(secret) };
    await this.database.crossTenant((narrow) => this.hooks.store(narrow, hook));
    await this.hooks.insertSecret(tx, workflowId, this.box.seal(secret, placeOfHookSecret(tx.tenantId, workflowId)));
    return this.urlOf(workflowId, secret);
  }

  /**
   * Replaces the secret of a hook; the previous one stays valid for a time.
   * @returns null for a workflow without a hook
   */
  async rotate(tenantId: string, workflowId: string, overlapSeconds: number): Promise<RotatedHook | null> {
    const secret = newSecret();
    const hook = { workflowId, tenantId, secretHash: hashOfSecret(secret) };
    const sealed = this.box.seal(secret, placeOfHookSecret(tenantId, workflowId));
    const previousValidUntil = await this.database.crossTenant((narrow) =>
      this.hooks.rotate(narrow, hook, sealed, overlapSeconds),
    );
    return previousValidUntil === undefined ? null : { url: this.urlOf(workflowId, secret), previousValidUntil };
  }

  /** Whether the workflow has a hook: the global row of one that was withdrawn stays. */
  async exists(tx: TenantTransaction, workflowId: string): Promise<boolean> {
    return (await this.hooks.listSecrets(tx, [workflowId])).length > 0;
  }

  /** The hook without its secrets. @returns null for a workflow that never had one */
  find(tenantId: string, workflowId: string): Promise<Hook | null> {
    return this.database.crossTenant((narrow) => this.hooks.find(narrow, tenantId, workflowId));
  }

  /** Ends the previous secret before its time. @returns whether it was still valid */
  endPrevious(tenantId: string, workflowId: string): Promise<boolean> {
    return this.database.crossTenant((narrow) => this.hooks.endPrevious(narrow, tenantId, workflowId));
  }

  /** The hook URLs of workflows, secrets included: for administrators only. */
  async reveal(tx: TenantTransaction, workflowIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const secrets = await this.hooks.listSecrets(tx, workflowIds);
    return new Map(
      secrets.map(({ workflowId, sealed }) => {
        const secret = this.box.open(sealed, placeOfHookSecret(tx.tenantId, workflowId));
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
    if (workflowIds.length === 0) return;
    try {
      await this.database.crossTenant((narrow) => this.hooks.delete(narrow, workflowIds));
    } catch (error) {
      this.logger.warn({ msg: 'Rows of removed hooks were not deleted and stay', workflowIds, err: error });
    }
  }

  private urlOf(workflowId: string, secret: string): string {
    return `${this.baseUrl}${HOOK_PATH}/${workflowId}/${secret}`;
  }
}

const newSecret = (): string => randomBytes(SECRET_BYTES).toString('base64url');

/** The secret is random and long, so one round of a fast hash protects it. */
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

/** The context that a sealed hook secret is bound to. */
export const placeOfHookSecret = (tenantId: string, workflowId: string): string =>
  `hook_secret/${tenantId}/${workflowId}`;

/** The columns sealed with this service's encryption keys, for re-encryption. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'hook_secret',
    column: 'sealed',
    key: { column: 'workflow_id', type: 'uuid' },
    reach: 'tenant',
    place: ({ key, tenantId }) => placeOfHookSecret(tenantId, key),
  },
];
