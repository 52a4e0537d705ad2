import type { Principal } from '@crm/access';
import {
  eventsOf,
  type FieldProblem,
  isEventPattern,
  matchesEvent,
  PlatformError,
  type ProvisionedSubscription,
} from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { AppSecretService } from '../app-secret/app-secret.service.js';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { CustomHeaderService } from '../custom-header/custom-header.service.js';
import { type CustomHeaders, resolveHeaders } from '../custom-header/custom-headers.js';
import { type Hold, HoldingRepository, NOTHING_HELD } from '../holding/holding.repository.js';
import { requireValidFilter } from '../receiver/event-filter.js';
import { REMOVAL_EVENT } from '../receiver/removed-receiver.js';
import { ReceiverChanges } from '../receiver-changes/receiver-changes.js';
import type { Ordering, StallRule } from '../record-line/ordering.js';
import {
  type NewRemovedSubscription,
  RemovedSubscriptionRepository,
} from '../removed-subscription/removed-subscription.repository.js';
import { type IssuedSecret, type Signature, SigningSecretService } from '../signing-secret/signing-secret.service.js';
import type { Subscription } from './subscription.entity.js';
import { SubscriptionRepository, type SubscriptionSummary } from './subscription.repository.js';
import { SubscriptionStateService } from './subscription-state.service.js';
import { refuseUnknownSubscription } from './unknown-subscription.js';

/** What a subscription is for. */
export interface SubscriptionDefinition {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly filter?: string | null;
}

/** What a tenant may also choose for a subscription of its own. */
export interface TenantDefinition extends SubscriptionDefinition {
  /** By name, in any case; null for none. */
  readonly headers?: Readonly<Record<string, unknown>> | null;
  /** Attempts a second; null for no limit. */
  readonly rateLimit?: number | null;
  /** Default `none`. */
  readonly ordering?: Ordering;
  /** Default `skip`. */
  readonly onStall?: StallRule;
}

/** A subscription with its headers opened, for those who see their names, and what it holds. */
export type ShownSubscription = Omit<SubscriptionSummary, 'sealedHeaders'> & {
  readonly headers: CustomHeaders;
  readonly hold: Hold;
};

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly secret: string;
  readonly webhooks: readonly SubscriptionDefinition[];
}

/** Rules of subscriptions: which URLs, events and headers are accepted. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly removed: RemovedSubscriptionRepository,
    private readonly appSecrets: AppSecretService,
    private readonly secrets: SigningSecretService,
    private readonly headers: CustomHeaderService,
    private readonly outside: OutsideClient,
    private readonly changes: ReceiverChanges,
    private readonly states: SubscriptionStateService,
    private readonly holds: HoldingRepository,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'subscriptionsPerTenant'>,
  ) {}

  /**
   * @returns the subscription, and its secret, which is never shown again, or its public key
   * @throws PlatformError VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED or SUBSCRIPTION_LIMIT_EXCEEDED
   */
  async create(
    principal: Principal,
    input: TenantDefinition & { readonly signature?: Signature },
  ): Promise<{ subscription: ShownSubscription; shown: IssuedSecret['shown'] }> {
    this.requireValid(input);
    const headers = resolveHeaders(input.headers ?? {}, {});
    const id = newId();
    const { sealed, publicKey, shown } = this.secrets.issue(input.signature ?? 'v1', { subscriptionId: id });
    const [subscription] = await this.database.transaction(principal.tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      await this.requireRoom(tx, 1);
      return this.subscriptions.insert(tx, [
        {
          ...definitionOf(input),
          id,
          installationId: null,
          appKey: null,
          rateLimit: input.rateLimit ?? null,
          publicKey,
          sealedHeaders: this.headers.seal(headers, id),
          secret: sealed,
          createdBy: principal.userId,
        },
      ]);
    });
    await this.changes.announce({ tenantId: principal.tenantId });
    return { subscription: { ...(subscription as SubscriptionSummary), headers, hold: NOTHING_HELD }, shown };
  }

  /**
   * In the order in which they were created.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant or list
   */
  async list({ tenantId }: Principal, query: ListQuery): Promise<ListAnswer<ShownSubscription>> {
    const page = parsePage(query, { tenantId, list: 'subscriptions' });
    return this.database.transaction(tenantId, async (tx) => {
      const [subscriptions, counted] = await Promise.all([
        this.subscriptions.page(tx, page),
        this.subscriptions.count(tx),
      ]);
      const ids = subscriptions.map(({ id }) => id);
      const holds = await this.holds.list(tx, ids);
      const shown = subscriptions.map((one) => this.shown(one, holds.get(one.id) ?? NOTHING_HELD));
      return listAnswer(shown, page, counted, idPosition);
    });
  }

  /** @throws PlatformError NOT_FOUND */
  async get(principal: Principal, id: string): Promise<ShownSubscription> {
    const [subscription, hold] = await this.database.transaction(principal.tenantId, (tx) =>
      Promise.all([this.subscriptions.find(tx, id), this.holdOf(tx, id)]),
    );
    return this.shown(subscription ?? refuseUnknownSubscription(), hold);
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT for a subscription of an app, or what `create` throws of the definition */
  async update(
    principal: Principal,
    id: string,
    changes: Partial<TenantDefinition> & { enabled?: boolean },
  ): Promise<ShownSubscription> {
    const updated = await this.database.transaction(principal.tenantId, async (tx) => {
      const before = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      const isAppOwned = before.installationId !== null;
      if (isAppOwned && Object.keys(changes).some((name) => name !== 'enabled')) {
        throw new PlatformError('CONFLICT', 'The subscription belongs to an app; it can only be paused and resumed');
      }
      const { url, events, description, filter, rateLimit, ordering, onStall } = { ...before, ...changes };
      // A filter that does not change was valid when it was stored, even if the types of the event have become stricter.
      const isFilterNew = changes.filter !== undefined || changes.events !== undefined;
      this.requireValid({ url, events, filter: isFilterNew ? filter : null });
      const headers = this.headersAfter(before, changes);
      const state = await this.states.changeTo(tx, before, changes.enabled ?? before.enabled);
      const after = {
        url,
        events: [...events],
        description,
        filter,
        rateLimit,
        ordering,
        onStall,
        sealedHeaders: this.headers.seal(headers, id),
        ...state,
      };
      await this.subscriptions.update(tx, id, after);
      return { ...before, ...after, headers, hold: await this.holdOf(tx, id) };
    });
    await this.changes.announce({ tenantId: principal.tenantId });
    return updated;
  }

  /** @throws PlatformError NOT_FOUND, or CONFLICT for a subscription of an app */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal.tenantId, async (tx) => {
      const subscription = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      if (subscription.installationId !== null) {
        throw new PlatformError(
          'CONFLICT',
          'The subscription belongs to an app; it is deleted when the app is uninstalled',
        );
      }
      this.holds.discard(tx, [id]);
      await this.subscriptions.delete(tx, id);
    });
    await this.changes.announce({ tenantId: principal.tenantId });
  }

  /**
   * Creates the subscriptions of a package, all or none; when the installation already has some, returns those.
   * @throws PlatformError VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED or SUBSCRIPTION_LIMIT_EXCEEDED
   */
  async provision(tenantId: string, userId: string, request: ProvisionRequest): Promise<ProvisionedSubscription[]> {
    const { installationId, appKey, webhooks } = request;
    for (const webhook of webhooks) this.requireValid(webhook);
    await this.appSecrets.storeIfMissing(appKey, request.secret);
    const subscriptions = await this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      const present = await this.subscriptions.listByInstallation(tx, installationId);
      if (present.length > 0) return present.map(provisioned);
      await this.requireRoom(tx, webhooks.length);
      const created = await this.subscriptions.insert(
        tx,
        webhooks.map((webhook) => ({
          ...definitionOf({ ...webhook, filter: null }),
          id: newId(),
          installationId,
          appKey,
          rateLimit: null,
          publicKey: null,
          sealedHeaders: null,
          secret: null,
          createdBy: userId,
        })),
      );
      return created.map(provisioned);
    });
    await this.changes.announce({ tenantId });
    return subscriptions;
  }

  /**
   * Of those that want to know that the app was removed, as much is kept as it takes to tell them.
   * @param discard whether no event will say so: the undo of an installation that failed
   * @returns how many the installation had
   */
  async remove(tenantId: string, installationId: string, discard: boolean): Promise<number> {
    const removed = await this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      const present = await this.subscriptions.lockByInstallation(tx, installationId);
      const ids = present.map(({ id }) => id);
      this.holds.discard(tx, ids);
      await this.subscriptions.deleteByInstallation(tx, installationId);
      const told = discard ? [] : present.flatMap(toldOfRemoval);
      if (told.length > 0) await this.removed.insert(tx, told, this.config.subscriptionsPerTenant);
      return present.length;
    });
    await this.changes.announce({ tenantId });
    return removed;
  }

  private shown({ sealedHeaders, ...subscription }: SubscriptionSummary, hold: Hold): ShownSubscription {
    return { ...subscription, headers: this.headers.open(sealedHeaders, subscription.id), hold };
  }

  private async holdOf(tx: TenantTransaction, id: string): Promise<Hold> {
    return (await this.holds.list(tx, [id])).get(id) ?? NOTHING_HELD;
  }

  /**
   * Stored values are not sent to another URL: who does not know them could have them sent to a receiver of their own.
   * @throws PlatformError VALIDATION_FAILED
   */
  private headersAfter(before: SubscriptionSummary, changes: Partial<TenantDefinition>): CustomHeaders {
    const stored = this.headers.open(before.sealedHeaders, before.id);
    const isMoved = changes.url !== undefined && changes.url !== before.url;
    if (changes.headers !== undefined) return resolveHeaders(changes.headers ?? {}, isMoved ? {} : stored);
    if (!isMoved || Object.keys(stored).length === 0) return stored;
    const detail = 'A new URL needs the headers with all values again, or null for none';
    throw new PlatformError('VALIDATION_FAILED', undefined, {
      errors: [{ pointer: '/headers', code: 'REQUIRED', detail }],
    });
  }

  /** The answer is only right while the tenant is locked. */
  private async requireRoom(tx: TenantTransaction, requested: number): Promise<void> {
    const { subscriptionsPerTenant: limit } = this.config;
    const present = await this.subscriptions.count(tx);
    if (present + requested <= limit) return;
    throw new PlatformError(
      'SUBSCRIPTION_LIMIT_EXCEEDED',
      `A workspace can have ${limit} webhook subscriptions, including those of its apps; this one has ${present}`,
      { members: { limit, present, requested } },
    );
  }

  private requireValid(input: Pick<SubscriptionDefinition, 'url' | 'events' | 'filter'>): void {
    const unknown = input.events.flatMap((event, index): FieldProblem[] =>
      isEventPattern(event)
        ? []
        : [{ pointer: `/events/${index}`, code: 'UNKNOWN_EVENT', detail: `There is no event ${event}` }],
    );
    if (unknown.length > 0) throw new PlatformError('VALIDATION_FAILED', undefined, { errors: unknown });
    const verdict = this.outside.checkUrl(input.url);
    if (!verdict.ok) {
      throw new PlatformError('WEBHOOK_TARGET_REFUSED', verdict.message, {
        errors: [{ pointer: '/url', code: verdict.code.toUpperCase(), detail: verdict.message }],
      });
    }
    if (input.filter !== undefined && input.filter !== null) {
      requireValidFilter(input.filter, new Set(input.events.flatMap(eventsOf)));
    }
  }
}

const definitionOf = ({
  url,
  events,
  description = null,
  filter = null,
  ordering = 'none',
  onStall = 'skip',
}: Omit<TenantDefinition, 'headers'>) => ({
  url,
  events: [...new Set(events)],
  description,
  filter,
  ordering,
  onStall,
});

const provisioned = ({ id, url, events }: SubscriptionSummary): ProvisionedSubscription => ({ id, url, events });

/** A disabled one is told nothing, as before. */
const toldOfRemoval = ({ id, url, events, enabled, installationId, appKey }: Subscription): NewRemovedSubscription[] =>
  enabled && installationId !== null && appKey !== null && matchesEvent(events, REMOVAL_EVENT)
    ? [{ id, url, installationId, appKey }]
    : [];
