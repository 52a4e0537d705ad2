import type { Principal } from '@crm/access';
import { type EventName, matchesEvent, PlatformError } from '@crm/contracts';
import { Injectable } from '@nestjs/common';
import { FanOutService } from '../fan-out/fan-out.service.js';
import type { FirstAttempt } from '../fan-out/first-attempt.js';
import type { Receiver } from '../receiver/receiver.js';
import { refuseWithoutSandbox } from '../sandbox/no-sandbox.js';
import { SandboxService } from '../sandbox/sandbox.service.js';
import type { TriggeredDeliveryView, TriggeredEventView } from './sample-event.dto.js';
import { sampleEvent } from './sample-event.js';
import { SampleEventPlaces } from './sample-event-places.js';

/** Sends sample events to the sandboxes of an app. They are not published: neither workflows nor other subscriptions get them. */
@Injectable()
export class SampleEventService {
  constructor(
    private readonly sandboxes: SandboxService,
    private readonly fanOut: FanOutService,
    private readonly places: SampleEventPlaces,
  ) {}

  /**
   * Sends a sample event, once, to each subscription of the app's sandboxes that names it, and waits for the answers.
   * @throws PlatformError NOT_FOUND when the principal's workspace does not publish the app; CONFLICT when there is no
   *   sandbox, or no enabled subscription of one that names the event; RATE_LIMITED
   */
  async trigger(principal: Principal, appKey: string, event: EventName): Promise<TriggeredEventView> {
    const { exist, receivers } = await this.sandboxes.find(principal, appKey);
    if (!exist) refuseWithoutSandbox(appKey);
    const wanting = wantingOf(receivers, appKey, event);
    const sample = sampleEvent(event, principal.tenantId);
    const message = { eventId: sample.id, body: JSON.stringify(sample) };
    const attempts = await this.places.within(principal.tenantId, () =>
      this.fanOut.sendOnce(principal.tenantId, event, message, wanting),
    );
    return { eventId: sample.id, event, deliveries: attempts.map(viewOf) };
  }
}

function wantingOf(receivers: readonly Receiver[], appKey: string, event: EventName): Receiver[] {
  const naming = receivers.filter(({ events }) => matchesEvent(events, event));
  if (naming.length === 0) {
    throw new PlatformError('CONFLICT', `No webhook of a sandbox of ${appKey} in this workspace names ${event}`);
  }
  const enabled = naming.filter((receiver) => receiver.enabled);
  if (enabled.length === 0) {
    throw new PlatformError('CONFLICT', `The webhooks of the sandboxes of ${appKey} that name ${event} are disabled`);
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
