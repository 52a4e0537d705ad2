import { ANY_APP, appRole, CORE_OBJECTS, isAppKey, isAppRole, isReservedRole, isUuid } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import type { Check } from '../check.js';
import { entriesOf, type ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { isLabel, knownRoles, namedFields, objectNames, resolveObject } from '../package-model.js';
import { keyProblem, type Problem } from '../problem.js';
import { suggestion } from '../suggestion.js';
import { hasPlaceholder } from '../templates.js';

export const MAN_004: Check = {
  id: 'MAN-004',
  title: 'References inside the package resolve',
  severity: 'blocker',
  doc: {
    why: 'Fields, objects and roles that the package names must exist when it is installed. Otherwise the installation would fail or a rule would silently have no effect.',
    fix: 'Declare the missing element, or correct its name. In `referenceTarget` write objects of the package as `custom:<apiName>`. Roles are the built-in ones and those of the `roles` section; a field can also name an app as `app:<key>`.',
  },
  *run({ manifest }) {
    yield* roleNames(manifest);
    yield* nameFields(manifest);
    yield* referenceTargets(manifest);
    yield* fieldRoles(manifest);
    yield* actionTargets(manifest);
    yield* recipients(manifest);
  },
};

function* roleNames(manifest: ManifestDraft): Generator<Problem> {
  const seen = new Set<string>();
  for (const [i, { name }] of entriesOf(manifest.roles)) {
    if (name === undefined) continue;
    const at = pointer('roles', i, 'name');
    if (!isLabel(name)) {
      yield { pointer: at, message: 'The name of a role must be a single line without white space around it.' };
    }
    if (isReservedRole(name)) yield { pointer: at, message: `The role "${name}" is built in and cannot be declared.` };
    if (seen.has(name)) yield { pointer: at, message: `The role "${name}" is declared twice.` };
    seen.add(name);
  }
}

function* nameFields(manifest: ManifestDraft): Generator<Problem> {
  for (const [i, object] of entriesOf(manifest.objects)) {
    const names = namedFields(object).map(([, field]) => field.apiName);
    if (object.nameField === undefined || names.includes(object.nameField)) continue;
    const hint = suggestion(object.nameField, names);
    yield {
      pointer: pointer('objects', i, 'nameField'),
      message: `The object has no field "${object.nameField}".${hint}`,
    };
  }
}

/** A reference field can refer to core objects (except tasks) and to objects of the package. */
function* referenceTargets(manifest: ManifestDraft): Generator<Problem> {
  const own = [...entriesOf(manifest.objects)].flatMap(([, object]) => object.apiName ?? []);
  const known = new Set([
    ...Object.keys(CORE_OBJECTS).filter((name) => name !== 'task'),
    ...own.map((name) => `custom:${name}`),
  ]);
  for (const [i, object] of entriesOf(manifest.objects)) {
    for (const [j, { referenceTarget }] of entriesOf(object.fields)) {
      if (referenceTarget === undefined || known.has(referenceTarget)) continue;
      yield {
        pointer: pointer('objects', i, 'fields', j, 'referenceTarget'),
        message: `There is no object "${referenceTarget}".${suggestion(referenceTarget, known)}`,
      };
    }
  }
}

function* fieldRoles(manifest: ManifestDraft): Generator<Problem> {
  const roles = knownRoles(manifest);
  for (const [i, object] of entriesOf(manifest.objects)) {
    for (const [j, field] of entriesOf(object.fields)) {
      for (const list of ['readRoles', 'writeRoles'] as const) {
        for (const [k, role] of entriesOf(field[list])) {
          const message = fieldRoleProblem(role, roles, manifest.key);
          if (message !== undefined) yield { pointer: pointer('objects', i, 'fields', j, list, k), message };
        }
      }
    }
  }
}

/** Fields can also name apps, each by its own role; the app itself need not be installed. */
function fieldRoleProblem(role: string, roles: ReadonlySet<string>, ownKey: string | undefined): string | undefined {
  if (roles.has(role)) return undefined;
  if (role === ANY_APP) return `"app" would name every app. Write ${appRole(ownKey ?? '<key>')} for this one.`;
  if (!isAppRole(role)) return `There is no role "${role}".${suggestion(role, roles)}`;
  return isAppKey(role.slice(appRole('').length)) ? undefined : `"${role}" does not contain the key of an app.`;
}

function* actionTargets(manifest: ManifestDraft): Generator<Problem> {
  for (const [i, automation] of entriesOf(manifest.automations)) {
    for (const [j, action] of entriesOf(automation.actions)) {
      if (action.type !== 'create_record' && action.type !== 'update_record') continue;
      if (action.object === undefined) continue;
      const at = pointer('automations', i, 'actions', j);
      const target = resolveObject(manifest, action.object);
      if (!target) {
        const hint = suggestion(action.object, objectNames(manifest));
        yield { pointer: `${at}/object`, message: `There is no object "${action.object}".${hint}` };
        continue;
      }
      for (const field of Object.keys(action.values ?? {})) {
        if (target.writableFields.has(field)) continue;
        const hint = suggestion(field, target.writableFields);
        yield keyProblem(
          `${at}/values${pointer(field)}`,
          `The object ${target.name} has no writable field "${field}".${hint}`,
        );
      }
    }
  }
}

function* recipients(manifest: ManifestDraft): Generator<Problem> {
  const roles = knownRoles(manifest);
  for (const [i, automation] of entriesOf(manifest.automations)) {
    for (const [j, action] of entriesOf(automation.actions)) {
      if (action.type !== 'send_email' || action.to === undefined) continue;
      const at = pointer('automations', i, 'actions', j, 'to');
      const named: [string, string][] =
        typeof action.to === 'string'
          ? [[at, action.to]]
          : [...entriesOf(action.to)].map(([k, to]) => [`${at}/${k}`, to]);
      if (named.length === 0) yield { pointer: at, message: 'The e-mail has no recipient.' };
      for (const [place, to] of named) {
        const message = recipientProblem(to, roles);
        if (message !== undefined) yield { pointer: place, message };
      }
    }
  }
}

function recipientProblem(to: string, roles: ReadonlySet<string>): string | undefined {
  if (to.startsWith('role:')) {
    const role = to.slice('role:'.length);
    return roles.has(role) ? undefined : `There is no role "${role}".${suggestion(role, roles)}`;
  }
  // AUT-001 reports a placeholder here.
  if (hasPlaceholder(to) || isUuid(to) || isEmail(to)) return undefined;
  return `"${to}" is neither a user id, nor an e-mail address, nor role:<name>.`;
}

/** By the same rules as fields of type `email`. */
function isEmail(text: string): boolean {
  return fieldTypes.get('email')!.parse(text, { apiName: 'to', type: 'email' }, {}).ok;
}
