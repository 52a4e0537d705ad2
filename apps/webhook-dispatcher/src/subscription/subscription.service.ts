import type { Principal } from '@crm/context';
import { type FieldProblem, isEventName, PlatformError, type ProvisionedSubscription } from '@crm/contracts';
import { Database, newId, type TenantTransaction } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { idPosition, type ListAnswer, type ListQuery, listAnswer, parsePage } from '@crm/http';
import { Inject, Injectable } from '@nestjs/common';
import type { WebhookConfig } from '../config.js';
import { WEBHOOK_CONFIG } from '../webhook-config.js';
import { AppSecretService } from './app-secret.service.js';
import { requireValidFilter } from './event-filter.js';
import { ROTATION_OVERLAP_MS, SigningSecrets } from './signing-secrets.js';
import type { Subscription } from './subscription.js';
import { SubscriptionRepository } from './subscription.repository.js';

export interface SubscriptionInput {
  readonly url: string;
  readonly events: readonly string[];
  readonly description?: string | null;
  readonly filter?: string | null;
}

export interface ProvisionRequest {
  readonly installationId: string;
  readonly appKey: string;
  readonly secret: string;
  readonly webhooks: readonly SubscriptionInput[];
}

/** Rules of subscriptions: which targets and events are accepted, whose secrets sign. */
@Injectable()
export class SubscriptionService {
  constructor(
    private readonly database: Database,
    private readonly subscriptions: SubscriptionRepository,
    private readonly appSecrets: AppSecretService,
    private readonly secrets: SigningSecrets,
    private readonly outside: OutsideClient,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'subscriptionsPerTenant'>,
  ) {}

  /**
   * @returns the subscription and its secret, which is shown this once
   * @throws SUBSCRIPTION_LIMIT_EXCEEDED
   */
  async create(
    principal: Principal,
    input: SubscriptionInput,
  ): Promise<{ subscription: Subscription; secret: string }> {
    this.requireValid(input);
    const id = newId();
    const secret = this.secrets.create();
    const subscription = await this.database.transaction(principal.tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      await this.requireRoom(tx, 1);
      return this.subscriptions.insert(tx, {
        id,
        installationId: null,
        appKey: null,
        url: input.url,
        events: [...new Set(input.events)],
        description: input.description ?? null,
        filter: input.filter ?? null,
        sealedSecret: this.secrets.seal(secret, { subscriptionId: id }),
        createdBy: principal.userId,
      });
    });
    return { subscription, secret };
  }

  /**
   * In the order in which they were made.
   * @throws INVALID_QUERY for a cursor of another tenant or list
   */
  async list({ tenantId }: Principal, query: ListQuery): Promise<ListAnswer<Subscription>> {
    const page = parsePage(query, { tenantId, list: 'subscriptions' });
    const [subscriptions, counted] = await this.database.transaction(tenantId, (tx) =>
      Promise.all([this.subscriptions.page(tx, page), this.subscriptions.count(tx)]),
    );
    return listAnswer(subscriptions, page, counted, idPosition);
  }

  async get(principal: Principal, id: string): Promise<Subscription> {
    const subscription = await this.database.transaction(principal.tenantId, (tx) => this.subscriptions.find(tx, id));
    return subscription ?? refuseUnknown();
  }

  async update(
    principal: Principal,
    id: string,
    changes: Partial<SubscriptionInput> & { enabled?: boolean },
  ): Promise<Subscription> {
    return this.database.transaction(principal.tenantId, async (tx) => {
      const before = (await this.subscriptions.find(tx, id)) ?? refuseUnknown();
      const isAppOwned = before.installationId !== null;
      if (isAppOwned && Object.keys(changes).some((name) => name !== 'enabled')) {
        throw new PlatformError('CONFLICT', 'An app brought this subscription; it can only be enabled or disabled');
      }
      const after = { ...before, ...changes, enabled: changes.enabled ?? before.enabled };
      // What is left as it is was right when it was made, also where more is known of the events now.
      const isFilterNew = changes.filter !== undefined || changes.events !== undefined;
      this.requireValid({ ...after, filter: isFilterNew ? after.filter : null });
      return (await this.subscriptions.update(tx, id, after)) ?? refuseUnknown();
    });
  }

  async delete(principal: Principal, id: string): Promise<void> {
    await this.database.transaction(principal.tenantId, async (tx) => {
      const subscription = (await this.subscriptions.find(tx, id)) ?? refuseUnknown();
      if (subscription.installationId !== null) {
        throw new PlatformError('CONFLICT', 'An app brought this subscription; it goes when the app is uninstalled');
      }
      await this.subscriptions.delete(tx, id);
    });
  }

  /** @returns the new secret, which is shown this once; the one before signs for another day */
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
    return replaced ? secret : refuseUnknown();
  }

  /**
   * Puts a package's subscriptions in place, all or none; asking again answers with what is there.
   * @throws SUBSCRIPTION_LIMIT_EXCEEDED
   */
  async provision(tenantId: string, userId: string, request: ProvisionRequest): Promise<ProvisionedSubscription[]> {
    for (const webhook of request.webhooks) this.requireValid(webhook);
    await this.appSecrets.keep(request.appKey, request.secret);
    return this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      const present = await this.subscriptions.listByInstallation(tx, request.installationId);
      if (present.length > 0) return present.map(provisioned);
      await this.requireRoom(tx, request.webhooks.length);
      const created: Subscription[] = [];
      for (const webhook of request.webhooks) {
        const id = newId();
        created.push(
          await this.subscriptions.insert(tx, {
            id,
            installationId: request.installationId,
            appKey: request.appKey,
            url: webhook.url,
            events: [...new Set(webhook.events)],
            description: webhook.description ?? null,
            filter: null,
            sealedSecret: null,
            createdBy: userId,
          }),
        );
      }
      return created.map(provisioned);
    });
  }

  remove(tenantId: string, installationId: string): Promise<number> {
    return this.database.transaction(tenantId, async (tx) => {
      await this.subscriptions.lockTenant(tx);
      return this.subscriptions.deleteByInstallation(tx, installationId);
    });
  }

  /** Holds only as long as the tenant is locked. */
  private async requireRoom(tx: TenantTransaction, requested: number): Promise<void> {
    const { subscriptionsPerTenant: limit } = this.config;
    const present = await this.subscriptions.count(tx);
    if (present + requested <= limit) return;
    throw new PlatformError(
      'SUBSCRIPTION_LIMIT_EXCEEDED',
      `A workspace has at most ${limit} webhook subscriptions, those of its apps included; ${present} are there`,
      { members: { limit, present, requested } },
    );
  }

  private requireValid(input: SubscriptionInput): void {
    const unknown = input.events.flatMap((event, index): FieldProblem[] =>
      isEventName(event)
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
    if (input.filter !== undefined && input.filter !== null)
      requireValidFilter(input.filter, input.events.filter(isEventName));
  }
}

const provisioned = (subscription: Subscription): ProvisionedSubscription => ({
  id: subscription.id,
  url: subscription.url,
  events: [...subscription.events],
});

function refuseUnknown(): never {
  throw new PlatformError('NOT_FOUND', 'There is no such subscription');
}
