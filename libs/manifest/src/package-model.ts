import { CORE_OBJECTS, type CoreObject, EVENTS, type EventName, eventValueTypes, TENANT_ROLES } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import type { ValueType } from '@crm/formula';
import { type Draft, entriesOf, type ManifestDraft } from './example.js';
import { pointer } from './json-pointer.js';
import type { ManifestField, ManifestObject, ManifestTrigger } from './schema/manifest.js';

/** An object that an action or a stream writes to. */
interface ObjectTarget {
  kind: 'core' | 'own';
  name: string;
  writableFields: ReadonlySet<string>;
}

const CORE_TARGETS: ReadonlyMap<string, ObjectTarget> = new Map(
  Object.entries(CORE_OBJECTS).map(([name, { fields }]) => [
    name,
    { kind: 'core', name, writableFields: new Set(Object.keys(fields)) },
  ]),
);

export function isCoreObject(name: string): name is CoreObject {
  return CORE_TARGETS.has(name);
}

/** Caches the targets of each manifest, because actions look them up one by one. */
const targetsByManifest = new WeakMap<ManifestDraft, ReadonlyMap<string, ObjectTarget>>();

function targetsOf(manifest: ManifestDraft): ReadonlyMap<string, ObjectTarget> {
  const known = targetsByManifest.get(manifest);
  if (known) return known;
  const targets = new Map(CORE_TARGETS);
  for (const [, object] of entriesOf(manifest.objects)) {
    if (object.apiName === undefined) continue;
    const writable = [...entriesOf(object.fields)].filter(([, field]) => field.type !== 'formula');
    targets.set(object.apiName, {
      kind: 'own',
      name: object.apiName,
      writableFields: new Set(writable.flatMap(([, field]) => field.apiName ?? [])),
    });
  }
  targetsByManifest.set(manifest, targets);
  return targets;
}

/**
 * Resolves an object name in an action or a stream: an object of the package (`site_visit` or `custom:site_visit`),
 * otherwise a core object (`lead`).
 */
export function resolveObject(manifest: ManifestDraft, name: string): ObjectTarget | undefined {
  const custom = name.startsWith('custom:');
  const target = targetsOf(manifest).get(custom ? name.slice('custom:'.length) : name);
  return custom && target?.kind === 'core' ? undefined : target;
}

/** Every name that {@link resolveObject} knows, for suggestions. */
export function objectNames(manifest: ManifestDraft): Iterable<string> {
  return targetsOf(manifest).keys();
}

export type NamedField = Draft<ManifestField> & { apiName: string; type: ManifestField['type'] };

export const hasDefault = (field: Partial<NamedField>): boolean => (field.default ?? null) !== null;

/** The fields of an object that have a name and a type, with their indexes. */
export function namedFields(object: Draft<ManifestObject>): [index: number, field: NamedField][] {
  return [...entriesOf(object.fields)].filter(
    (entry): entry is [number, NamedField] => entry[1].apiName !== undefined && entry[1].type !== undefined,
  );
}

/** Roles of users that the package can name: the built-in ones of a tenant and its own. */
export function knownRoles(manifest: ManifestDraft): Set<string> {
  return new Set([...TENANT_ROLES, ...[...entriesOf(manifest.roles)].flatMap(([, role]) => role.name ?? [])]);
}

/** Returns whether a text is suitable as a name: a single line, not blank, no white space around it. */
export function isLabel(text: string): boolean {
  return text.trim() === text && text !== '' && !/[\p{Cc}\u2028\u2029]/u.test(text);
}

interface EventReference {
  readonly name: string;
  readonly at: string;
  readonly by: 'trigger' | 'action' | 'webhook' | 'consumer';
}

/** Every place of the package that names an event, in the order of the sections. */
export function* eventReferences(manifest: ManifestDraft): Generator<EventReference> {
  for (const [i, { trigger, actions }] of entriesOf(manifest.automations)) {
    if (trigger?.type === 'event' && trigger.event !== undefined) {
      yield { name: trigger.event, at: pointer('automations', i, 'trigger', 'event'), by: 'trigger' };
    }
    for (const [j, action] of entriesOf(actions)) {
      if (action.type !== 'emit_event' || action.name === undefined) continue;
      yield { name: action.name, at: pointer('automations', i, 'actions', j, 'name'), by: 'action' };
    }
  }
  for (const [i, { events }] of entriesOf(manifest.webhooks)) {
    for (const [j, name] of entriesOf(events)) yield { name, at: pointer('webhooks', i, 'events', j), by: 'webhook' };
  }
  for (const [i, name] of entriesOf(manifest.service?.consumes)) {
    yield { name, at: pointer('service', 'consumes', i), by: 'consumer' };
  }
}

/** Events that the package can name: those of the platform and those that it declares to produce. */
export function knownEvents(manifest: ManifestDraft): Set<string> {
  return new Set([...Object.keys(EVENTS), ...[...entriesOf(manifest.service?.produces)].map(([, name]) => name)]);
}

function isPlatformEvent(name: string): name is EventName {
  return Object.hasOwn(EVENTS, name);
}

/**
 * The keys under which an automation finds the data of a platform event: those of the event and, directly by name,
 * those of its record. Undefined when they are not fixed (records of custom objects, events of apps).
 */
export function eventKeys(name: string): string[] | undefined {
  if (!isPlatformEvent(name) || name.startsWith('record.')) return undefined;
  const data = EVENTS[name].data as { properties: Record<string, { properties?: object }> };
  return [...Object.keys(data.properties), ...Object.keys(data.properties.record?.properties ?? {})];
}

/**
 * The types of the names that a condition can read: what the package declares in `payload`, and for an event of
 * the catalogue its data and, directly by name, the fields of its record. Any other name is untyped.
 */
export function conditionTypes(trigger: Draft<ManifestTrigger>): Map<string, ValueType> {
  const isOfPlatform = trigger.type === 'event' && trigger.event !== undefined && isPlatformEvent(trigger.event);
  const types: Map<string, ValueType> = isOfPlatform ? eventValueTypes(trigger.event as EventName) : new Map();
  for (const [, { name, type }] of entriesOf(trigger.payload))
    if (name !== undefined) types.set(name, payloadType(type));
  return types;
}

function payloadType(type: string | undefined): ValueType {
  return type === 'boolean' ? type : (fieldTypes.get(`${type}`)?.formulaType ?? 'any');
}
