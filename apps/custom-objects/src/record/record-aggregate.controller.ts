import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { Describe, type JsonSchema } from '@crm/http';
import { Get, Header, Inject, Query } from '@nestjs/common';
import { MAX_GROUPS } from '../finding/record-aggregate.repository.js';
import { RecordAggregateService } from '../finding/record-aggregate.service.js';
import { AggregateQuery, JSON_TYPE } from './record.dto.js';
import { controllersOf, type RecordRoutes } from './record-routes.js';

/** A member for each field. */
const byField = (description: string): JsonSchema => ({ type: 'object', additionalProperties: true, description });

const AGGREGATE: JsonSchema = {
  type: 'object',
  required: ['data', 'hasMore'],
  properties: {
    data: {
      type: 'array',
      maxItems: MAX_GROUPS,
      description: 'The largest group first',
      items: {
        type: 'object',
        required: ['group'],
        properties: {
          group: byField(
            'The value of each field of `groupBy`; of a period its first day; null for records without one',
          ),
          count: { type: 'integer', minimum: 0 },
          sum: byField('An exact decimal by field, however many digits it has; null where no record has a value'),
          avg: byField('As `sum`, with 16 digits at least'),
          min: byField('A number, a date or a time by field'),
          max: byField('As `min`'),
        },
      },
    },
    hasMore: { type: 'boolean', description: 'Whether there are more groups than are answered' },
  },
};

const EXAMPLE = {
  data: [{ group: { stage: 'proposal' }, count: 2, sum: { amount: 4200.5 } }],
  hasMore: false,
};

function aggregateController({ scope, ObjectName }: RecordRoutes) {
  class RoutesOfAggregates {
    constructor(@Inject(RecordAggregateService) readonly aggregates: RecordAggregateService) {}

    @Get('aggregate')
    @Header('content-type', JSON_TYPE)
    @Access({ right: 'read', scope })
    @Describe({
      summary: 'Counts and measures records by groups',
      description:
        'Over the records that a list with the same filter has. Amounts in several currencies are added up unless they are grouped by the currency.',
      errors: ['QUERY_TOO_EXPENSIVE'],
      answers: [{ status: 200, description: 'The groups', body: AGGREGATE, example: EXAMPLE }],
    })
    aggregate(
      @CurrentPrincipal() principal: Principal,
      @ObjectName() apiName: string,
      @Query() query: AggregateQuery,
    ): Promise<string> {
      return this.aggregates.aggregate(principal, apiName, query);
    }
  }

  return RoutesOfAggregates;
}

export const aggregateControllers = controllersOf('Aggregate', aggregateController);
