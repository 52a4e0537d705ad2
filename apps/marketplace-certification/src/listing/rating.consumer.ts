import { CONSUMERS, type EventEnvelope } from '@crm/contracts';
import { Database } from '@crm/database';
import { IdempotentEventHandler } from '@crm/messaging';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RatingRepository } from './rating.repository.js';

@Controller()
export class RatingConsumer {
  constructor(
    private readonly database: Database,
    private readonly ratings: RatingRepository,
  ) {}

  /** Ratings cross tenants and are reached by the narrow role alone, so the effect is not in the tenant's transaction. */
  @IdempotentEventHandler(CONSUMERS['marketplace-certification'], 'user.erased')
  async onErased(@Payload() event: EventEnvelope): Promise<void> {
    const { userId } = event.data as { userId: string };
    await this.database.crossTenant((tx) => this.ratings.forgetTexts(tx, event.tenantid, userId));
  }
}
