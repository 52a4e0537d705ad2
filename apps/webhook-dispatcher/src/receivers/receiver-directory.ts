import { RevocationSource } from '@crm/access';
import { NOTICES } from '@crm/contracts';
import { Database, type TenantTransaction } from '@crm/database';
import { Notices } from '@crm/messaging';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { CustomHeaderService } from '../subscriptions/custom-headers.js';
import { SecretService } from '../subscriptions/secret.service.js';
import {
  liveSecrets,
  type Signer,
  SigningSecretService,
  type StoredSecrets,
  signerOf,
} from '../subscriptions/signature.js';
import { PAUSED_UNTIL } from '../subscriptions/subscription.js';
import type { Receiver } from './receiver.js';
import { ReceiverLimits } from './receiver-limits.js';

/** All subscriptions of a tenant, also removed ones. $1: the tenant. */
export const LIST_RECEIVERS = `
  SELECT id AS "subscriptionId", app_key AS "appKey", installation_id AS "installationId", sandbox, url, events, filter, enabled,
         rate_limit AS "rateLimit", ordering, on_stall AS "onStall", failing_since AS "failingSince",
         failed_at AS "failedAt", failing_hours AS "failingHours", removed_at AS "removedAt",
         created_at AS "createdAt", version,
         (extract(epoch FROM ${PAUSED_UNTIL} - now()) * 1000)::float8 AS "pausedForMs", secret,
         previous_secret AS "previousSecret", previous_secret_until AS "previousSecretUntil", headers AS "sealedHeaders"
    FROM webhook_subscription WHERE tenant_id = $1 ORDER BY id`;

/** Records of which an event may still be in the memory of a process. $1: the tenant. */
export const LIST_ERASED = `
  SELECT record_id AS "recordId" FROM erased_record WHERE tenant_id = $1 AND erased_at > now() - interval '1 day'`;

export type StoredReceiver = Omit<
  Receiver,
  'tenantId' | 'isRemoved' | 'isRevoked' | 'origin' | 'createdAt' | 'signer' | 'headers' | 'isUnreadable'
> &
  StoredSecrets & {
    readonly createdAt: Date;
    readonly removedAt: Date | null;
    /** How long it is to be left alone; null or negative when it is not. */
    readonly pausedForMs: number | null;
    readonly sealedHeaders: Buffer | null;
  };

@Injectable()
export class ReceiverRepository {
  /** The number of a tenant's subscriptions is bounded. */
  list(tx: TenantTransaction): Promise<StoredReceiver[]> {
    return tx.query<StoredReceiver>(LIST_RECEIVERS, [tx.tenantId]);
  }

  async listErased(tx: TenantTransaction): Promise<string[]> {
    const rows = await tx.query<{ recordId: string }>(LIST_ERASED, [tx.tenantId]);
    return rows.map(({ recordId }) => recordId);
  }
}

const KEPT_TENANTS = 20_000;
/** Milliseconds after which a tenant is read again: a notice may be lost, and secrets expire. */
const KEPT_MS = 60_000;

/** Receivers of a tenant, by subscription, and the records of which none may be told any more. */
export type Receivers = ReadonlyMap<string, Receiver> & { readonly erased: ReadonlySet<string> };

/** Receivers in memory, so that an event that nobody wants costs a lookup. Changes are told by `ReceiverChanges`. */
@Injectable()
export class ReceiverDirectory implements OnModuleInit, BeforeApplicationShutdown {
  /** A promise while a tenant is being read, so that a notice meanwhile makes others read again. */
  private readonly kept = new LRUCache<string, Receivers | Promise<Receivers>>({
    max: KEPT_TENANTS,
    ttl: KEPT_MS,
  });
  private readonly logger = new Logger('ReceiverDirectory');
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly receivers: ReceiverRepository,
    private readonly secrets: SecretService,
    private readonly signing: SigningSecretService,
    private readonly headers: CustomHeaderService,
    private readonly limits: ReceiverLimits,
    private readonly notices: Notices,
    private readonly revocations: RevocationSource,
  ) {}

  onModuleInit(): void {
    this.stopListening = this.notices.listen(NOTICES.receiversChanged, {
      onNotice: (changed) => {
        if ('tenantId' in changed) this.kept.delete(changed.tenantId);
        else this.kept.clear();
      },
      onGap: () => this.kept.clear(),
    });
  }

  beforeApplicationShutdown(): void {
    this.stopListening?.();
  }

  /** Includes paused and disabled ones. Answers without a promise when it knows them. */
  of(tenantId: string): Receivers | Promise<Receivers> {
    // Without the broker nobody tells this process of changes.
    const kept = this.notices.areCut ? undefined : this.kept.get(tenantId);
    return kept ?? this.read(tenantId);
  }

  /** Reads a tenant again. */
  read(tenantId: string): Promise<Receivers> {
    const reading = this.load(tenantId);
    this.kept.set(tenantId, reading);
    const settle = (receivers: Receivers | undefined) => {
      // Unless a notice has come meanwhile: the answer may then be older than the change.
      if (this.kept.peek(tenantId) !== reading) return;
      if (receivers) this.kept.set(tenantId, receivers);
      else this.kept.delete(tenantId);
    };
    reading.then(settle, () => settle(undefined));
    return reading;
  }

  private async load(tenantId: string): Promise<Receivers> {
    const now = new Date();
    const [stored, erased] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.receivers.list(tx), this.receivers.listErased(tx)]),
    );
    const appKeys = new Set(stored.map(({ appKey }) => appKey).filter((appKey) => appKey !== null));
    const ofApps = new Map<string, Signer | null>();
    const versions = new Map<string, number>();
    for (const appKey of appKeys) {
      const { sealed, version } = await this.secrets.listSealedOfApp(appKey);
      versions.set(appKey, version);
      ofApps.set(
        appKey,
        this.opened({ appKey }, () => signerOf(this.secrets.openOfApp(appKey, sealed))),
      );
    }
    const receivers = stored.map((one) => {
      const { subscriptionId } = one;
      const signer = this.signerOf(one, ofApps, now);
      const headers = this.opened({ tenantId, subscriptionId }, () =>
        this.headers.open(one.sealedHeaders, subscriptionId),
      );
      const isUnreadable = signer === null || headers === null;
      const version = one.version + (versions.get(one.appKey ?? '') ?? 0);
      const opened = { signer: signer ?? signerOf([]), headers: headers ?? {}, isUnreadable };
      return this.untilRevoked({ ...receiverOf(tenantId, one), ...opened, version });
    });
    for (const one of stored) this.limits.heed(one, one.pausedForMs ?? 0);
    const bySubscription = new Map(receivers.map((receiver) => [receiver.subscriptionId, receiver]));
    return Object.assign(bySubscription, { erased: new Set(erased) });
  }

  /** What is kept here outlasts the revocation of an app, so a receiver asks for it at each look. */
  private untilRevoked(receiver: Omit<Receiver, 'isRevoked'>): Receiver {
    const { appKey, enabled } = receiver;
    if (appKey === null) return { ...receiver, isRevoked: false };
    const isRevoked = () => this.revocations.isAppRevoked(appKey);
    return Object.defineProperties(
      { ...receiver, isRevoked: false },
      {
        isRevoked: { get: isRevoked },
        enabled: { get: () => enabled && !isRevoked() },
      },
    );
  }

  /** @returns null when a secret does not open */
  private signerOf(
    { appKey, subscriptionId, ...stored }: StoredReceiver,
    ofApps: ReadonlyMap<string, Signer | null>,
    now: Date,
  ): Signer | null {
    if (appKey !== null) return ofApps.get(appKey) ?? null;
    const open = () => liveSecrets(stored, now).map((box) => this.signing.open(box, { subscriptionId }));
    return this.opened({ subscriptionId }, () => signerOf(open()));
  }

  /** One row that does not open must not keep the events of all others waiting. @returns null for such a row, which is logged */
  private opened<T>(owner: Readonly<Record<string, string>>, open: () => T): T | null {
    try {
      return open();
    } catch (error) {
      this.logger.error({ msg: 'The secret or the headers of a receiver cannot be opened', ...owner, err: error });
      return null;
    }
  }
}

const receiverOf = (
  tenantId: string,
  stored: StoredReceiver,
): Omit<Receiver, 'signer' | 'headers' | 'isUnreadable' | 'isRevoked' | 'version'> => ({
  tenantId,
  subscriptionId: stored.subscriptionId,
  appKey: stored.appKey,
  installationId: stored.installationId,
  sandbox: stored.sandbox,
  isRemoved: stored.removedAt !== null,
  url: stored.url,
  origin: new URL(stored.url).origin,
  events: stored.events,
  filter: stored.filter,
  enabled: stored.enabled,
  rateLimit: stored.rateLimit,
  ordering: stored.ordering,
  onStall: stored.onStall,
  failingSince: stored.failingSince,
  failedAt: stored.failedAt,
  failingHours: stored.failingHours,
  createdAt: (stored.removedAt ?? stored.createdAt).getTime(),
});
