import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Describe, IdParam } from '@crm/http';
import { HttpCode, Inject, Post, Res } from '@nestjs/common';
import { type Reply, shown } from './record.dto.js';
import { RecordService } from './record.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

function restoreController({ scope, ObjectName, record }: RecordRoutes) {
  class RoutesOfTheBin {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Post(':id/restore')
    @HttpCode(200)
    @Access({ right: 'write', scope })
    @Describe({
      summary: 'Restores a deleted record',
      description:
        'With the records that its deletion took along and the references that it cleared, where these are still empty. A reference to what is gone meanwhile is unset, or a 409 if it is required. Publishes `restored`.',
      errors: ['FIELD_ACCESS_DENIED', 'UNIQUE_VIOLATION', 'CONFLICT'],
      answers: [{ status: 200, ...record }],
    })
    async restore(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.restore(principal, apiName, id));
    }
  }

  return RoutesOfTheBin;
}

export const restoreControllers = controllersOf('Bin', restoreController);
