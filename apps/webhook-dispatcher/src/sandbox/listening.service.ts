import { setTimeout as delay } from 'node:timers/promises';
import type { Principal } from '@crm/access';
import { eventsOf, PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { type CursorBinding, readCursor, writeCursor } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { deliveryHeaders } from '../delivery/sender.js';
import type { Receiver } from '../receivers/receiver.js';
import { USER_AGENT } from '../subscriptions/receiver-client.js';
import { ListeningLimit } from './concurrency-limit.js';
import {
  type ListeningFilter,
  type ListeningPosition,
  ListeningRepository,
  type RecordedDelivery,
} from './listening.repository.js';
import {
  type ListenedDeliveriesView,
  type ListenedDeliveryView,
  type ListenQuery,
  MOST_WAIT_SECONDS,
} from './sandbox.dto.js';
import { refuseWithoutSandbox, SandboxService } from './sandbox.service.js';

const LOOK_MS = 500;
/** After which a session cannot be resumed. */
const SESSION_PAUSE_MS = 24 * 3_600_000;

/** A session is a cursor into the ledger, so that no process keeps anything between two calls. */
@Injectable()
export class ListeningService {
  constructor(
    private readonly database: Database,
    private readonly sandboxes: SandboxService,
    private readonly ledger: ListeningRepository,
    private readonly limit: ListeningLimit,
    private readonly adapters: HttpAdapterHost,
  ) {}

  /**
   * Without a cursor, a session begins.
   * @throws PlatformError NOT_FOUND, CONFLICT without a sandbox, INVALID_QUERY for a cursor of another session, RATE_LIMITED
   */
  async next(principal: Principal, appKey: string, query: ListenQuery): Promise<ListenedDeliveriesView> {
    const events = query.events ? [...new Set(query.events.flatMap(eventsOf))] : null;
    const caller = new AbortController();
    const leave = () => caller.abort();
    // Before the first wait, which it may not outlast.
    principal.connection?.once('close', leave);
    try {
      return await this.nextOf(principal, appKey, query, events, caller.signal);
    } finally {
      principal.connection?.off('close', leave);
    }
  }

  private async nextOf(
    principal: Principal,
    appKey: string,
    query: ListenQuery,
    events: ListeningFilter['events'],
    gone: AbortSignal,
  ): Promise<ListenedDeliveriesView> {
    const { tenantId } = principal;
    const binding: CursorBinding = { tenantId, list: `listen/${appKey}`, filter: events, value: 'date-time' };
    const { exist, receivers } = await this.sandboxes.find(principal, appKey);
    if (query.cursor === undefined) {
      if (!exist) refuseWithoutSandbox(appKey);
      const { now } = await this.ledger.findHorizon(tenantId);
      return pageOf(binding, [], now);
    }
    const position = readPosition(binding, query.cursor);
    const deadline = Date.now() + (query.wait ?? MOST_WAIT_SECONDS) * 1000;
    return this.limit.within(tenantId, () => {
      const byId = new Map(receivers.map((one) => [one.subscriptionId, one]));
      return this.wait(binding, byId, events, position, deadline, gone);
    });
  }

  private async wait(
    binding: CursorBinding,
    receivers: ReadonlyMap<string, Receiver>,
    events: ListeningFilter['events'],
    begin: ListeningPosition,
    deadline: number,
    gone: AbortSignal,
  ): Promise<ListenedDeliveriesView> {
    const filter = { subscriptionIds: [...receivers.keys()], events };
    let position = begin;
    for (;;) {
      const { deliveries, end } = await this.look(binding.tenantId, filter, position);
      position = end;
      const left = deadline - Date.now();
      if (deliveries.length > 0 || left <= 0 || gone.aborted || this.isDraining) {
        const now = new Date();
        const shown = deliveries.map((one) => viewOf(one, receivers.get(one.subscriptionId) as Receiver, now));
        return pageOf(binding, shown, position);
      }
      await delay(Math.min(LOOK_MS, left));
    }
  }

  private async look(tenantId: string, filter: ListeningFilter, after: ListeningPosition) {
    const { horizon } = await this.ledger.findHorizon(tenantId);
    // The session has just begun, or a long transaction holds the horizon back.
    if (horizon.recordedAt <= after.recordedAt) return { deliveries: [], end: after };
    if (filter.subscriptionIds.length === 0) return { deliveries: [], end: horizon };
    return this.database.transaction(tenantId, (tx) => this.ledger.page(tx, filter, after, horizon));
  }

  private get isDraining(): boolean {
    return !this.adapters.httpAdapter.getHttpServer().listening;
  }
}

function readPosition(binding: CursorBinding, cursor: string): ListeningPosition {
  const { value, id } = readCursor(binding, cursor);
  const recordedAt = String(value);
  if (Date.now() - Date.parse(recordedAt) > SESSION_PAUSE_MS) {
    throw new PlatformError('INVALID_QUERY', 'cursor: more than a day old. Start again without one');
  }
  return { recordedAt, id };
}

const pageOf = (
  binding: CursorBinding,
  data: ListenedDeliveryView[],
  { recordedAt, id }: ListeningPosition,
): ListenedDeliveriesView => ({ data, cursor: writeCursor(binding, { value: recordedAt, id }) });

const viewOf = (
  { id, event, eventId, subscriptionId, url, body }: RecordedDelivery,
  receiver: Receiver,
  now: Date,
): ListenedDeliveryView => ({
  id,
  event,
  eventId,
  subscriptionId,
  url,
  headers: { ...deliveryHeaders(receiver, { eventId, body }, now), 'user-agent': USER_AGENT },
  body,
});
