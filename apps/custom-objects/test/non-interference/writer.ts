import { isDeepStrictEqual } from 'node:util';
import { type FieldDefinition, validateRecord } from '@crm/fields';
import { OBJECT_NAMES, type ObjectName, ruleFor, TOUCHED } from './object.js';
import type { Draw, Step } from './steps.js';
import { numberedValue, valuesOf } from './values.js';
import type { World } from './world.js';
import { type Pair, recordsPath, type Side, targetOf, type Values, type WorldPair } from './world-pair.js';

type Of<Kind> = Extract<Step, { kind: Kind }>;
type Bodies = Pair<Record<string, unknown>>;

/** Leaves the field out of the body, so that it gets its default. */
const LEFT_OUT = Symbol('left out');

/**
 * Brings the two worlds into their states: the same records with the same versions, and in hidden fields values of their
 * own.
 */
export class Writer {
  constructor(private readonly pair: WorldPair) {}

  async create({ object: name, draws }: Of<'writer creates'>): Promise<void> {
    const bodies: Bodies = [{}, {}];
    for (const [index, field] of this.pair.object(name).fields.entries()) {
      if (field.type === 'formula') continue;
      const values = this.draw(name, field, draws[index % draws.length] as Draw, 2 * this.pair.count(name));
      assign(bodies, field, values);
    }
    const { fields } = this.pair.object(name);
    this.settle(name, bodies, (body) => ({ ...validateRecord(fields, {}, 'create').values, ...body }));
    const answers = await this.both((world, side) =>
      world.asWriter({ method: 'POST', path: recordsPath(name), body: this.pair.bodyIn(world, name, bodies[side]) }),
    );
    for (const [side, { status, body }] of answers.entries()) {
      if (status === 201) this.pair.worlds[side as Side].add(name, String(body.id));
    }
  }

  async change({ object: name, record, draws }: Of<'writer changes'>): Promise<void> {
    const number = this.pair.number(name, record);
    const states = await this.states(name, number);
    if (!states) return;
    const bodies: Bodies = [{}, {}];
    for (const [index, field] of this.pair.object(name).fields.entries()) {
      const draw = draws[index % draws.length];
      if (field.type === 'formula' || !draw) continue;
      // Numbers of unique values that no default and no new record has.
      const values = this.draw(name, field, draw, 100 + 2 * number);
      if (!values.includes(LEFT_OUT)) assign(bodies, field, values);
    }
    this.settle(name, bodies, (body, side) => ({ ...states[side], ...body }));
    const changes = bodies.map((body, side) =>
      Object.entries(body).some(([field, value]) => !isDeepStrictEqual(value, states[side as Side][field])),
    );
    // Precondition: records have equal versions, so both change or neither does.
    if (changes[0] !== changes[1]) touch(bodies, states);
    await this.patch(name, number, bodies);
  }

  async delete({ object: name, record }: Of<'writer deletes'>): Promise<void> {
    const number = this.pair.number(name, record);
    const [{ status }] = await this.both((world) =>
      world.asWriter({ method: 'DELETE', path: `${recordsPath(name)}/${world.idOf(name, number)}` }),
    );
    if (status === 204) this.pair.forget(name, number);
  }

  /**
   * Returns whether the same records refer to a record in both worlds by hidden fields of which its deletion, or its merge, tells.
   *
   * Precondition of both: a reference can refuse a deletion, and a formula that is exposed tells whether it names anything. All others
   * tell nothing.
   */
  async mayDelete(
    { object: name, record }: Pick<Of<'writer deletes'>, 'object' | 'record'>,
    merges = false,
  ): Promise<boolean> {
    const target = { record: this.pair.number(name, record) };
    for (const object of OBJECT_NAMES) {
      const references = this.pair.object(object).fields.filter((field) => targetOf(field) === name);
      const visibility = this.pair.visibility(object);
      const hidden = references.filter(
        (field) =>
          visibility.isHidden(field) &&
          (((!merges || object === name) && (field.required || field.onDelete === 'restrict')) ||
            visibility.isExposed(field.apiName)),
      );
      for (const number of hidden.length > 0 ? this.pair.live(object) : []) {
        const states = await this.states(object, number);
        const [left, right] = (states ?? []).map((state) =>
          hidden.map(({ apiName }) => isDeepStrictEqual(state[apiName], target)),
        );
        if (!isDeepStrictEqual(left, right)) return false;
      }
    }
    return true;
  }

  /** Everything in the bin is purged, as if its time had passed. */
  async purge(): Promise<void> {
    await this.pair.both((world) => world.purge());
  }

  /** Makes the definition of a hidden field stricter than some of its stored values. */
  async tighten({ object: name, field: chosen, required }: Of<'definition tightens'>): Promise<void> {
    const visibility = this.pair.visibility(name);
    const hidden = this.pair
      .object(name)
      .fields.filter((field) => field.type !== 'formula' && !field.is_unique && visibility.isHidden(field));
    const field = hidden[chosen % hidden.length];
    if (!field) return;
    const rule = ruleFor(field);
    await this.pair.redefine(name, field, required || !rule ? { required: true } : { validationRules: [rule] });
  }

  /** Views for everyone, by the title and by each hidden field, of which they look for another value in each world. */
  async shareViews(number: number): Promise<void> {
    for (const object of OBJECT_NAMES) {
      const visibility = this.pair.visibility(object);
      const fields = this.pair.object(object).fields.filter((field) => field.type !== 'formula');
      for (const field of fields.filter((one) => one.apiName === 'title' || visibility.isHidden(one))) {
        const values = [number, visibility.isHidden(field) ? number + 1 : number];
        await this.both((world, side) => {
          const value = world.toApi(numberedValue(field, values[side] as number), targetOf(field));
          const filter = { field: field.apiName, value };
          const body = { object, name: `By ${field.apiName}`, shared: true, filter };
          return world.asWriter({ method: 'POST', path: '/api/crm/views', body });
        });
      }
    }
  }

  /** In one of the worlds the newest record has a hidden text that no page has space for. */
  async lengthen(): Promise<void> {
    for (const object of OBJECT_NAMES) {
      const newest = this.pair.live(object).at(-1);
      if (newest === undefined || this.pair.visibility(object).isExposed('secret')) continue;
      await this.pair.worlds[1].lengthen(object, this.pair.worlds[1].idOf(object, newest), 'secret');
    }
  }

  private async patch(name: ObjectName, number: number, bodies: Bodies): Promise<void> {
    await this.both((world, side) =>
      world.asWriter({
        method: 'PATCH',
        path: `${recordsPath(name)}/${world.idOf(name, number)}`,
        body: this.pair.bodyIn(world, name, bodies[side]),
      }),
    );
  }

  /** A request in each world, which must end the same way: the property says nothing about worlds that differ otherwise. */
  private async both(send: (world: World, side: Side) => ReturnType<World['asWriter']>) {
    const answers = await this.pair.both(send);
    const [left, right] = answers;
    if (left.status !== right.status || left.status >= 500) {
      const shown = answers.map(({ status, body }) => `${status} ${JSON.stringify(body)}`);
      throw new Error(`The worlds are not equal for their writer: ${shown.join(' and ')}`);
    }
    return answers;
  }

  /** The stored values in both worlds; undefined when the record does not exist. */
  private async states(name: ObjectName, number: number): Promise<Pair<Values> | undefined> {
    const answers = await this.both((world) =>
      world.asWriter({ method: 'GET', path: `${recordsPath(name)}/${world.idOf(name, number)}` }),
    );
    if (answers[0].status !== 200) return undefined;
    const plain = this.pair.object(name).fields.filter(({ type }) => type !== 'formula');
    const stateOf = (side: Side): Values =>
      Object.fromEntries(
        plain.map(({ apiName }) => [apiName, this.pair.worlds[side].fromApi(answers[side].body[apiName])]),
      );
    return [stateOf(0), stateOf(1)];
  }

  /** The values of a field in both worlds: valid ones, the same unless the field is hidden. */
  private draw(name: ObjectName, field: FieldDefinition, [left, right]: Draw, firstUnique: number): Pair<unknown> {
    const isHidden = this.pair.visibility(name).isHidden(field);
    if (field.is_unique) {
      // A hidden value is the record's own in both worlds, so that the writer never meets a conflict in one of them.
      const numbers = isHidden ? [firstUnique + (left % 2), firstUnique + (right % 2)] : [left % 6, left % 6];
      return [numberedValue(field, numbers[0] as number), numberedValue(field, numbers[1] as number)];
    }
    const values = this.validValues(field);
    const first = values[left % values.length] ?? null;
    return [first, isHidden ? (values[right % values.length] ?? null) : first];
  }

  private validValues(field: FieldDefinition): unknown[] {
    const target = targetOf(field);
    if (target !== undefined) {
      return [...this.pair.live(target).map((record) => ({ record })), ...(field.required ? [] : [null, LEFT_OUT])];
    }
    return [...valuesOf(field.type), null, LEFT_OUT].filter((value) => {
      const input = value === LEFT_OUT ? {} : { [field.apiName]: value };
      return validateRecord([field], input, 'create').problems.length === 0;
    });
  }

  /** Makes values equal where a formula exposes their difference. */
  private settle(name: ObjectName, bodies: Bodies, stateAfter: (body: Values, side: Side) => Values): void {
    const visibility = this.pair.visibility(name);
    for (;;) {
      const states: Pair<Values> = [stateAfter(bodies[0], 0), stateAfter(bodies[1], 1)];
      const differing = visibility.exposedDifferences(...states);
      if (differing.length === 0) return;
      for (const field of differing) bodies[1][field] = states[0][field] ?? null;
    }
  }
}

function assign(bodies: Bodies, field: FieldDefinition, values: Pair<unknown>): void {
  for (const side of [0, 1] as const) if (values[side] !== LEFT_OUT) bodies[side][field.apiName] = values[side];
}

function touch(bodies: Bodies, states: Pair<Values>): void {
  for (const body of bodies) body[TOUCHED.apiName] = Number(states[0][TOUCHED.apiName] ?? 0) + 1;
}
