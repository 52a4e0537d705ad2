import type { Principal } from '@crm/access';
import { type EventName, matchesEvent, PlatformError } from '@crm/contracts';
import { newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { FirstAttempt } from '../delivery/attempt.js';
import { FanOutService } from '../delivery/fan-out.service.js';
import { Sender } from '../delivery/sender.js';
import type { AttemptOutcome, Receiver } from '../receivers/receiver.js';
import { ReceiverDirectory } from '../receivers/receiver-directory.js';
import { type DeliveryBody, EVENT_TYPES } from '../subscriptions/event-type.js';
import { refuseUnknownSubscription } from '../subscriptions/subscription.js';
import { SampleEventLimit } from './concurrency-limit.js';
import type { TriggeredDeliveryView, TriggeredEventView } from './sandbox.dto.js';
import { refuseWithoutSandbox, SandboxService } from './sandbox.service.js';

/** Not in the vocabulary: nobody subscribes to it, and neither workflows nor the ledger get it. */
const TEST_EVENT_TYPE = 'webhook.test';

/** Events that did not happen: a test to one subscription, or a sample to the sandboxes of an app. Neither is published. */
@Injectable()
export class TestEventService {
  /** Subscriptions whose test event is under way. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly directory: ReceiverDirectory,
    private readonly sandboxes: SandboxService,
    private readonly sender: Sender,
    private readonly fanOut: FanOutService,
    private readonly samples: SampleEventLimit,
  ) {}

  /** Takes no slot, and does not count for the health of the receiver. @throws PlatformError NOT_FOUND, RATE_LIMITED */
  async sendTest({ tenantId }: Principal, subscriptionId: string): Promise<AttemptOutcome & { eventId: string }> {
    const receiver = (await this.directory.of(tenantId)).get(subscriptionId);
    if (!receiver || receiver.isRemoved) return refuseUnknownSubscription();
    if (receiver.isRevoked) throw new PlatformError('CONFLICT', "The subscription's app was revoked");
    if (this.underWay.has(subscriptionId)) {
      const detail = 'A test event for this subscription is already in progress';
      throw new PlatformError('RATE_LIMITED', detail, { retryAfterSeconds: 1 });
    }
    this.underWay.add(subscriptionId);
    try {
      const event = testEvent(receiver);
      const outcome = await this.sender.send(receiver, { eventId: event.id, body: JSON.stringify(event) });
      return { ...outcome, eventId: event.id };
    } finally {
      this.underWay.delete(subscriptionId);
    }
  }

  /** @throws PlatformError NOT_FOUND, CONFLICT when no enabled subscription of a sandbox names the event, RATE_LIMITED */
  async sendSample(principal: Principal, appKey: string, name: EventName): Promise<TriggeredEventView> {
    const { tenantId } = principal;
    const { exist, receivers } = await this.sandboxes.find(principal, appKey);
    if (!exist) refuseWithoutSandbox(appKey);
    const subscribed = subscribedTo(receivers, appKey, name);
    const event = sampleEvent(name, tenantId);
    const message = { eventId: event.id, body: JSON.stringify(event) };
    const attempts = await this.samples.within(tenantId, () =>
      this.fanOut.sendOnce(tenantId, name, message, subscribed),
    );
    return { eventId: event.id, event: name, deliveries: attempts.map(viewOf) };
  }
}

const testEvent = ({ tenantId, subscriptionId, url, events }: Receiver): DeliveryBody => ({
  id: newId(),
  type: TEST_EVENT_TYPE,
  timestamp: new Date().toISOString(),
  tenantId,
  dataschema: `urn:crm:event:${TEST_EVENT_TYPE}:v1`,
  data: { subscription: { id: subscriptionId, url, events } },
});

function sampleEvent(name: EventName, tenantId: string): DeliveryBody {
  const type = EVENT_TYPES.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`Unknown event "${name}"`);
  return { ...type.example, id: newId(), timestamp: new Date().toISOString(), tenantId };
}

function subscribedTo(receivers: readonly Receiver[], appKey: string, event: EventName): Receiver[] {
  const naming = receivers.filter(({ events }) => matchesEvent(events, event));
  if (naming.length === 0) {
    throw new PlatformError('CONFLICT', `No sandbox webhook of ${appKey} in this workspace subscribes to ${event}`);
  }
  const enabled = naming.filter((receiver) => receiver.enabled);
  if (enabled.length === 0) {
    throw new PlatformError('CONFLICT', `The sandbox webhooks of ${appKey} that subscribe to ${event} are disabled`);
  }
  return enabled;
}

function viewOf({ id, receiver, outcome, next }: FirstAttempt): TriggeredDeliveryView {
  const { subscriptionId, url } = receiver;
  return {
    id,
    subscriptionId,
    url,
    status: next?.status ?? 'pending',
    ...(outcome && {
      latencyMs: outcome.latencyMs,
      ...(outcome.httpStatus !== null && { httpStatus: outcome.httpStatus }),
      ...(outcome.error !== null && { error: outcome.error }),
    }),
  };
}
