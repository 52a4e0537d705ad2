import type { FieldDefinition } from '@crm/fields';
import type { CustomObjectsService } from '../custom-objects-service.js';
import type { GeneratedObject, ObjectName } from './object.js';
import { type Values, Visibility } from './visibility.js';
import { World } from './world.js';

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
