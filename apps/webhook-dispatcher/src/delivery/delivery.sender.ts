import { Database } from '@crm/database';
import { OutsideClient } from '@crm/egress';
import { Inject, Injectable } from '@nestjs/common';
import { Counter, Histogram, register } from 'prom-client';
import { AppSecretService } from '../app-secret/app-secret.service.js';
import { WEBHOOK_CONFIG, type WebhookConfig } from '../config.js';
import { signatureHeaders } from '../signing-secret/signature.js';
import { SigningSecretService } from '../signing-secret/signing-secret.service.js';
import { SubscriptionRepository } from '../subscription/subscription.repository.js';
import { type AttemptOutcome, EXCERPT_BYTES, outcomeOfError, outcomeOfResponse } from './attempt-outcome.js';
import type { ClaimedDelivery, DeliveryWork } from './delivery.js';
import { DeliveryRepository } from './delivery.repository.js';
import { afterAttempt } from './delivery-state.js';

/** A subscription whose attempts all fail for this long is disabled: five days. */
const FAILING_LIMIT_MS = 5 * 24 * 3600 * 1000;

const attemptsTotal = metric(
  'webhook_attempts_total',
  () => new Counter({ name: 'webhook_attempts_total', help: 'Delivery attempts by outcome', labelNames: ['outcome'] }),
);
const attemptSeconds = metric(
  'webhook_attempt_seconds',
  () => new Histogram({ name: 'webhook_attempt_seconds', help: 'Duration of delivery attempts' }),
);

interface PreparedDelivery {
  readonly work: DeliveryWork;
  /** The app whose secret signs; null when the subscription has a secret of its own. */
  readonly appKey: string | null;
  readonly secrets: readonly string[];
}

/** Makes one attempt of a claimed delivery and stores its outcome. */
@Injectable()
export class DeliverySender {
  constructor(
    private readonly database: Database,
    private readonly deliveries: DeliveryRepository,
    private readonly subscriptions: SubscriptionRepository,
    private readonly appSecrets: AppSecretService,
    private readonly secrets: SigningSecretService,
    private readonly outside: OutsideClient,
    @Inject(WEBHOOK_CONFIG) private readonly config: Pick<WebhookConfig, 'delivery'>,
  ) {}

  /** @returns whether the receiver accepted it; null when there was nothing to send */
  async attempt(claimed: ClaimedDelivery): Promise<boolean | null> {
    const prepared = await this.prepare(claimed);
    if (prepared === null) return null;
    const { work, appKey } = prepared;
    const secrets = appKey === null ? prepared.secrets : await this.appSecrets.listLive(appKey);
    const outcome = await this.send(work, secrets);
    await this.record(claimed, work.attempts + 1, outcome);
    attemptsTotal.inc({ outcome: outcome.error?.code ?? 'delivered' });
    attemptSeconds.observe(outcome.latencyMs / 1000);
    return outcome.error === null;
  }

  private prepare(claimed: ClaimedDelivery): Promise<PreparedDelivery | null> {
    const { subscriptionId } = claimed;
    return this.database.transaction(claimed.tenantId, async (tx) => {
      const [work, receiver] = await Promise.all([
        this.deliveries.findWork(tx, claimed),
        this.subscriptions.findReceiver(tx, subscriptionId, new Date()),
      ]);
      if (work === null) return null;
      if (!receiver?.enabled) {
        const message = receiver ? 'The subscription is disabled' : 'The subscription was deleted';
        await this.deliveries.abandon(tx, claimed, 'subscription_inactive', message);
        return null;
      }
      const { url, appKey } = receiver;
      const secrets = receiver.secrets.map((box) => this.secrets.open(box, { subscriptionId }));
      // A corrected URL also counts for the deliveries that wait for their next attempt.
      if (url !== work.url) await this.deliveries.readdress(tx, claimed, url);
      return { work: { ...work, url }, appKey, secrets };
    });
  }

  private async send(work: DeliveryWork, secrets: readonly string[]): Promise<AttemptOutcome> {
    const at = new Date();
    const started = performance.now();
    const headers = signatureHeaders(work.eventId, Math.floor(at.getTime() / 1000), work.body, secrets);
    try {
      const response = await this.outside.request({
        method: 'POST',
        url: work.url,
        headers: { 'content-type': 'application/json', ...headers },
        body: work.body,
        maxResponseBytes: EXCERPT_BYTES,
        truncate: true,
      });
      return outcomeOfResponse(at, response);
    } catch (error) {
      return outcomeOfError(at, performance.now() - started, error);
    }
  }

  private async record(claimed: ClaimedDelivery, attempts: number, outcome: AttemptOutcome): Promise<void> {
    const next = afterAttempt(this.config.delivery.retryDelaysMs, attempts, outcome, Math.random());
    await this.database.transaction(claimed.tenantId, async (tx) => {
      const isOurs = await this.deliveries.recordAttempt(tx, claimed, attempts, outcome, next);
      if (!isOurs) return;
      if (outcome.error === null) {
        await this.subscriptions.markHealthy(tx, claimed.subscriptionId);
        return;
      }
      const failingSince = await this.subscriptions.markFailing(tx, claimed.subscriptionId, outcome.at);
      if (next.disables) {
        await this.subscriptions.disable(tx, claimed.subscriptionId, 'the receiver answered 410 Gone');
      } else if (failingSince !== null && outcome.at.getTime() - failingSince.getTime() > FAILING_LIMIT_MS) {
        await this.subscriptions.disable(tx, claimed.subscriptionId, 'every attempt failed for five days');
      }
    });
  }
}

/** A metric of the process; several instances of the service in one test process share it. */
function metric<M extends Counter | Histogram>(name: string, create: () => M): M {
  return (register.getSingleMetric(name) as M | undefined) ?? create();
}
