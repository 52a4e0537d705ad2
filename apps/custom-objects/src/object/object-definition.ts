import type { Principal } from '@crm/access';
import {
  ANY_APP,
  CORE_OBJECTS,
  type CoreObject,
  PlatformError,
  type ScopeName,
  type StandardField,
  type StandardObject,
} from '@crm/contracts';
import type { FieldDefinition, ValidationRule } from '@crm/fields';
import { defaultPicklists, defaultPipelines, type Picklists, type Pipeline, STAGE } from './picklist.js';

/** A field as it stands in a tenant: its declaration, its stable id and where its value is stored. */
export interface StoredField extends FieldDefinition {
  readonly id: string;
  /** Key of the value in a record's `data`: short, never given to another field of the object. */
  readonly key: number;
  readonly label: string;
  /** Column `s1…s24`, `n1…n8` or `t1…t8` that carries the value for filters; null when the type has none or all are taken. */
  readonly slot: string | null;
  /** The objects one of whose records a reference names; none for a user's id. */
  readonly referenceObjectIds: readonly string[];
  /** A text that is a phone number as someone wrote it. */
  readonly isPhone?: true;
  /** A text that is the code of a currency. */
  readonly isCurrency?: true;
}

/** A further event when a field takes a value, besides `created` or `updated`. */
export interface Milestone {
  readonly field: string;
  readonly value: string;
  readonly event: string;
}

/** In what a standard object differs from one that an app brings. */
export interface StandardTraits {
  /** Path below `/api/crm/`. */
  readonly path: string;
  /** First part of its events' names. */
  readonly domain: string;
  readonly scope: ScopeName;
  readonly milestones: readonly Milestone[];
}

/** An object definition with its fields, in the order of the declaration. */
export interface ObjectDefinition {
  readonly id: string;
  /** The app that brought it; null for a standard object. */
  readonly appKey: string | null;
  /** The installation that it belongs to; null for a standard object. */
  readonly installationId: string | null;
  /** The name in the tenant. */
  readonly apiName: string;
  readonly label: string;
  readonly pluralLabel: string;
  readonly description: string | null;
  readonly nameField: string | null;
  /** Increases with every change of the definition; a model built from an older one is stale. 0 when no tenant's row says it. */
  readonly revision: number;
  readonly fields: readonly StoredField[];
  /** The options of the picklists that belong to the workspace, by field; absent for an object that has none. */
  readonly picklists?: Picklists;
  /** In whose stages the records are; the first is that of a record without a stage. */
  readonly pipelines?: readonly Pipeline[];
  /** Null for an object that an app brings. */
  readonly standard: StandardTraits | null;
  /** Access of other apps, granted by an administrator; absent when there is none. */
  readonly sharedWith?: SharedWith;
}

/** Access of an app that an object is shared with. */
export type SharedAccess = 'read' | 'write';

/** Access by the keys of apps. */
export type SharedWith = Readonly<Record<string, SharedAccess>>;

/** An object that an installed app has brought into a tenant. */
export interface AppObject extends ObjectDefinition {
  readonly tenantId: string;
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  /** The name in the package. */
  readonly declaredApiName: string;
  readonly standard: null;
}

/** An object as a certified package declares it. */
export interface DeclaredObject {
  readonly apiName: string;
  readonly label?: string;
  readonly pluralLabel?: string;
  readonly description?: string;
  readonly nameField?: string;
  readonly fields: readonly FieldDefinition[];
}

/** The part of a principal that decides on access to objects. */
export type Caller = Pick<Principal, 'kind' | 'appKey' | 'installationId' | 'sandbox'>;

type Shareable = Pick<ObjectDefinition, 'appKey' | 'installationId' | 'sharedWith'>;

/**
 * Access before roles and scopes count. Users reach every object of their tenant; an app reaches those of its installation, those
 * shared with it, and standard objects within its scopes. What another installation of the same app has, such as a sandbox or the
 * production beside it, is out of reach, and to a sandbox nothing is shared.
 */
export function accessOf({ installationId, sharedWith = {} }: Shareable, caller: Caller): SharedAccess | null {
  const app = actingApp(caller);
  if (app === null || installationId === null || installationId === caller.installationId) return 'write';
  return !caller.sandbox && Object.hasOwn(sharedWith, app) ? (sharedWith[app] as SharedAccess) : null;
}

/**
 * The key of the app that acts by itself, with its token or in a run; null for a user, embedded or not. A token without
 * a key belongs to no app.
 */
export function actingApp({ kind, appKey }: Caller): string | null {
  if (kind === 'app') return appKey ?? '';
  return kind === 'internal' ? (appKey ?? null) : null;
}

export function isVisibleTo(object: Shareable, caller: Caller): boolean {
  return accessOf(object, caller) !== null;
}

/** @throws NOT_FOUND as for an object that does not exist; FORBIDDEN when the caller may read and not write */
export function requireAccess(object: Shareable, caller: Caller, mode: 'read' | 'write'): void {
  const access = accessOf(object, caller);
  if (access === null) throw objectNotFound();
  if (mode === 'write' && access === 'read') {
    throw new PlatformError('FORBIDDEN', 'The object is shared with the app as read-only');
  }
}

/** The keys of the apps that see an object: first the one it belongs to, then those that it is shared with. */
export function appsThatSee({ appKey, sharedWith = {} }: Pick<Shareable, 'appKey' | 'sharedWith'>): string[] {
  return [...(appKey === null ? [] : [appKey]), ...Object.keys(sharedWith)];
}

export const objectNotFound = (): PlatformError => new PlatformError('NOT_FOUND', 'Object not found');

/** Kept as written: numbers come from forms and business cards, and one that cannot be dialled is better than none. */
const PHONE: ValidationRule = {
  type: 'regex',
  value: '^[0-9+(][0-9 ()./-]*[0-9]([ ,;]*([eE]xt[.]?|[xX]|#) ?[0-9]{1,8})?$',
  message: 'Must be a phone number such as +49 30 123456',
};

const idOf = (name: string): string => CORE_OBJECTS[name as CoreObject].id;

function storedField(objectId: string, [apiName, field]: [string, StandardField]): StoredField {
  const { key, slot, label, type, required, readOnly } = field;
  const targets = field.type === 'reference' ? field.targets : [];
  return {
    // The object's id with the field's key in its first group.
    id: `${key.toString(16).padStart(8, '0')}${objectId.slice(8)}`,
    key,
    apiName,
    label: label.en,
    type: type === 'phone' ? 'text' : type,
    ...(type === 'phone' && { isPhone: true }),
    ...('format' in field && field.format === 'currency' && { isCurrency: true }),
    slot,
    ...(required && { required }),
    // A role that nobody has.
    ...(readOnly && { writeRoles: [ANY_APP] }),
    ...('maxLength' in field && {
      validationRules: [{ type: 'maxLength', value: field.maxLength }, ...(type === 'phone' ? [PHONE] : [])],
    }),
    ...('default' in field && { options: Object.keys(field.options), default: field.default }),
    ...(targets.length === 1 && { referenceTarget: targets[0] as string }),
    referenceObjectIds: targets.map(idOf),
  };
}

/** @returns the object with these options instead of those of a new workspace */
export function withPicklists(
  object: ObjectDefinition,
  revision: number,
  picklists: Picklists,
  pipelines: readonly Pipeline[] | undefined = object.pipelines,
): ObjectDefinition {
  const all = { ...object.picklists, ...picklists };
  if (pipelines) all[STAGE] = pipelines.flatMap(({ stages }) => stages);
  const fields = object.fields.map((field) => {
    const options = all[field.apiName];
    return options ? { ...field, options } : field;
  });
  return { ...object, revision, fields, picklists: all, ...(pipelines && { pipelines }) };
}

function definitionOf(apiName: CoreObject): ObjectDefinition {
  const object = plainDefinitionOf(apiName);
  const picklists = defaultPicklists(apiName);
  return Object.keys(picklists).length === 0 ? object : withPicklists(object, 0, picklists, defaultPipelines(apiName));
}

function plainDefinitionOf(apiName: CoreObject): ObjectDefinition {
  const { id, path, domain, scope, label, pluralLabel, nameField, fields, milestones }: StandardObject =
    CORE_OBJECTS[apiName];
  return {
    id,
    appKey: null,
    installationId: null,
    apiName,
    label: label.en,
    pluralLabel: pluralLabel.en,
    description: null,
    nameField,
    revision: 0,
    fields: Object.entries(fields).map((field) => storedField(id, field)),
    standard: {
      path,
      domain,
      scope,
      milestones: Object.entries(milestones).map(([event, { field, value }]) => ({ field, value, event })),
    },
  };
}

/** The objects that every tenant has, by name. */
export const STANDARD_OBJECTS = Object.fromEntries(
  (Object.keys(CORE_OBJECTS) as CoreObject[]).map((name) => [name, definitionOf(name)]),
) as Readonly<Record<CoreObject, ObjectDefinition>>;

/** @returns undefined when no standard object has this name */
export const standardObjectNamed = (name: string): ObjectDefinition | undefined =>
  Object.hasOwn(STANDARD_OBJECTS, name) ? STANDARD_OBJECTS[name as CoreObject] : undefined;

/** @returns undefined when no standard object has this id */
export const standardObjectWithId = (id: string): ObjectDefinition | undefined =>
  Object.values(STANDARD_OBJECTS).find((object) => object.id === id);

/** The scope of an object's records. */
export const scopeOf = (objectId: string): ScopeName =>
  standardObjectWithId(objectId)?.standard?.scope ?? 'custom_objects';

/** The fields whose values together head a page of a record. */
export const titleFieldsOf = ({ standard, apiName, nameField }: ObjectDefinition): readonly string[] =>
  standard ? CORE_OBJECTS[apiName as CoreObject].titleFields : nameField === null ? [] : [nameField];
