import { ANY_APP, appRole, CORE_OBJECTS, isAppKey, isAppRole, isReservedRole, isUuid } from '@crm/contracts';
import { fieldTypes } from '@crm/fields';
import type { Check } from '../check.js';
import { entriesOf, type ManifestDraft } from '../example.js';
import { isObject, pointer } from '../json-pointer.js';
import { isLabel, knownRoles, namedFields, objectNames, resolveObject } from '../package-model.js';
import { keyProblem, type Problem, suggestion } from '../problem.js';
import type { AppKind, Manifest } from '../schema/manifest.js';
import { compareVersions, isVersion } from '../semver.js';
import { hasPlaceholder } from '../templates.js';
import { shapeProblems } from '../validate.js';

export const MAN_001: Check = {
  id: 'MAN-001',
  title: 'The manifest matches the package schema',
  severity: 'blocker',
  doc: {
    why: 'The schema defines which keys a package can have and the types of their values. Unknown keys are rejected because they are usually typos that would silently have no effect.',
    fix: 'Fix each reported place. An editor that supports `$schema` completes and checks the manifest while you type.',
  },
  run: ({ document }) => shapeProblems(document),
};

export const MAN_002: Check = {
  id: 'MAN-002',
  title: 'The key belongs to this publisher',
  severity: 'blocker',
  doc: {
    why: "The key identifies your app for good: workspaces install it, rate it, and grant it scopes under this key. It can't move to another publisher without notice.",
    fix: "Choose a key that isn't taken, or sign in to the workspace that owns it.",
  },
  async run({ manifest, probes }) {
    if (!probes.keyOwnership) return { skip: 'Only the server knows who owns the key.' };
    if (manifest.key === undefined) return { skip: 'Add a key to the manifest.' };
    const ownership = await probes.keyOwnership(manifest.key);
    if (ownership !== 'other') return [];
    return [
      { pointer: '/key', message: `The key "${manifest.key}" belongs to another publisher. Choose another key.` },
    ];
  },
};

export const MAN_003: Check = {
  id: 'MAN-003',
  title: 'The version is higher than every submitted version',
  severity: 'blocker',
  doc: {
    why: 'A submitted version never changes, so a new package needs a new version, and workspaces only upgrade to higher ones.',
    fix: 'Raise `version` above the highest version that was ever submitted, by the precedence rules of Semantic Versioning (build metadata does not count).',
  },
  async run({ manifest, probes }) {
    if (!probes.submittedVersions) return { skip: 'Only the server knows which versions were submitted.' };
    const { key, version } = manifest;
    if (key === undefined || version === undefined || !isVersion(version)) {
      return { skip: 'Add a key and a valid version to the manifest.' };
    }
    const submitted = (await probes.submittedVersions(key)).filter(isVersion);
    const highest = submitted.reduce<string | undefined>(
      (high, next) => (high === undefined || compareVersions(next, high) > 0 ? next : high),
      undefined,
    );
    if (highest === undefined || compareVersions(version, highest) > 0) return [];
    return [
      {
        pointer: '/version',
        message: `Version ${version} must be higher than ${highest}, which was already submitted.`,
      },
    ];
  },
};

export const MAN_004: Check = {
  id: 'MAN-004',
  title: 'References inside the package resolve',
  severity: 'blocker',
  doc: {
    why: 'Fields, objects, and roles that the package uses must exist when it is installed. Otherwise the installation would fail, or a rule would silently have no effect.',
    fix: "Declare the missing element, or fix its name. In `referenceTarget`, write the package's objects as `custom:<apiName>`. Roles are the built-in ones and those in the `roles` section; a field can also name an app as `app:<key>`.",
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
      yield { pointer: at, message: 'A role name must be one line with no leading or trailing spaces.' };
    }
    if (isReservedRole(name)) yield { pointer: at, message: `The role "${name}" is built in. Remove it here.` };
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
      message: `Unknown field "${object.nameField}".${hint}`,
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
        message: `Unknown object "${referenceTarget}".${suggestion(referenceTarget, known)}`,
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
  if (role === ANY_APP) return `"app" would match every app. Use ${appRole(ownKey ?? '<key>')} for this one.`;
  if (!isAppRole(role)) return `Unknown role "${role}".${suggestion(role, roles)}`;
  return isAppKey(role.slice(appRole('').length)) ? undefined : `"${role}" must contain an app key, as in app:<key>.`;
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
        yield { pointer: `${at}/object`, message: `Unknown object "${action.object}".${hint}` };
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
      if (named.length === 0) yield { pointer: at, message: 'Add a recipient to the email.' };
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
    return roles.has(role) ? undefined : `Unknown role "${role}".${suggestion(role, roles)}`;
  }
  // AUT-001 reports a placeholder here.
  if (hasPlaceholder(to) || isUuid(to) || isEmail(to)) return undefined;
  return `"${to}" must be a user ID, an email address, or role:<name>.`;
}

/** By the same rules as fields of type `email`. */
function isEmail(text: string): boolean {
  return fieldTypes.get('email')!.parse(text, {}, {}).ok;
}

/** For each kind, one of these sections must be present and not empty. */
const SECTIONS: Readonly<Record<AppKind, readonly (keyof Manifest)[]>> = {
  data_connector: ['connector'],
  industry_app: ['objects', 'automations'],
  ai_assistant: ['assistant'],
  event_service: ['webhooks', 'service'],
};

export const MAN_005: Check = {
  id: 'MAN-005',
  title: 'The package has the section that its kind requires',
  severity: 'blocker',
  doc: {
    why: 'The kind tells people what to expect from the app: a data connector has a `connector`, an industry app `objects` or `automations`, an AI assistant an `assistant`, an event-driven service `webhooks` or a `service`. Other sections are also allowed.',
    fix: 'Add the section that the kind requires, or choose the kind that fits the package.',
  },
  run({ manifest }) {
    if (manifest.kind === undefined) return { skip: 'Add a valid kind to the manifest.' };
    const sections = SECTIONS[manifest.kind];
    if (sections.some((name) => isPresent(manifest[name]))) return [];
    return [
      { pointer: '/kind', message: `A package of kind ${manifest.kind} needs the section ${sections.join(' or ')}.` },
    ];
  },
};

function isPresent(section: unknown): boolean {
  if (Array.isArray(section)) return section.length > 0;
  return isObject(section) && Object.keys(section).length > 0;
}
