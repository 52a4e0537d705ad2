import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { headerCall, IdempotencyKey } from '@crm/database';
import { Describe } from '@crm/http';
import { Body, HttpCode, Inject, Post } from '@nestjs/common';
import { BulkInput, BulkView } from './record-bulk.dto.js';
import { type BulkAnswer, RecordBulkService } from './record-bulk.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

function bulkController({ scope, ObjectName, pathOf }: RecordRoutes) {
  class RoutesOfBulk {
    constructor(@Inject(RecordBulkService) readonly bulk: RecordBulkService) {}

    @Post('bulk')
    @HttpCode(200)
    @Access({ right: 'write', scope })
    @Describe({
      summary: 'Writes up to 200 records',
      description:
        'Each by the rules of the single call, with its events. Without `atomic` each record succeeds or fails by itself; with it all are written or none. A repetition with the same `Idempotency-Key` writes only what failed before, and answers the rest as it was.',
      errors: ['FIELD_ACCESS_DENIED'],
      answers: [{ status: 200, description: 'What has become of each record', body: () => BulkView }],
    })
    run(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Body() input: BulkInput,
      @IdempotencyKey() key: string | undefined,
    ): Promise<BulkAnswer> {
      const call = headerCall(principal, `POST /${pathOf(apiName)}/bulk`, key, input);
      return this.bulk.run(principal, apiName, input, call);
    }
  }

  return RoutesOfBulk;
}

export const bulkControllers = controllersOf('Bulk', bulkController);
