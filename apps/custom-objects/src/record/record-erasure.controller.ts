import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Describe, IdParam } from '@crm/http';
import { HttpCode, Inject, Post } from '@nestjs/common';
import { RecordService } from './record.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

function erasureController({ scope, ObjectName }: RecordRoutes) {
  class RoutesOfErasure {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Post(':id/erase')
    @HttpCode(204)
    @Access({ right: 'administer', scope, app: false, embed: false, proof: true })
    @Describe({
      summary: 'Erases a record for good',
      description:
        'Also one that is in the bin. Its content is gone from the workspace at once, and within a minute from events, deliveries and runs of workflows; deliveries that still wait go out as `deleted` with the id alone. Publishes `deleted` with `erased`.',
      errors: ['CONFLICT'],
      answers: [{ status: 204, description: 'The record is erased' }],
    })
    erase(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
    ): Promise<void> {
      return this.records.erase(principal, apiName, id);
    }
  }

  return RoutesOfErasure;
}

export const erasureControllers = controllersOf('Erasure', erasureController);
