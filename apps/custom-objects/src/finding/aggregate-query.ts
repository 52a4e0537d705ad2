import { PlatformError } from '@crm/contracts';
import { type AccessPlan, fieldTypes, normaliseOptions, SLOT_TEXT_LENGTH } from '@crm/fields';
import { type EvaluationContext, postgresTimeZone, type ValueType } from '@crm/formula';
import { isSortable } from '../object/filter-operators.js';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';
import { type FieldColumn, formulaColumn, Parameters, plainColumn } from './field-column.js';

/** What is asked of the records: `groupBy` and `metrics` of the query string. */
export interface AggregateRequest {
  readonly groupBy?: string;
  readonly metrics?: string;
}

const UNITS = ['day', 'week', 'month'] as const;
const METRICS = ['sum', 'avg', 'min', 'max'] as const;
type Metric = (typeof METRICS)[number];

const MAX_GROUPED = 2;
const MAX_METRICS = 10;

/** The expressions of an aggregate, over the rows of records, and the JSON object of a group. */
export interface AggregateSql {
  /** Expressions that are named `g0` and `g1`. */
  readonly groups: readonly string[];
  /** Expressions that are named `m0`, `m1` and so on. */
  readonly measures: readonly string[];
  /** Over these names, and `n`, the number of records. */
  readonly json: string;
  readonly parameters: readonly unknown[];
  /** The one column that is read: an index of its object's records has it, and every value of it. */
  readonly slot?: string;
}

const refused = (detail: string) => new PlatformError('INVALID_QUERY', detail);

/** A field that the caller can read, or a time that every record has. */
interface Measured {
  readonly name: string;
  readonly type: string;
  readonly valueType: ValueType;
  /** Null for a time that every record has. */
  readonly field: StoredField | null;
  readonly parameter: 'groupBy' | 'metrics';
}

const SYSTEM_TIMES: Readonly<Record<string, string>> = { createdAt: 'created_at', updatedAt: 'updated_at' };

/**
 * The SQL of an aggregate.
 * @param first number of the first free parameter
 * @throws INVALID_QUERY, also for a field that the caller cannot read
 */
export function aggregateSql(
  model: ObjectModel,
  plan: AccessPlan,
  { groupBy, metrics = 'count' }: AggregateRequest,
  first: number,
  clock: EvaluationContext,
): AggregateSql {
  const reader = new FieldReader(model, plan, new Parameters(first), clock);
  const groups = termsOf(groupBy, 'groupBy', MAX_GROUPED).map((term) => reader.group(term));
  const terms = termsOf(metrics, 'metrics', MAX_METRICS);
  const repeated = groups.find(({ name }, index) => groups.findIndex((other) => other.name === name) !== index);
  if (repeated) throw refused(`groupBy: ${repeated.name} is listed twice`);
  const measures = terms.filter((term) => term !== 'count').map((term) => reader.measure(term));
  const text = (name: string) => `${reader.parameters.bind(name)}::text`;
  const object = (members: readonly string[]) => `json_build_object(${members.join(', ')})`;
  const members = [text('group'), object(groups.flatMap(({ name }, index) => [text(name), `g${index}`]))];
  if (terms.includes('count')) members.push(text('count'), 'n');
  for (const metric of METRICS) {
    const own = measures.flatMap((measure, index) =>
      measure.metric === metric ? [text(measure.name), `m${index}`] : [],
    );
    if (own.length > 0) members.push(text(metric), object(own));
  }
  const [only] = groups;
  const slot = groups.length === 1 && measures.length === 0 ? only?.slot : undefined;
  return {
    ...(slot && { slot }),
    groups: groups.map(({ sql }) => sql),
    measures: measures.map(({ sql }) => sql),
    json: object(members),
    parameters: reader.parameters.values,
  };
}

function termsOf(list: string | undefined, parameter: string, most: number): string[] {
  const terms = list === undefined ? [] : list.split(',');
  if (terms.length > most) throw refused(`${parameter}: use up to ${most}, separated by commas`);
  const repeated = terms.find((term, index) => terms.indexOf(term) !== index);
  if (repeated !== undefined) throw refused(`${parameter}: ${repeated} is listed twice`);
  return terms;
}

/** Writes the fields of a request as SQL. */
class FieldReader {
  constructor(
    private readonly model: ObjectModel,
    private readonly plan: AccessPlan,
    readonly parameters: Parameters,
    private readonly clock: EvaluationContext,
  ) {}

  /** @param term a field, or a field and a unit of time */
  group(term: string): { name: string; sql: string; slot?: string | null } {
    const [name = '', unit, ...rest] = term.split(':');
    const measured = this.field(name, 'groupBy');
    const { field, type, valueType } = measured;
    const isTime = valueType === 'date' || valueType === 'datetime';
    if (unit !== undefined && (!UNITS.some((known) => known === unit) || rest.length > 0)) {
      throw refused(`groupBy: ${name}: the unit must be one of ${UNITS.join(', ')}`);
    }
    if (unit !== undefined && !isTime) throw refused(`groupBy: ${name}, which is of type ${type}, has no ${unit}`);
    if (unit === undefined && valueType === 'datetime')
      throw refused(`groupBy: ${name} needs a unit, as in ${name}:day`);
    if (field && (!isSortable(field, valueType) || fieldTypes.get(field.type)?.isLong)) {
      throw refused(`groupBy: records can't be grouped by ${name}, which is of type ${type}`);
    }
    if (unit !== undefined) return { name, sql: this.period(measured, unit), slot: field?.slot };
    return { name, sql: this.whole(field as StoredField), slot: field && isShort(field) ? field.slot : null };
  }

  /** @param term a metric and a field */
  measure(term: string): { metric: Metric; name: string; sql: string } {
    const [metric, name, ...rest] = term.split(':');
    if (name === undefined || rest.length > 0 || !METRICS.some((known) => known === metric)) {
      throw refused(`metrics: ${term} must be count, or one of ${METRICS.join(', ')} with a field, as in sum:amount`);
    }
    const measured = this.field(name, 'metrics');
    const { type, valueType } = measured;
    const isOrdered = metric === 'min' || metric === 'max';
    if (valueType === 'number') {
      return { metric: metric as Metric, name, sql: `trim_scale(${metric}(${this.number(measured)}))` };
    }
    if (isOrdered && (valueType === 'date' || valueType === 'datetime')) {
      return { metric, name, sql: timeText(measured, `${metric}(${this.time(measured)})`) };
    }
    throw refused(`metrics: ${metric} isn't available for ${name}, which is of type ${type}`);
  }

  private field(name: string, parameter: Measured['parameter']): Measured {
    const field = this.model.fieldsByName.get(name);
    if (field && this.plan.readable.has(name)) {
      return { name, type: field.type, valueType: this.model.valueTypeOf(field), field, parameter };
    }
    if (!Object.hasOwn(SYSTEM_TIMES, name)) throw refused(`${parameter}: unknown field "${name}"`);
    return { name, type: 'datetime', valueType: 'datetime', field: null, parameter };
  }

  /** The value as the record shows it: whole, where an index may have its beginning only. */
  private whole(field: StoredField): string {
    if (field.type === 'formula') {
      const { sql, text, sqlType } = this.formula(field, 'groupBy');
      return sqlType === 'text' ? `${text} COLLATE "C"` : sql;
    }
    // An index alone can count the values of a column.
    if (field.slot !== null && isShort(field)) return valueOrNull(plainColumn(field));
    return `data->'${field.key}'`;
  }

  /** Exact decimals: what a number's JSON says, and fifteen digits of a formula. */
  private number({ field, parameter }: Measured): string {
    if (field?.type === 'formula') return this.formula(field, parameter).sql;
    return `(data->'${field?.key}')::numeric`;
  }

  /** A timestamp; a day is its midnight in UTC. */
  private time({ name, field, valueType, parameter }: Measured): string {
    if (!field) return SYSTEM_TIMES[name] as string;
    if (field.type !== 'formula') return valueOrNull(plainColumn(field));
    const { sql } = this.formula(field, parameter);
    return valueType === 'date' ? `(${sql}::timestamp AT TIME ZONE 'UTC')` : sql;
  }

  /** The first day of the period; a moment is of the day that it is in the tenant's zone. */
  private period(measured: Measured, unit: string): string {
    const zone =
      measured.valueType === 'date' ? `'UTC'` : `${this.parameters.bind(postgresTimeZone(this.clock.timeZone))}::text`;
    return `date_trunc('${unit}', ${this.time(measured)} AT TIME ZONE ${zone})::date`;
  }

  private formula(field: StoredField, parameter: string): FieldColumn {
    return formulaColumn(this.model, field, this.parameters, this.clock, parameter);
  }
}

/** Returns whether a column has every value whole. */
const isShort = ({ type, options }: StoredField): boolean =>
  type === 'reference' ||
  (type === 'picklist' && normaliseOptions(options).every(({ value }) => value.length <= SLOT_TEXT_LENGTH));

const valueOrNull = ({ sql, unset }: FieldColumn): string => `nullif(${sql}, '${unset}')`;

/** A timestamp as the record shows the value. */
function timeText({ field, valueType }: Measured, sql: string): string {
  const utc = `${sql} AT TIME ZONE 'UTC'`;
  if (valueType === 'date') return `(${utc})::date`;
  const text = `to_char(${utc}, 'YYYY-MM-DD"T"HH24:MI:SS.MS')`;
  return field ? `regexp_replace(${text}, '\\.?0+$', '') || 'Z'` : `${text} || 'Z'`;
}
