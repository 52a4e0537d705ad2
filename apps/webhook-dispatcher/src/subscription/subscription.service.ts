import type { Principal } from '@crm/context';
import {
  eventsOf,
  type FieldProblem,
  isEventPattern,
  PlatformError,
  type ProvisionedSubscription,
} from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import { AppSecretService } from '../app-secret/app-secret.service.js';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { requireValidFilter } from '../receiver/event-filter.js';
import { ReceiverChanges } from '../receiver-changes/receiver-changes.js';
import { ROTATION_OVERLAP_MS, SigningSecretService } from '../signing-secret/signing-secret.service.js';
import { SubscriptionRepository, type SubscriptionSummary } from './subscription.repository.js';

/** What a subscription is for. */
export interface SubscriptionDefinition {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly filter?: string | null;
}

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly secret: string;
  readonly webhooks: readonly SubscriptionDefinition[];
}

/** Stored when an administrator disables a subscription that had no other reason. */
const DISABLED_BY_ADMINISTRATOR = 'disabled by an administrator';

/** Rules of subscriptions: which URLs and events are accepted, and which secret signs. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly appSecrets: AppSecretService,
    private readonly secrets: SigningSecretService,
    private readonly outside: OutsideClient,
    private readonly changes: ReceiverChanges,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'subscriptionsPerTenant'>,
  ) {}

  /**
   * @returns the subscription and its secret, which is never shown again
   * @throws PlatformError VALIDATION_FAILED, WEBHOOK_TARGET_REFUSED or SUBSCRIPTION_LIMIT_EXCEEDED
   */
  async create(
    principal: Principal,
    input: SubscriptionDefinition,
  ): Promise<{ subscription: SubscriptionSummary; secret: string }> {
    this.requireValid(input);
    const id = newId();
    const secret = this.secrets.create();
    const [subscription] = await this.database.transaction(principal.tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      await this.requireRoom(tx, 1);
      return this.subscriptions.insert(tx, [
        {
          ...definitionOf(input),
          id,
          installationId: null,
          appKey: null,
          secret: this.secrets.seal(secret, { subscriptionId: id }),
          createdBy: principal.userId,
        },
      ]);
    });
    await this.changes.announce({ tenantId: principal.tenantId });
    return { subscription: subscription as SubscriptionSummary, secret };
  }

  /**
   * In the order in which they were created.
   * @throws PlatformError INVALID_QUERY for a cursor of another tenant or list
   */
  async list({ tenantId }: Principal, query: ListQuery): Promise<ListAnswer<SubscriptionSummary>> {
    const page = parsePage(query, { tenantId, list: 'subscriptions' });
    const [subscriptions, counted] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.subscriptions.page(tx, page), this.subscriptions.count(tx)]),
    );
    return listAnswer(subscriptions, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND */
  async get(principal: Principal, id: string): Promise<SubscriptionSummary> {
    const subscription = await this.database.transaction(principal.tenantId, (tx) => this.subscriptions.find(tx, id));
    return subscription ?? refuseUnknown();
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT for a subscription of an app, or what `create` throws of the definition */
  async update(
    principal: Principal,
    id: string,
    changes: Partial<SubscriptionDefinition> & { enabled?: boolean },
  ): Promise<SubscriptionSummary> {
    const updated = await this.database.transaction(principal.tenantId, async (tx) => {
      const before = (await this.subscriptions.lock(tx, id)) ?? refuseUnknown();
      const isAppOwned = before.installationId !== null;
      if (isAppOwned && Object.keys(changes).some((name) => name !== 'enabled')) {
        throw new PlatformError('CONFLICT', 'The subscription belongs to an app; it can only be enabled or disabled');
      }
      const { url, events, description, filter } = { ...before, ...changes };
      // A filter that does not change was valid when it was stored, even if the types of the event have become stricter.
      const isFilterNew = changes.filter !== undefined || changes.events !== undefined;
      this.requireValid({ url, events, filter: isFilterNew ? filter : null });
      const enabled = changes.enabled ?? before.enabled;
      const after = {
        url,
        events: [...events],
        description,
        filter,
        enabled,
        disabledReason: enabled ? null : (before.disabledReason ?? DISABLED_BY_ADMINISTRATOR),
        // Enabling forgets past failures.
        failingSince: enabled && !before.enabled ? null : before.failingSince,
      };
      await this.subscriptions.update(tx, id, after);
      return { ...before, ...after };
    });
    await this.changes.announce({ tenantId: principal.tenantId });
    return updated;
  }

  /** @throws PlatformError NOT_FOUND, or CONFLICT for a subscription of an app */
  async delete(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal.tenantId, async (tx) => {
      const subscription = (await this.subscriptions.find(tx, id)) ?? refuseUnknown();
      if (subscription.installationId !== null) {
        throw new PlatformError(
          'CONFLICT',
          'The subscription belongs to an app; it is deleted when the app is uninstalled',
        );
      }
      await this.subscriptions.delete(tx, id);
    });
    await this.changes.announce({ tenantId: principal.tenantId });
  }

  /**
   * Replaces the secret; the previous secret stays valid for one more day.
   * @returns the new secret, which is never shown again
   * @throws PlatformError NOT_FOUND, also for a subscription of an app
   */
  async rotateSecret(principal: Principal, id: string): Promise<string> {
    const secret = this.secrets.create();
    const replaced = await this.database.transaction(principal.tenantId, (tx) =>
      this.subscriptions.replaceSecret(
        tx,
        id,
        this.secrets.seal(secret, { subscriptionId: id }),
        new Date(Date.now() + ROTATION_OVERLAP_MS),
      ),
    );
    if (!replaced) refuseUnknown();
    await this.changes.announce({ tenantId: principal.tenantId });
    return secret;
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
          secret: null,
          createdBy: userId,
        })),
      );
      return created.map(provisioned);
    });
    await this.changes.announce({ tenantId });
    return subscriptions;
  }

  /** @returns how many the installation had */
  async remove(tenantId: string, installationId: string): Promise<number> {
    const removed = await this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      return this.subscriptions.deleteByInstallation(tx, installationId);
    });
    await this.changes.announce({ tenantId });
    return removed;
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

const definitionOf = ({ url, events, description = null, filter = null }: SubscriptionDefinition) => ({
  url,
  events: [...new Set(events)],
  description,
  filter,
});

const provisioned = ({ id, url, events }: SubscriptionSummary): ProvisionedSubscription => ({ id, url, events });

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such subscription');
}
