import type { Principal } from '@crm/access';
import { type AppDelivery, type AppDeliveryAttempt, type DeliveryHour, PlatformError, rpc } from '@crm/contracts';
import { idPosition, type ListAnswer, listAnswer, parsePage } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Injectable } from '@nestjs/common';
import { AppService } from '../catalogue/app.service.js';
import type { AppStatsQuery, ListAppDeliveriesQuery } from './developer-delivery.dto.js';

/** What the publisher of an app sees of its deliveries in every tenant. The dispatcher has them. */
@Injectable()
export class DeveloperDeliveryService {
  constructor(
    private readonly apps: AppService,
    private readonly rpc: Rpc,
  ) {}

  /**
   * Newest first.
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app; INVALID_QUERY for a cursor of
   *   another list or filter, and when `from` is later than `to`; what the dispatcher refuses
   */
  async list({ tenantId }: Principal, appKey: string, query: ListAppDeliveriesQuery): Promise<ListAnswer<AppDelivery>> {
    const { status, event, errorCode, from, to } = query;
    const bound = [status, event, errorCode, from, to].map((value) => value ?? null);
    const page = parsePage(query, { tenantId, list: `deliveries of ${appKey}`, filter: bound });
    await this.apps.assertOwned(tenantId, appKey);
    const { deliveries, counted } = await this.rpc.call(rpc.webhooks.listAppDeliveries, {
      appKey,
      filter: { status, event, errorCode, from, to },
      after: page.after?.id,
      limit: page.limit,
      offset: page.offset,
      countLimit: page.countLimit,
    });
    return listAnswer(deliveries, page, counted, idPosition);
  }

  /** @throws PlatformError NOT_FOUND, also when the principal's tenant does not publish the app; what the dispatcher refuses */
  async get(
    { tenantId }: Principal,
    appKey: string,
    id: string,
  ): Promise<{ delivery: AppDelivery; attempts: AppDeliveryAttempt[] }> {
    await this.apps.assertOwned(tenantId, appKey);
    const { found } = await this.rpc.call(rpc.webhooks.findAppDelivery, { appKey, id });
    if (found === null) throw new PlatformError('NOT_FOUND', 'Delivery not found');
    return found;
  }

  /**
   * Oldest hour first.
   * @throws PlatformError NOT_FOUND when the principal's tenant does not publish the app; what the dispatcher refuses
   */
  async countByHour({ tenantId }: Principal, appKey: string, { from, to }: AppStatsQuery): Promise<DeliveryHour[]> {
    await this.apps.assertOwned(tenantId, appKey);
    return (await this.rpc.call(rpc.webhooks.countAppDeliveries, { appKey, from, to })).hours;
  }
}
