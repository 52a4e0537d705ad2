import { type FieldDefinition, validateRecord } from '@crm/fields';
import { expect } from '@jest/globals';
import { FILTER_OPERATORS } from '../../src/object/filter-operators.js';
import { OBJECT_NAMES, type ObjectName } from './object.js';
import type { Assignment, BodyChoice, ConditionChoice, QueryChoice, Step } from './steps.js';
import { COMPUTED, numberedValue, REFUSED, SEARCHED, valuesOf } from './values.js';
import { NOWHERE, type World, type WorldRequest } from './world.js';
import { type Pair, recordsPath, type Side, targetOf, type Values, type WorldPair } from './world-pair.js';

type Of<Kind> = Extract<Step, { kind: Kind }>;
type Answer = Awaited<ReturnType<World['asObserver']>>;
/** A request as each world takes it: with its own ids. */
type RequestIn = (world: World) => WorldRequest;

/** Most pages that are read of one list. */
const MOST_PAGES = 6;
/** Values of a unique field that the observer tries: few, because the first records have the first ones. */
const GUESSED = 8;
/** Searches in each object when all that can be read is read. */
const SEARCHES = 4;
/** Requests of one world that run at the same time when all that can be read is read. */
const AT_ONCE = 4;

/** Makes the same calls in both worlds and compares all that can be observed. */
export class Observer {
  private lastCreate: { object: ObjectName; request: RequestIn } | undefined;

  /** @param outcomes counts how often each kind of call had each status, and the events */
  constructor(
    private readonly pair: WorldPair,
    private readonly outcomes: Map<string, number>,
  ) {}

  async list({ object, query }: Of<'list'>): Promise<void> {
    await this.readList(object, (world) => this.query(world, object, query), query.follow);
  }

  async get({ object, record }: Of<'get'>): Promise<void> {
    await this.call('get', (world) => ({
      method: 'GET',
      path: `${recordsPath(object)}/${world.idOf(object, record)}`,
    }));
  }

  async definition({ object }: Of<'definition'>): Promise<void> {
    await this.call('definition', () => ({ method: 'GET', path: `/api/crm/custom/${object}` }));
  }

  async definitions(): Promise<void> {
    await this.call('definitions', () => ({ method: 'GET', path: '/api/crm/custom' }));
    await this.call('catalogue', () => ({ method: 'GET', path: '/api/crm/objects' }));
  }

  async create({ object, body, key }: Of<'create'>): Promise<void> {
    const values = this.body(object, body, 'create');
    const request: RequestIn = (world) => ({
      method: 'POST',
      path: recordsPath(object),
      body: this.pair.bodyIn(world, object, values),
      ...(key === null ? {} : { headers: { 'idempotency-key': key } }),
    });
    this.lastCreate = { object, request };
    await this.createBy(object, request);
  }

  async createAgain(): Promise<void> {
    if (this.lastCreate) await this.createBy(this.lastCreate.object, this.lastCreate.request);
  }

  async change({ object, record, body, ifMatch }: Of<'change'>): Promise<void> {
    const values = this.body(object, body, 'update');
    await this.call('change', (world) => ({
      method: 'PATCH',
      path: `${recordsPath(object)}/${world.idOf(object, record)}`,
      body: this.pair.bodyIn(world, object, values),
      headers: conditions(ifMatch),
    }));
  }

  async delete({ object, record, ifMatch }: Of<'delete'>): Promise<void> {
    const [answer] = await this.call('delete', (world) => ({
      method: 'DELETE',
      path: `${recordsPath(object)}/${world.idOf(object, record)}`,
      headers: conditions(ifMatch),
    }));
    if (answer.status === 204) this.pair.forget(object, this.pair.number(object, record));
  }

  async deleteAndRestore({ object, record }: Of<'delete and restore'>): Promise<void> {
    const number = this.pair.number(object, record);
    if (!this.pair.live(object).includes(number)) return;
    await this.delete({ kind: 'delete', object, record, ifMatch: null });
    const [answer] = await this.call('restore', (world) => ({
      method: 'POST',
      path: `${recordsPath(object)}/${world.idOf(object, record)}/restore`,
    }));
    if (answer.status === 200) this.pair.remember(object, number);
  }

  /** The record is the loser. Chosen fields are hidden ones too. */
  async merge({ object, record, winner, fields }: Of<'merge'>): Promise<void> {
    const names = fields.flatMap((field) => this.pair.object(object).fields[field]?.apiName ?? []);
    const [answer] = await this.call('merge', (world) => ({
      method: 'POST',
      path: `${recordsPath(object)}/${world.idOf(object, winner)}/merge`,
      body: { loserId: world.idOf(object, record), fields: [...new Set(names)] },
    }));
    if (answer.status === 200) this.pair.forget(object, this.pair.number(object, record));
  }

  /** Rows that are written each for itself are in no order, so one at most can succeed. */
  async bulk({ object, record, operation, bodies, field, atomic }: Of<'bulk'>): Promise<void> {
    const mode = operation === 'update' || operation === 'delete' ? 'update' : 'create';
    const tried = atomic || mode === 'update' ? bodies : bodies.slice(0, 1);
    const rows = tried.map((body) => (operation === 'delete' ? {} : this.body(object, body, mode)));
    const { fields } = this.pair.object(object);
    const matchField = operation === 'upsert' ? { matchField: fields[field % fields.length]?.apiName } : {};
    const idIn = (world: World, index: number) =>
      mode === 'create' ? {} : { id: atomic || index === 0 ? world.idOf(object, record + index) : NOWHERE };
    const answers = await this.call('bulk', (world) => ({
      method: 'POST',
      path: `${recordsPath(object)}/bulk`,
      body: {
        ...{ operation, atomic, ...matchField },
        records: rows.map((row, index) => ({ ...this.pair.bodyIn(world, object, row), ...idIn(world, index) })),
      },
    }));
    for (const [side, { body }] of answers.entries()) {
      const world = this.pair.worlds[side as Side];
      for (const { status, id } of (body.results ?? []) as { status: string; id: string }[]) {
        if (status === 'created') world.add(object, id);
        if (status === 'deleted') this.pair.forget(object, world.ids[object].indexOf(id));
      }
    }
  }

  /**
   * Reads whatever can be read: definitions, every record, lists by every field, searches, and the events.
   * @param chosen which values are filtered by and searched for; any number
   */
  async readAll(chosen: number): Promise<void> {
    await this.definitions();
    const requests: [kind: string, request: RequestIn][] = SEARCHED.map((q) => [
      'search everywhere',
      () => ({ method: 'GET', path: `/api/crm/search?q=${encode(q)}` }),
    ]);
    for (const object of OBJECT_NAMES) {
      const path = recordsPath(object);
      const { fields } = this.pair.object(object);
      // By a field that may be hidden, and by when records were changed.
      for (const sort of [fields[chosen % fields.length]?.apiName, '-updatedAt']) {
        requests.push(['sorted', () => ({ method: 'GET', path: `${path}?sort=${sort}&size=3` })]);
      }
      requests.push(['bin', () => ({ method: 'GET', path: `${path}?deleted=only&size=3` })]);
      requests.push(['views', () => ({ method: 'GET', path: `/api/crm/views?object=${object}` })]);
      requests.push(['definition', () => ({ method: 'GET', path: `/api/crm/custom/${object}` })]);
      for (let record = 0; record < this.pair.count(object); record += 1) {
        requests.push(['get', (world) => ({ method: 'GET', path: `${path}/${world.idOf(object, record)}` })]);
        for (const part of ['history?size=2', 'timeline?size=50'] as const) {
          requests.push([
            part.split('?')[0] as string,
            (world) => ({ method: 'GET', path: `${path}/${world.idOf(object, record)}/${part}` }),
          ]);
        }
      }
      for (let search = 0; search < SEARCHES; search += 1) {
        const q = SEARCHED[(chosen + search) % SEARCHED.length] as string;
        requests.push(['search', () => ({ method: 'GET', path: `${path}?q=${encode(q)}` })]);
      }
      for (const [index, field] of fields.entries()) {
        const value = chosen + index;
        const choice = { field: index, op: chosen + index, value };
        requests.push([
          'group',
          (world) => ({
            method: 'GET',
            path: `${path}?filter=${encode(JSON.stringify(conditionOf(world, object, fields, choice)))}`,
          }),
        ]);
        requests.push(['sorted twice', () => ({ method: 'GET', path: `${path}?sort=title,-${field.apiName}&size=2` })]);
        const unit = field.type === 'datetime' ? ':day' : '';
        requests.push([
          'grouped',
          () => ({ method: 'GET', path: `${path}/aggregate?groupBy=${field.apiName}${unit}` }),
        ]);
        for (const metrics of [`sum:${field.apiName}`, `min:${field.apiName}`]) {
          requests.push(['measured', () => ({ method: 'GET', path: `${path}/aggregate?metrics=count,${metrics}` })]);
        }
        requests.push(['some fields', () => ({ method: 'GET', path: `${path}?fields=title,${field.apiName}` })]);
        if (field.type === 'reference') {
          requests.push(['expanded', () => ({ method: 'GET', path: `${path}?expand=${field.apiName}` })]);
        }
        requests.push([
          'filter',
          (world) => ({ method: 'GET', path: `${path}?${filterText(world, field, { field: index, value })}` }),
        ]);
      }
    }
    for (let first = 0; first < requests.length; first += AT_ONCE) {
      const some = requests.slice(first, first + AT_ONCE);
      const answers = await this.pair.both((world) =>
        Promise.all(some.map(([, request]) => world.asObserver(request(world)))),
      );
      for (const [index, [kind, request]] of some.entries()) {
        this.compare(kind, request, [answers[0][index] as Answer, answers[1][index] as Answer]);
      }
    }
    for (const object of OBJECT_NAMES) await this.readList(object, () => 'size=2', true);
    await this.compareEvents();
  }

  /** Lists and searches, whose pages have a bound, with their cursors. */
  async readPages(): Promise<void> {
    for (const object of OBJECT_NAMES) {
      for (const query of ['size=2', 'q=alp', 'q=alp&sort=title', 'sort=title,-touched&size=2', 'fields=title']) {
        await this.readList(object, () => query, true);
      }
    }
    await this.readList(null, () => 'q=alp&size=2', true);
  }

  async compareEvents(): Promise<void> {
    const [left, right] = await this.pair.both((world) => world.newEvents());
    this.count('event', left.length);
    expect({ events: right.join('\n') }).toEqual({ events: left.join('\n') });
  }

  private async createBy(object: ObjectName, request: RequestIn): Promise<void> {
    const answers = await this.call('create', request);
    for (const [side, { status, body }] of answers.entries()) {
      if (status === 201) this.pair.worlds[side as Side].add(object, String(body.id));
    }
  }

  /** Reads a list, and its following pages by cursor. @param object null for a search of all */
  private async readList(object: ObjectName | null, query: (world: World) => string, follow: boolean): Promise<void> {
    let cursors: Pair<unknown> = [undefined, undefined];
    for (let page = 1; page <= (follow ? MOST_PAGES : 1); page += 1) {
      const answers = await this.call(object === null ? 'search of all' : 'list', (world) => {
        const cursor = cursors[world === this.pair.worlds[0] ? 0 : 1];
        const next = typeof cursor === 'string' ? `&cursor=${encode(cursor)}` : '';
        const path = object === null ? '/api/crm/search' : recordsPath(object);
        return { method: 'GET', path: `${path}?${query(world)}${next}` };
      });
      cursors = [answers[0].body.nextCursor, answers[1].body.nextCursor];
      if (typeof cursors[0] !== 'string') return;
    }
  }

  private async call(kind: string, request: RequestIn): Promise<Pair<Answer>> {
    const answers = await this.pair.both((world) => world.asObserver(request(world)));
    return this.compare(kind, request, answers);
  }

  private compare(kind: string, request: RequestIn, answers: Pair<Answer>): Pair<Answer> {
    this.count(`${kind} ${answers[0].status}`, 1);
    const [left, right] = this.pair.worlds;
    const [shownLeft, shownRight] = [left.shown(answers[0]), right.shown(answers[1])];
    if (shownLeft !== shownRight) {
      expect({ request: request(left), answer: shownRight }).toEqual({ request: request(left), answer: shownLeft });
    }
    expect(answers[0].status).toBeLessThan(500);
    return answers;
  }

  private count(outcome: string, times: number): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + times);
  }

  private query(world: World, object: ObjectName, choice: QueryChoice): string {
    const { q, filter, sorts, size, page, count } = choice;
    const { fields } = this.pair.object(object);
    const names = [...fields.map(({ apiName }) => apiName), 'updatedAt', 'id'];
    const nameOf = (number: number) => names[number % names.length] as string;
    const parts: string[] = [];
    if (choice.conditions.length > 0) {
      const conditions = choice.conditions.map((one) => conditionOf(world, object, fields, one));
      parts.push(`filter=${encode(JSON.stringify({ [choice.kind]: conditions }))}`);
    }
    if (choice.fields) parts.push(`fields=${choice.fields.map((number) => fields[number % fields.length]?.apiName)}`);
    const references = fields.filter(({ type }) => type === 'reference');
    if (choice.expand !== null && references.length > 0) {
      parts.push(`expand=${references[choice.expand % references.length]?.apiName}`);
    }
    if (q !== null) parts.push(`q=${encode(SEARCHED[q % SEARCHED.length] as string)}`);
    if (filter) parts.push(filterText(world, fields[filter.field % (fields.length + 1)], filter));
    if (sorts.length > 0) {
      const terms = sorts.map(({ field, descending }) => `${descending ? '-' : ''}${nameOf(field)}`);
      parts.push(`sort=${terms}`);
    }
    for (const [name, value] of Object.entries({ size, page, count }))
      if (value !== null) parts.push(`${name}=${value}`);
    return parts.join('&');
  }

  private body(object: ObjectName, { assignments, kind }: BodyChoice, mode: 'create' | 'update'): Values {
    const { fields } = this.pair.object(object);
    if (kind === 'anything') {
      const values = assignments.map(({ field: chosen, value }) => {
        const field = fields[chosen % (fields.length + 1)];
        return [field?.apiName ?? 'nowhere', value === null ? null : anyValue(field, value)];
      });
      return Object.fromEntries(values);
    }
    const visibility = this.pair.visibility(object);
    const writable = fields.filter((field) => visibility.isWritable(field));
    const hidden = writable.filter((field) => visibility.isHidden(field));
    const chosenFrom = kind === 'guess' && hidden.length > 0 ? hidden : writable;
    // One guess at a time: another one that is wrong would make a change of it.
    const chosenValues = chosenFrom === hidden ? assignments.slice(0, 1) : assignments;
    const values: Record<string, unknown> = {};
    if (mode === 'create') {
      for (const field of writable) if (field.required) values[field.apiName] = validValue(field, 0);
    }
    for (const { field: chosen, value } of chosenValues) {
      const field = chosenFrom[chosen % chosenFrom.length] as FieldDefinition;
      values[field.apiName] = value === null && !field.required ? null : validValue(field, value ?? 0);
    }
    return values;
  }
}

const encode = encodeURIComponent;

function conditions(ifMatch: Of<'change'>['ifMatch']): Record<string, string> {
  if (ifMatch === null) return {};
  return { 'if-match': ifMatch === 'any' ? '*' : ifMatch.versions.map((version) => `"${version}"`).join(', ') };
}

/** A value that the type and the rules of the field allow; any of its type when there is none. */
function validValue(field: FieldDefinition, number: number): unknown {
  if (field.is_unique) return numberedValue(field, number % GUESSED);
  if (field.type === 'reference') return numberedValue(field, number);
  const valid = valuesOf(field.type).filter(
    (value) => validateRecord([field], { [field.apiName]: value }, 'create').problems.length === 0,
  );
  return valid[number % valid.length] ?? numberedValue(field, number);
}

/** A value of the field, or now and then what is none. */
function anyValue(field: FieldDefinition | undefined, number: number): unknown {
  const refused = REFUSED[number % REFUSED.length];
  if (!field || field.type === 'formula' || number % 4 === 3) return refused;
  return numberedValue(field, number);
}

/** A condition, of which the operator and the value fit the type now and then. */
function conditionOf(
  world: World,
  object: ObjectName,
  fields: readonly FieldDefinition[],
  { field: number, op: chosen, value }: ConditionChoice,
): object {
  const field = fields[number % (fields.length + 1)];
  // Operators that most types have come twice.
  const operators = [...FILTER_OPERATORS, 'eq', 'ne', 'in', 'empty'];
  const op = operators[chosen % operators.length] as string;
  if (!field) return { field: 'id', op, value: world.idOf(object, value) };
  if (op === 'empty' || op === 'notEmpty') return { field: field.apiName, op };
  const wanted =
    field.type === 'formula'
      ? [0, 1, 3.5, true, 'alpha/1', '2024-02-29'][value % 6]
      : world.toApi(numberedValue(field, value), targetOf(field));
  return { field: field.apiName, op, value: op === 'in' ? [wanted] : wanted };
}

/** @param field undefined for one that does not exist */
function filterText(world: World, field: FieldDefinition | undefined, { value }: Assignment): string {
  const name = `filterField=${field?.apiName ?? 'nowhere'}`;
  if (value === null) return name;
  const wanted =
    !field || field.type === 'formula'
      ? COMPUTED[value % COMPUTED.length]
      : world.toApi(numberedValue(field, value), targetOf(field));
  return `${name}&filterValue=${encode(String(wanted))}`;
}
