import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { isUuid } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { SecretBox } from '@crm/encryption';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { AUTOMATIONS_CONFIG, type AutomationsConfig } from '../config.js';
import { WorkflowRepository } from '../workflow/workflow.repository.js';
import { HookRepository } from './hook.repository.js';

/** 128 bits, as the hook's contract says. */
const SECRET_BYTES = 16;

/** Looked up when what was presented as an id is none, so that such a call takes the same steps as any other. */
const NOBODY = '00000000-0000-0000-0000-000000000000';
/** Compared with when there is no such hook; no secret has this hash, because it is longer than any. */
const DUMMY_HASH = createHash('sha256').update(randomBytes(64)).digest();

/** A hook whose secret was presented. */
export interface VerifiedHook {
  readonly workflowId: string;
  readonly tenantId: string;
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
    private readonly workflows: WorkflowRepository,
    @Inject(AUTOMATIONS_CONFIG) config: AutomationsConfig,
  ) {
    this.box = new SecretBox(config.encryptionKey);
    this.baseUrl = config.hooks.baseUrl;
  }

  /**
   * Gives a workflow a hook that it has not. The global row commits first and on its own: when the workflow's transaction
   * fails, what is left is a hash whose secret nobody was told, and no committed workflow is ever without its hook. The
   * next hook of the workflow takes the row over.
   * @returns the hook's URL, secret included
   */
  async issue(tx: TenantTransaction, workflowId: string): Promise<string> {
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const row = { tenantId: tx.tenantId, secretHash: hashOf(secret) };
    await this.database.crossTenant((narrow) => this.hooks.put(narrow, workflowId, row));
    await this.hooks.insertSealed(tx, workflowId, this.box.seal(secret, placeOf(tx.tenantId, workflowId)));
    return this.urlOf(workflowId, secret);
  }

  /** The hook's URL, secret included: for administrators only. Undefined for a workflow without a hook. */
  async reveal(tx: TenantTransaction, workflowId: string): Promise<string | undefined> {
    const sealed = await this.hooks.findSealed(tx, workflowId);
    return sealed && this.urlOf(workflowId, this.box.open(sealed, placeOf(tx.tenantId, workflowId)));
  }

  /**
   * Takes the hook from a workflow that stays; its URL is dead as soon as the transaction commits. The global row is left
   * to the workflow's next hook: removed after the commit, it might be that one's already.
   */
  async withdraw(tx: TenantTransaction, workflowId: string): Promise<void> {
    await this.hooks.deleteSealed(tx, workflowId);
  }

  /**
   * Removes the global rows of hooks that are gone, after the transaction that removed them. Nothing depends on it: a
   * hook without its workflow is dead, so a failure is only noted.
   */
  async forget(workflowIds: readonly string[]): Promise<void> {
    if (workflowIds.length === 0) return;
    try {
      await this.database.crossTenant((narrow) => this.hooks.delete(narrow, workflowIds));
    } catch (error) {
      this.logger.warn({ msg: 'Rows of removed hooks stay behind', workflowIds, err: error });
    }
  }

  /**
   * Checks what was presented in a hook URL. An unknown id, a wrong secret and a workflow that takes no calls look the
   * same from outside: all are undefined, and the first two take the same steps.
   */
  async verify(presentedId: string, presentedSecret: string): Promise<VerifiedHook | undefined> {
    const workflowId = isUuid(presentedId) ? presentedId.toLowerCase() : NOBODY;
    const row = await this.database.crossTenant((narrow) => this.hooks.find(narrow, workflowId));
    const matches = timingSafeEqual(hashOf(presentedSecret), row?.secretHash ?? DUMMY_HASH);
    if (!row || !matches) return undefined;
    const workflow = await this.database.transaction(row.tenantId, (tx) => this.workflows.find(tx, workflowId));
    const takesCalls = workflow?.enabled && workflow.definition.trigger.type === 'webhook_received';
    return takesCalls ? { workflowId, tenantId: row.tenantId } : undefined;
  }

  private urlOf(workflowId: string, secret: string): string {
    return `${this.baseUrl}/api/crm/automations/hooks/${workflowId}/${secret}`;
  }
}

/** The secret is random and long, so one round of a fast hash keeps it. */
const hashOf = (secret: string): Buffer => createHash('sha256').update(secret).digest();

const placeOf = (tenantId: string, workflowId: string): string => `hook_secret/${tenantId}/${workflowId}`;
