import type { TSchema } from 'typebox';
import { CORE_OBJECTS, type CoreObject, type StandardObject } from '../objects.js';
import { type RecordSchema, recordExample, recordSchema } from '../records.js';
import {
  changedRecordData,
  changedRecordExample,
  deletedRecordData,
  type EventDefinition,
  eventsBy,
  recordData,
} from './define.js';

type Domain<O extends CoreObject> = (typeof CORE_OBJECTS)[O]['domain'];
type Milestones<O extends CoreObject> = keyof (typeof CORE_OBJECTS)[O]['milestones'] & string;
type Carrying<Name extends string, Data extends TSchema> = { readonly [N in Name]: EventDefinition<N, Data> };

type EventsOf<O extends CoreObject> = Carrying<
  `${Domain<O>}.created` | `${Domain<O>}.restored` | Milestones<O>,
  ReturnType<typeof recordData<RecordSchema<O>>>
> &
  Carrying<`${Domain<O>}.deleted`, ReturnType<typeof deletedRecordData<RecordSchema<O>>>> &
  Carrying<`${Domain<O>}.updated`, ReturnType<typeof changedRecordData<RecordSchema<O>>>>;

type OfAll<O extends CoreObject> = (O extends CoreObject ? (events: EventsOf<O>) => void : never) extends (
  events: infer All,
) => void
  ? All
  : never;

const define = eventsBy('custom-objects');

function eventsOfObject(name: CoreObject): [string, EventDefinition][] {
  const { domain, exampleChange, milestones }: StandardObject = CORE_OBJECTS[name];
  const noun = `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
  const subject = noun[0]?.toUpperCase() + noun.slice(1);
  const schema = recordSchema(name);
  const record = recordExample(name);
  const ending = 'was deleted. The data is its last state, or only its ID if it was permanently deleted';
  const changed = changedRecordExample(record, exampleChange);
  return [
    define(`${domain}.created`, `${subject} was created`, recordData(schema), { record }),
    define(`${domain}.updated`, `${subject} was changed`, changedRecordData(schema), changed),
    define(`${domain}.deleted`, `${subject} ${ending}`, deletedRecordData(schema), { record }),
    define(`${domain}.restored`, `${subject} was restored`, recordData(schema), { record }),
    ...Object.entries(milestones).map(([event, { field, value, example }]) => {
      const reached = { ...record, [field]: value, ...example };
      return define(event, `The ${field} of ${noun} became ${value}`, recordData(schema), { record: reached });
    }),
  ].map((event) => [event.name, event as EventDefinition]);
}

/** The events of standard objects: created, updated, deleted and restored for each, and their milestones. */
export const STANDARD_RECORD_EVENTS = Object.fromEntries(
  (Object.keys(CORE_OBJECTS) as CoreObject[]).flatMap(eventsOfObject),
) as unknown as OfAll<CoreObject>;
