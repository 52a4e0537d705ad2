import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Describe, type ExpectedVersions, field, IdField, IdParam, IfMatch, ListField } from '@crm/http';
import { Body, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { type Reply, shown } from './record.dto.js';
import { RecordService } from './record.service.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

export class MergeInput {
  @IdField({ description: 'The record of the same object that is deleted' })
  loserId: string;

  @ListField(field.text({ maxLength: 40, example: 'phone' }), {
    optional: true,
    maxItems: 200,
    unique: true,
    description: "Api-names of the fields that take the other record's value; of any other only what is unset here",
  })
  fields?: string[];
}

function mergeController({ scope, ObjectName, record }: RecordRoutes) {
  class RoutesOfMerge {
    constructor(@Inject(RecordService) readonly records: RecordService) {}

    @Post(':id/merge')
    @HttpCode(200)
    @Access({ right: 'write', scope })
    @Describe({
      summary: 'Merges another record into a record',
      description:
        'What refers to the other record refers to this one then, whatever your rights to those records are, and the other one is in the bin. Fields that are unset here take the values of the other record, as do those that `fields` names; fields that you cannot read and write stay as they are. Publishes `updated` of the record and of each that refers to it, and `deleted` of the other one.',
      errors: ['FIELD_ACCESS_DENIED', 'CONFLICT'],
      answers: [{ status: 200, ...record }],
    })
    async merge(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @IdParam() id: string,
      @Body() input: MergeInput,
      @IfMatch() expected: ExpectedVersions,
      @Res({ passthrough: true }) reply: Reply,
    ): Promise<string> {
      return shown(reply, await this.records.merge(principal, apiName, id, input, expected));
    }
  }

  return RoutesOfMerge;
}

export const mergeControllers = controllersOf('Merge', mergeController);
