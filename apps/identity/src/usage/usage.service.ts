import { CUSTOM_OBJECT_LIMITS, PlatformError, rpc, STORAGE_TOLD_FROM, type StorageKind } from '@crm/contracts';
import { Database, type NarrowTransaction } from '@crm/database';
import { Rpc } from '@crm/messaging';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { MailService } from '../mail/mail.service.js';
import { TenantRepository, UserRepository } from '../people/people.repository.js';
import { limitsOf, MAX_NOTIFIED_ADMINISTRATORS } from '../people/people.service.js';
import type { USAGE_NOTICE_CODES } from './usage.dto.js';
import { nearlyFullMail } from './usage.mail.js';

/** How long administrators are not told again, in milliseconds. */
const TOLD_AGAIN_MS = 7 * 24 * 3_600_000;

export interface Used {
  readonly used: number;
  readonly limit: number;
}

type Limited = StorageKind | 'customObjects';

export interface UsageNotice {
  readonly code: (typeof USAGE_NOTICE_CODES)[number];
  readonly severity: 'warning' | 'critical';
  readonly detail: string;
}

export type Usage = Readonly<Record<Limited, Used>> & { readonly notices: readonly UsageNotice[] };

/** What a workspace stores, and what it may. Users whom hosts bring are bounded by their quota of the day alone. */
@Injectable()
export class UsageService {
  private readonly logger = new Logger(UsageService.name);

  constructor(
    private readonly database: Database,
    private readonly tenants: TenantRepository,
    private readonly users: UserRepository,
    private readonly mails: MailService,
    private readonly rpc: Rpc,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  /** @throws NOT_FOUND, SERVICE_UNAVAILABLE */
  async get(tenantId: string): Promise<Usage> {
    const { plan, limits, users } = await this.database.transaction(tenantId, async (tx) => {
      const tenant = await this.tenants.find(tx);
      if (!tenant || tenant.closedAt) throw new PlatformError('NOT_FOUND', 'Workspace not found');
      return { plan: tenant.plan, limits: limitsOf(tenant), users: await this.users.count(tx, tenantId) };
    });
    const { records, bytes, customObjects } = await this.rpc.call(rpc.customObjects.getStorageUse, { tenantId });
    const usage: Readonly<Record<Limited, Used>> = {
      records: { used: records, limit: limits.records },
      bytes: { used: bytes, limit: limits.bytes },
      users: { used: users, limit: limits.users },
      customObjects: { used: customObjects, limit: CUSTOM_OBJECT_LIMITS[plan] },
    };
    return { ...usage, notices: noticesOf(usage) };
  }

  /** In the transaction that has added a user, once others of the workspace who are added wait. @throws STORAGE_LIMIT_REACHED */
  async assertUserLimit(tx: NarrowTransaction, tenantId: string): Promise<void> {
    const tenant = await this.tenants.findAsNarrow(tx, tenantId);
    const limit = tenant ? limitsOf(tenant).users : 0;
    const used = (await this.users.count(tx, tenantId)) - 1;
    if (used < limit) return;
    throw new PlatformError('STORAGE_LIMIT_REACHED', `The workspace has ${used} of ${limit} users`, {
      members: { kind: 'users', used, limit },
    });
  }

  /** Like {@link note}, for a user who has been added already: a failure is logged. */
  async noteUser(tenantId: string): Promise<void> {
    try {
      await this.note(tenantId, {});
    } catch (error) {
      this.logger.warn({ msg: 'Whether a workspace has nearly all its users was not looked at', tenantId, err: error });
    }
  }

  /** Tells the administrators by mail, once a week, when something of what is used is nearly at its limit. */
  async note(tenantId: string, known: Partial<Record<StorageKind, number>>): Promise<void> {
    await this.database.transaction(tenantId, async (tx) => {
      const tenant = await this.tenants.lock(tx);
      // One that nobody verified may have another person's address.
      if (!tenant?.verifiedAt || tenant.closedAt) return;
      const limits = limitsOf(tenant);
      const used = { ...known, users: await this.users.count(tx, tenantId) };
      const full = Object.entries(used).filter(
        ([kind, count]) => count >= STORAGE_TOLD_FROM * limits[kind as StorageKind],
      );
      const toldBefore = tenant.storageToldAt !== null && Date.now() - tenant.storageToldAt.getTime() < TOLD_AGAIN_MS;
      if (full.length === 0 || toldBefore) return;
      const lines = full.map(([kind, count]) => WORDS[kind as StorageKind](count, limits[kind as StorageKind]));
      for (const user of await this.users.holdAdministratorsToTell(tx, MAX_NOTIFIED_ADMINISTRATORS)) {
        await this.mails.queue(tx, tenantId, nearlyFullMail(user, lines, tenant.name, this.config.service.baseUrl));
      }
      await this.tenants.change(tx, { storageToldAt: new Date() });
    });
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_000_000);

const WORDS: Readonly<Record<Limited, (used: number, limit: number) => string>> = {
  records: (used, limit) => `Records: ${used} of ${limit}`,
  bytes: (used, limit) => `Storage: ${megabytes(used)} of ${megabytes(limit)} MB`,
  users: (used, limit) => `Users: ${used} of ${limit}`,
  customObjects: (used, limit) => `Custom objects: ${used} of ${limit}`,
};

/** Notices about what is at its limit or near it. */
function noticesOf(usage: Readonly<Record<Limited, Used>>): UsageNotice[] {
  const kinds = Object.keys(WORDS) as Limited[];
  const notices = kinds.map((kind): UsageNotice | null => {
    const { used, limit } = usage[kind];
    const detail = WORDS[kind](used, limit);
    if (used >= limit) return { code: 'LIMIT_REACHED', severity: 'critical', detail };
    return used >= STORAGE_TOLD_FROM * limit ? { code: 'NEARLY_FULL', severity: 'warning', detail } : null;
  });
  return notices.filter((notice) => notice !== null);
}
