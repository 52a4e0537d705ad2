import { type Principal, RevocationSource, requireScope } from '@crm/access';
import {
  EVENT_PATTERNS,
  eventScope,
  eventsOf,
  type FieldProblem,
  isEventPattern,
  matchesEvent,
  PlatformError,
  type ProvisionedSubscription,
  type RpcRequest,
  rpc,
} from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { nearestName } from '@crm/formula';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Inject, Injectable } from '@nestjs/common';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { type Hold, HoldRepository, NOTHING_HELD } from '../queue/hold.repository.js';
import { CustomHeaderService, type CustomHeaders, resolveHeaders } from './custom-headers.js';
import { requireValidFilter } from './event-filter.js';
import { ReceiverChanges } from './receiver-changes.js';
import { SecretService } from './secret.service.js';
import { type IssuedSecret, type Signature, SigningSecretService } from './signature.js';
import type { Subscription } from './subscription.entity.js';
import { type Ordering, REMOVAL_EVENT, REVOKED, refuseUnknownSubscription, type StallRule } from './subscription.js';
import { LOCKED, SubscriptionRepository, type SubscriptionSummary } from './subscription.repository.js';
import { SubscriptionStateService } from './subscription-state.service.js';

interface SubscriptionDefinition {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly filter?: string | null;
  /** Values by name, in any case. */
  readonly headers?: Readonly<Record<string, unknown>> | null;
  /** Attempts a second; null for no limit. */
  readonly rateLimit?: number | null;
  /** Default `none`. */
  readonly ordering?: Ordering;
  /** Default `skip`. */
  readonly onStall?: StallRule;
}

type Changes = Partial<SubscriptionDefinition> & { readonly enabled?: boolean };

export type ShownSubscription = Omit<SubscriptionSummary, 'sealedHeaders'> & {
  readonly headers: CustomHeaders;
  readonly hold: Hold;
};

export type ProvisionRequest = RpcRequest<typeof rpc.webhooks.provisionSubscriptions>;

@Injectable()
export class SubscriptionService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly secrets: SecretService,
    private readonly signing: SigningSecretService,
    private readonly headers: CustomHeaderService,
    private readonly outside: OutsideClient,
    private readonly changes: ReceiverChanges,
    private readonly states: SubscriptionStateService,
    private readonly holds: HoldRepository,
    private readonly rpc: Rpc,
    private readonly revocations: RevocationSource,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'subscriptionsPerTenant'>,
  ) {}

  /** @throws PlatformError VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED, INSUFFICIENT_SCOPE or SUBSCRIPTION_LIMIT_EXCEEDED */
  async create(
    principal: Principal,
    input: SubscriptionDefinition & { readonly signature?: Signature },
  ): Promise<{ subscription: ShownSubscription; shown: IssuedSecret['shown'] }> {
    this.requireValid(input);
    requireUserScope(principal, input.events);
    const headers = resolveHeaders(input.headers ?? {}, {});
    const id = newId();
    const { sealed, publicKey, shown } = this.signing.issue(input.signature ?? 'v1', { subscriptionId: id });
    await this.database.transaction(principal.tenantId, (tx) => this.requireWithinLimit(tx, 1));
    await this.record(principal, 'webhook.added', id, input);
    const [subscription] = await this.database.transaction(principal.tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      await this.requireWithinLimit(tx, 1);
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

  /** @throws PlatformError INVALID_QUERY for a cursor of another tenant or list */
  async list({ tenantId }: Principal, query: ListQuery): Promise<ListAnswer<ShownSubscription>> {
    const page = parsePage(query, { tenantId, list: 'subscriptions' });
    return this.database.transaction(tenantId, async (tx) => {
      const [subscriptions, counted] = await Promise.all([
        this.subscriptions.page(tx, page),
        this.subscriptions.count(tx),
      ]);
      const holds = await this.holds.list(tx, idsOf(subscriptions));
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

  /** @throws PlatformError NOT_FOUND, CONFLICT for a subscription of an app, INSUFFICIENT_SCOPE, VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED */
  async update(principal: Principal, id: string, changes: Changes): Promise<ShownSubscription> {
    const present = await this.require(principal, id);
    this.changed(principal, present, changes);
    const action = actOf(present, changes);
    if (action) await this.record(principal, action, id, action === 'webhook.changed' ? changes : {});
    const updated = await this.database.transaction(principal.tenantId, async (tx) => {
      const before = (await this.subscriptions.lock(tx, id)) ?? refuseUnknownSubscription();
      const definition = this.changed(principal, before, changes);
      const state = await this.states.changeTo(tx, before, changes.enabled ?? before.enabled);
      const after = { ...definition, ...state };
      if (Object.keys(after).length > 0) await this.subscriptions.update(tx, id, after);
      return [{ ...before, ...after }, await this.holdOf(tx, id)] as const;
    });
    await this.changes.announce({ tenantId: principal.tenantId });
    return this.shown(...updated);
  }

  /** @throws PlatformError NOT_FOUND, or CONFLICT for a subscription of an app */
  async delete(principal: Principal, id: string): Promise<void> {
    // The owner of a subscription never changes.
    if ((await this.require(principal, id)).installationId !== null) {
      const detail = 'The subscription belongs to an app. Uninstall the app to delete it';
      throw new PlatformError('CONFLICT', detail);
    }
    await this.record(principal, 'webhook.removed', id);
    await this.database.transaction(principal.tenantId, async (tx) => {
      if ((await this.subscriptions.lock(tx, id)) === null) refuseUnknownSubscription();
      this.holds.discard(tx, [id]);
      await this.subscriptions.delete(tx, id);
    });
    await this.changes.announce({ tenantId: principal.tenantId });
  }

  /** All or none, with the errors of `create`; when the installation already has some, returns those. */
  async provision(tenantId: string, userId: string, request: ProvisionRequest): Promise<ProvisionedSubscription[]> {
    const { installationId, appKey, sandbox = false, webhooks } = request;
    for (const webhook of webhooks) this.requireValid(webhook);
    await this.secrets.storeOfApp(appKey, request.secret);
    const subscriptions = await this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      const present = await this.subscriptions.listByInstallation(tx, installationId);
      if (present.length > 0) return present.map(provisioned);
      await this.requireWithinLimit(tx, webhooks.length);
      const created = await this.subscriptions.insert(
        tx,
        webhooks.map((webhook) => ({
          ...definitionOf({ ...webhook, filter: null }),
          id: newId(),
          installationId,
          appKey,
          sandbox,
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

  /** Keeps those that want to know of the removal until they were told. @param discard a failed installation is undone */
  async remove(tenantId: string, installationId: string, discard: boolean): Promise<number> {
    const removed = await this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      const present = await this.subscriptions.listByInstallation(tx, installationId, LOCKED);
      this.holds.discard(tx, idsOf(present));
      const told = discard ? [] : present.filter(wantsRemoval);
      await this.subscriptions.markRemoved(tx, idsOf(told), this.config.subscriptionsPerTenant);
      await this.subscriptions.deleteByInstallation(tx, installationId);
      return present.length;
    });
    await this.changes.announce({ tenantId });
    return removed;
  }

  private async require({ tenantId }: Principal, id: string): Promise<Subscription> {
    const found = await this.database.transaction(tenantId, (tx) => this.subscriptions.find(tx, id));
    return found ?? refuseUnknownSubscription();
  }

  /**
   * The columns of a new definition; none when it is only paused or resumed, which needs no valid URL and no readable headers.
   * @throws PlatformError CONFLICT for a subscription of an app, INSUFFICIENT_SCOPE, VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED
   */
  private changed(principal: Principal, before: Subscription, changes: Changes): Partial<Subscription> {
    if (!isRedefinedBy(changes)) return {};
    if (before.installationId !== null) {
      throw new PlatformError('CONFLICT', 'The subscription belongs to an app and can only be paused and resumed');
    }
    const { url, events, description, filter, rateLimit, ordering, onStall } = { ...before, ...changes };
    requireUserScope(principal, [...before.events, ...events]);
    // A filter that does not change was valid when it was stored, even if the types of the event have become stricter.
    const isFilterNew = changes.filter !== undefined || changes.events !== undefined;
    this.requireValid({ url, events, filter: isFilterNew ? filter : null });
    const sealedHeaders = this.headers.seal(this.headersAfter(before, changes), before.id);
    const definition = { url, events: [...events], description, filter, rateLimit, ordering, onStall, sealedHeaders };
    // What its receiver had asked for does not concern another one.
    return url === before.url ? definition : { ...definition, pausedUntil: null };
  }

  /**
   * To the audit trail, which names no path of a receiver. Before the transaction of the change, which would hold a connection and locks
   * meanwhile. @throws PlatformError SERVICE_UNAVAILABLE, DEADLINE_EXCEEDED
   */
  private async record(
    principal: Principal,
    action: rpc.identity.RecordedAct,
    subjectId: string,
    changes: Partial<SubscriptionDefinition> = {},
  ): Promise<void> {
    const { url, events } = changes;
    const changed = Object.entries(changes).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    const detail = {
      ...(url !== undefined && { host: new URL(url).host }),
      ...(events && { events: [...events] }),
      ...(action === 'webhook.changed' && { changed }),
    };
    await this.rpc.call(rpc.identity.recordAct, { action, subjectId, detail }, principal);
  }

  /** The rows of a revoked app stay as they were. */
  private shown({ sealedHeaders, ...subscription }: SubscriptionSummary, hold: Hold): ShownSubscription {
    const { id, appKey } = subscription;
    const isRevoked = appKey !== null && this.revocations.isAppRevoked(appKey);
    return { ...subscription, ...(isRevoked && REVOKED), headers: this.headers.open(sealedHeaders, id), hold };
  }

  private async holdOf(tx: TenantTransaction, id: string): Promise<Hold> {
    return (await this.holds.list(tx, [id])).get(id) ?? NOTHING_HELD;
  }

  /** Stored values are not sent to a new URL, which could belong to someone who does not know them. */
  private headersAfter(before: SubscriptionSummary, changes: Partial<SubscriptionDefinition>): CustomHeaders {
    const stored = this.headers.open(before.sealedHeaders, before.id);
    const isMoved = changes.url !== undefined && changes.url !== before.url;
    if (changes.headers !== undefined) return resolveHeaders(changes.headers ?? {}, isMoved ? {} : stored);
    if (!isMoved || Object.keys(stored).length === 0) return stored;
    const detail = 'With a new URL, send all header values again, or null for none';
    throw new PlatformError('VALIDATION_FAILED', undefined, {
      errors: [{ pointer: '/headers', code: 'REQUIRED', detail }],
    });
  }

  private async requireWithinLimit(tx: TenantTransaction, requested: number): Promise<void> {
    const { subscriptionsPerTenant: limit } = this.config;
    const present = await this.subscriptions.count(tx);
    if (present + requested <= limit) return;
    throw new PlatformError(
      'SUBSCRIPTION_LIMIT_EXCEEDED',
      `A workspace can have ${limit} webhook subscriptions, including those of its apps. This one has ${present}`,
      { members: { limit, present, requested } },
    );
  }

  private requireValid(input: Pick<SubscriptionDefinition, 'url' | 'events' | 'filter'>): void {
    const unknown = input.events.flatMap((event, index): FieldProblem[] =>
      isEventPattern(event)
        ? []
        : [{ pointer: `/events/${index}`, code: 'UNKNOWN_EVENT', detail: unknownEvent(event) }],
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

const isRedefinedBy = (changes: Changes): boolean => Object.keys(changes).some((name) => name !== 'enabled');

/** What the audit trail calls it; null when nothing changes. */
function actOf(before: Subscription, changes: Changes): rpc.identity.RecordedAct | null {
  if (isRedefinedBy(changes)) return 'webhook.changed';
  if (changes.enabled === undefined || changes.enabled === before.enabled) return null;
  return changes.enabled ? 'webhook.resumed' : 'webhook.paused';
}

const definitionOf = ({
  url,
  events,
  description = null,
  filter = null,
  ordering = 'none',
  onStall = 'skip',
}: Omit<SubscriptionDefinition, 'headers'>) => ({
  url,
  events: [...new Set(events)],
  description,
  filter,
  ordering,
  onStall,
});

/** The scope `webhooks` covers what happens to records; what is told of people needs their scope too. */
function requireUserScope(principal: Principal, events: readonly string[]): void {
  if (events.some((event) => eventScope(event) === 'users:read')) requireScope(principal, 'users', 'read');
}

function unknownEvent(event: string): string {
  const near = nearestName(event, EVENT_PATTERNS);
  return `Unknown event "${event}"${near === undefined ? '' : `. Did you mean "${near}"?`}`;
}

const idsOf = (subscriptions: readonly { readonly id: string }[]) => subscriptions.map(({ id }) => id);

const provisioned = ({ id, url, events }: SubscriptionSummary): ProvisionedSubscription => ({ id, url, events });

/** A disabled subscription is told nothing. */
const wantsRemoval = ({ enabled, events }: Subscription): boolean => enabled && matchesEvent(events, REMOVAL_EVENT);
