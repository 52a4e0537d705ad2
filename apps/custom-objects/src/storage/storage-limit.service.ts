import { PlatformError, rpc, STORAGE_TOLD_FROM, type StorageLimits } from '@crm/contracts';
import { Database } from '@crm/database';
import { Rpc, TenantDirectory } from '@crm/messaging';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type StorageUse, StorageUseRepository } from './storage-use.repository.js';

/** How long other processes may write before it counts here, in milliseconds. */
const FRESH_MS = 5_000;
const KEPT_TENANTS = 10_000;
/** How often identity is told of a workspace that is nearly full, in milliseconds. */
const TOLD_MS = 3_600_000;

const KINDS = ['records', 'bytes'] as const;

interface Known {
  records: number;
  bytes: number;
  readonly limits: Pick<StorageLimits, (typeof KINDS)[number]>;
  isOutdated?: true;
}

/** Refuses what a workspace may not store. What it has is counted by the writes and read anew every few seconds, not for each of them. */
@Injectable()
export class StorageLimit {
  private readonly logger = new Logger(StorageLimit.name);
  private readonly told = new LRUCache<string, true>({ max: KEPT_TENANTS, ttl: TOLD_MS });
  private readonly known = new LRUCache<string, Known>({
    max: KEPT_TENANTS,
    ttl: FRESH_MS,
    allowStale: true,
    noDeleteOnStaleGet: true,
    ignoreFetchAbort: true,
    fetchMethod: (tenantId) => this.load(tenantId),
  });

  constructor(
    private readonly database: Database,
    private readonly uses: StorageUseRepository,
    private readonly tenants: TenantDirectory,
    private readonly rpc: Rpc,
  ) {}

  /** Before what is written is prepared: {@link assertWithinLimit} judges by it. */
  async know(tenantId: string): Promise<void> {
    const isFresh = this.known.getRemainingTTL(tenantId) > 0 && !this.known.peek(tenantId)?.isOutdated;
    if (!isFresh) await this.known.fetch(tenantId, { allowStale: false, forceRefresh: true });
  }

  /** @param growth of what is about to be written; nothing that shrinks is refused @throws STORAGE_LIMIT_REACHED */
  assertWithinLimit(tenantId: string, growth: StorageUse): void {
    const known = this.known.get(tenantId);
    if (!known) return;
    const full = KINDS.find((kind) => growth[kind] > 0 && known[kind] + growth[kind] > known.limits[kind]);
    if (full !== undefined) {
      const [used, limit] = [known[full], known.limits[full]];
      throw new PlatformError(
        'STORAGE_LIMIT_REACHED',
        `The workspace uses ${used} of ${limit} ${full}. Delete records permanently, or ask for a larger plan`,
        {
          members: { kind: full, used, limit },
        },
      );
    }
    // What becomes free counts once it is committed and read.
    for (const kind of KINDS) known[kind] += Math.max(0, growth[kind]);
  }

  /** Once less is stored: it is read before the next write; writes that have begun are judged by what was known. */
  readAnew(tenantId: string): void {
    const known = this.known.peek(tenantId, { allowStale: true });
    if (known) known.isOutdated = true;
  }

  private async load(tenantId: string): Promise<Known> {
    const { limits } = await this.tenants.get(tenantId);
    const use = await this.uses.read(this.database, tenantId);
    const bounds = limits ?? { records: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
    const isNearlyFull = KINDS.some((kind) => use[kind] >= STORAGE_TOLD_FROM * bounds[kind]);
    if (isNearlyFull && !this.told.has(tenantId)) this.tell(tenantId, use);
    return { ...use, limits: bounds };
  }

  /** No write waits for it, and none fails with it: it is tried again when the use is read next. */
  private tell(tenantId: string, use: StorageUse): void {
    this.told.set(tenantId, true);
    this.rpc.call(rpc.identity.noteStorageUse, { tenantId, ...use }).catch((error: unknown) => {
      this.told.delete(tenantId);
      this.logger.warn({ tenantId, error }, 'identity was not told of a workspace that is nearly full');
    });
  }
}
