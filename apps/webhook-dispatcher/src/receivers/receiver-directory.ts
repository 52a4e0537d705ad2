import { NOTICES } from '@crm/contracts';
import { Database } from '@crm/database';
import { Notices } from '@crm/messaging';
import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { AppSecretService } from '../subscriptions/app-secret.service.js';
import { CustomHeaderService } from '../subscriptions/custom-header.service.js';
import { liveSecrets } from '../subscriptions/live-secrets.js';
import type { RemovedSubscription } from '../subscriptions/removed-subscription.entity.js';
import { RemovedSubscriptionRepository } from '../subscriptions/removed-subscription.repository.js';
import { type Signer, signerOf } from '../subscriptions/signature.js';
import { SigningSecretService } from '../subscriptions/signing-secret.service.js';
import { REMOVAL_EVENT } from '../subscriptions/subscription-state.js';
import type { Receiver } from './receiver.js';
import { ReceiverRepository, type StoredReceiver } from './receiver.repository.js';

const KEPT_TENANTS = 20_000;
/** Milliseconds after which a tenant is read again, in case a notice was lost, and to forget a secret that has expired. */
const KEPT_MS = 60_000;

/** The receivers of a tenant, by the id of their subscription. */
export type Receivers = ReadonlyMap<string, Receiver>;

/**
 * The receivers of tenants, in memory: what an event costs that nobody wants, and what an attempt needs to know, is a
 * lookup. A process that changes subscriptions tells all processes before it answers (see `ReceiverChanges`).
 */
@Injectable()
export class ReceiverDirectory implements OnModuleInit, BeforeApplicationShutdown {
  /** What is being read is kept as a promise, so that a notice meanwhile makes others read again. */
  private readonly kept = new LRUCache<string, Receivers | Promise<Receivers>>({
    max: KEPT_TENANTS,
    ttl: KEPT_MS,
  });
  private stopListening: (() => void) | undefined;

  constructor(
    private readonly database: Database,
    private readonly receivers: ReceiverRepository,
    private readonly removed: RemovedSubscriptionRepository,
    private readonly appSecrets: AppSecretService,
    private readonly secrets: SigningSecretService,
    private readonly headers: CustomHeaderService,
    private readonly notices: Notices,
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

  /** Also those that are paused or disabled. Answers without a promise when it knows them. */
  of(tenantId: string): Receivers | Promise<Receivers> {
    return this.kept.get(tenantId) ?? this.read(tenantId);
  }

  private read(tenantId: string): Promise<Receivers> {
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
    const [stored, removed] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.receivers.list(tx), this.removed.list(tx)]),
    );
    const appKeys = new Set([...stored, ...removed].map(({ appKey }) => appKey).filter((appKey) => appKey !== null));
    const ofApps = new Map<string, Signer>();
    for (const appKey of appKeys) ofApps.set(appKey, signerOf(await this.appSecrets.listLive(appKey)));
    const present = stored.map(
      (one): Receiver => ({
        ...receiverOf(tenantId, one),
        signer: this.signerOf(one, ofApps, now),
        headers: this.headers.open(one.sealedHeaders, one.subscriptionId),
      }),
    );
    const left = removed.map((one) => removedReceiverOf(one, ofApps.get(one.appKey) ?? signerOf([])));
    return new Map([...present, ...left].map((receiver) => [receiver.subscriptionId, receiver]));
  }

  private signerOf(
    { appKey, subscriptionId, ...stored }: StoredReceiver,
    ofApps: ReadonlyMap<string, Signer>,
    now: Date,
  ): Signer {
    if (appKey !== null) return ofApps.get(appKey) ?? signerOf([]);
    return signerOf(liveSecrets(stored, now).map((box) => this.secrets.open(box, { subscriptionId })));
  }
}

const receiverOf = (tenantId: string, stored: StoredReceiver): Omit<Receiver, 'signer' | 'headers'> => ({
  tenantId,
  subscriptionId: stored.subscriptionId,
  appKey: stored.appKey,
  installationId: stored.installationId,
  isRemoved: false,
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
  createdAt: stored.createdAt.getTime(),
});

const removedReceiverOf = (removed: RemovedSubscription, signer: Signer): Receiver => ({
  tenantId: removed.tenantId,
  subscriptionId: removed.id,
  appKey: removed.appKey,
  installationId: removed.installationId,
  isRemoved: true,
  url: removed.url,
  origin: new URL(removed.url).origin,
  events: [REMOVAL_EVENT],
  filter: null,
  enabled: true,
  rateLimit: null,
  ordering: 'none',
  onStall: 'skip',
  failingSince: null,
  failedAt: null,
  failingHours: 0,
  createdAt: removed.removedAt.getTime(),
  signer,
  headers: {},
});
