import { isDeepStrictEqual } from 'node:util';
import { compileFieldFormulas, type FieldDefinition } from '@crm/fields';
import type { CustomObjectsService } from '../custom-objects-service.js';
import type { GeneratedObject, ObjectName } from './object.js';
import { isRecordNumber } from './values.js';
import { World } from './world.js';

export type Values = Readonly<Record<string, unknown>>;

const allows = (listed: readonly string[] | undefined, roles: readonly string[]): boolean =>
  !listed || listed.length === 0 || listed.some((role) => roles.includes(role));

/**
 * What the observer of a world may see of an object, decided by the definition alone and without the code that is tested:
 * what is hidden from them, and what an exposed formula tells them of it all the same.
 */
class Visibility {
  private readonly readable = new Set<string>();
  private readonly formulas: ReturnType<typeof compileFieldFormulas>;

  constructor(
    private readonly object: GeneratedObject,
    private readonly roles: readonly string[],
  ) {
    // A formula reads earlier fields only.
    for (const field of object.fields) {
      const reads = object.reads.get(field.apiName) ?? [];
      const derivesFromReadable = field.exposes === true || reads.every((name) => this.readable.has(name));
      if (allows(field.readRoles, roles) && derivesFromReadable) this.readable.add(field.apiName);
    }
    this.formulas = compileFieldFormulas(object.fields);
  }

  isHidden(field: FieldDefinition): boolean {
    return !this.readable.has(field.apiName);
  }

  /** Returns whether the definition lets the observer write a field. That a unique one is written by its readers only comes on top. */
  isWritable(field: FieldDefinition): boolean {
    return field.type !== 'formula' && allows(field.writeRoles, this.roles);
  }

  /**
   * The hidden fields that must have the same values in both states, because a readable formula exposes something of them
   * that differs, or that the observer could make differ by writing another field that it reads.
   */
  exposedDifferences(left: Values, right: Values): string[] {
    const clock = { now: new Date(), timeZone: 'Europe/Berlin' };
    const evaluate = this.formulas.evaluatorOf(new Set(this.formulas.order));
    const [shownLeft, shownRight] = [left, right].map((given) => {
      const values = asTexts(given);
      evaluate(values, clock);
      return values;
    }) as [Values, Values];
    const fields = new Map(this.object.fields.map((field) => [field.apiName, field]));
    const exposed = this.object.fields
      .filter(({ apiName, type }) => type === 'formula' && this.readable.has(apiName))
      .flatMap(({ apiName }) => {
        const inputs = this.plainInputs(apiName).map((name) => fields.get(name) as FieldDefinition);
        const agrees = isDeepStrictEqual(shownLeft[apiName], shownRight[apiName]);
        return agrees && !inputs.some((input) => this.isWritable(input)) ? [] : inputs;
      });
    return exposed
      .filter((field) => this.isHidden(field) && !isDeepStrictEqual(left[field.apiName], right[field.apiName]))
      .map(({ apiName }) => apiName);
  }

  /** Returns whether the observer reads a formula that is made from the field. */
  isExposed(name: string): boolean {
    return this.object.fields.some(
      ({ apiName, type }) =>
        type === 'formula' && this.readable.has(apiName) && this.plainInputs(apiName).includes(name),
    );
  }

  private plainInputs(name: string): string[] {
    const reads = this.object.reads.get(name);
    return reads === undefined ? [name] : reads.flatMap((input) => this.plainInputs(input));
  }
}

/** References are texts in formulas. */
const asTexts = (values: Values): Values =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isRecordNumber(value) ? `record ${value.record}` : value]),
  );

export type Side = 0 | 1;
export type Pair<T> = readonly [left: T, right: T];

export const recordsPath = (object: ObjectName): string => `/api/crm/custom/${object}/records`;

/** Two worlds with the same objects, which an observer with some roles cannot tell apart. */
export class WorldPair {
  private readonly objects: Map<ObjectName, GeneratedObject>;
  private readonly visibilities: ReadonlyMap<ObjectName, Visibility>;
  private readonly deleted = new Set<string>();

  private constructor(
    readonly worlds: Pair<World>,
    objects: readonly GeneratedObject[],
    observerRoles: readonly string[],
  ) {
    this.objects = new Map(objects.map((object) => [object.apiName, object]));
    this.visibilities = new Map(objects.map((object) => [object.apiName, new Visibility(object, observerRoles)]));
  }

  /** @param begunOpen whether every field is for everyone, until `restrict` */
  static async create(
    app: CustomObjectsService,
    objects: readonly GeneratedObject[],
    observerRoles: readonly string[],
    begunOpen: boolean,
  ): Promise<WorldPair> {
    const declared = begunOpen ? objects.map((object) => ({ ...object, fields: object.fields.map(opened) })) : objects;
    const create = () => World.create(app, declared, observerRoles);
    return new WorldPair([await create(), await create()], objects, observerRoles);
  }

  object(name: ObjectName): GeneratedObject {
    return this.objects.get(name) as GeneratedObject;
  }

  visibility(name: ObjectName): Visibility {
    return this.visibilities.get(name) as Visibility;
  }

  /** Does the same in both worlds at once. */
  async both<T>(work: (world: World, side: Side) => Promise<T>): Promise<Pair<T>> {
    const [left, right] = this.worlds;
    return Promise.all([work(left, 0), work(right, 1)]);
  }

  /** How many records have been created; the numbers of records are below it, unless there are none. */
  count(name: ObjectName): number {
    return this.worlds[0].ids[name].length;
  }

  /** The number of an existing record that a number chosen at random stands for. */
  number(name: ObjectName, chosen: number): number {
    return chosen % Math.max(1, this.count(name));
  }

  forget(name: ObjectName, number: number): void {
    this.deleted.add(`${name} ${number}`);
  }

  remember(name: ObjectName, number: number): void {
    this.deleted.delete(`${name} ${number}`);
  }

  /** Numbers of the records that have not been deleted. */
  live(name: ObjectName): number[] {
    return Array.from({ length: this.count(name) }, (_, number) => number).filter(
      (number) => !this.deleted.has(`${name} ${number}`),
    );
  }

  /** The values of a body as a world's API takes them. */
  bodyIn(world: World, name: ObjectName, values: Values): Values {
    const fields = new Map(this.object(name).fields.map((field) => [field.apiName, field]));
    return Object.fromEntries(
      Object.entries(values).map(([field, value]) => [field, world.toApi(value, targetOf(fields.get(field)))]),
    );
  }

  /** Gives the fields the roles that they were declared with. */
  async restrict(): Promise<void> {
    const changes = [...this.objects.values()].flatMap(({ apiName: object, fields }) =>
      fields.map(({ apiName: field, readRoles = [], writeRoles = [] }) => ({
        object,
        field,
        members: { readRoles, writeRoles },
      })),
    );
    await this.both((world) => world.redefine(changes));
  }

  /** Changes a field's definition in both worlds, except who reads and writes it. */
  async redefine(
    name: ObjectName,
    field: FieldDefinition,
    members: Pick<FieldDefinition, 'required' | 'validationRules'>,
  ): Promise<void> {
    await this.both((world) => world.redefine([{ object: name, field: field.apiName, members }]));
    const object = this.object(name);
    const fields = object.fields.map((other) => (other.apiName === field.apiName ? { ...other, ...members } : other));
    this.objects.set(name, { ...object, fields });
  }
}

/** The object that a reference points to. */
export const targetOf = (field: FieldDefinition | undefined): ObjectName | undefined =>
  field?.referenceTarget?.replace('custom:', '') as ObjectName | undefined;

function opened({ readRoles, writeRoles, ...field }: FieldDefinition): FieldDefinition {
  return field;
}
