import { CORE_OBJECTS, type CoreObject, eventScope, isScope, type Scope } from '@crm/contracts';
import { entriesOf, type ManifestDraft } from './example.js';
import { pointer } from './json-pointer.js';
import { eventReferences, resolveObject } from './package-model.js';

export interface ScopeUse {
  scope: Scope;
  pointer: string;
  /** What uses it, as the subject of a sentence. */
  what: string;
  /** True when it cannot work without the scope; otherwise it only justifies requesting it. */
  needed: boolean;
}

export function scopeUses(manifest: ManifestDraft): ScopeUse[] {
  return [
    ...objectUses(manifest),
    ...automationUses(manifest),
    ...eventUses(manifest),
    ...connectorUses(manifest),
    ...assistantUses(manifest),
    ...embedUses(manifest),
  ];
}

function* objectUses(manifest: ManifestDraft): Generator<ScopeUse> {
  for (const [i] of entriesOf(manifest.objects)) {
    yield { scope: 'custom_objects', pointer: pointer('objects', i), what: 'An object', needed: true };
  }
}

/** The scope that is needed to write to an object; undefined when the name does not resolve. */
function writeScope(manifest: ManifestDraft, name: string | undefined): Scope | undefined {
  const target = name === undefined ? undefined : resolveObject(manifest, name);
  if (!target) return undefined;
  return target.kind === 'own' ? 'custom_objects' : CORE_OBJECTS[target.name as CoreObject].scope;
}

function* automationUses(manifest: ManifestDraft): Generator<ScopeUse> {
  for (const [i, automation] of entriesOf(manifest.automations)) {
    yield { scope: 'automations', pointer: pointer('automations', i), what: 'An automation', needed: true };
    for (const [j, action] of entriesOf(automation.actions)) {
      const at = pointer('automations', i, 'actions', j);
      if (action.type === 'create_task')
        yield { scope: 'tasks', pointer: at, what: 'A create_task action', needed: true };
      if (action.type !== 'create_record' && action.type !== 'update_record') continue;
      const scope = writeScope(manifest, action.object);
      if (scope) yield { scope, pointer: at, what: `A ${action.type} action on ${action.object}`, needed: true };
    }
  }
}

const EVENT_USES = { trigger: 'A trigger on', webhook: 'A webhook on', consumer: 'Consuming' };

function* eventUses(manifest: ManifestDraft): Generator<ScopeUse> {
  for (const [i] of entriesOf(manifest.webhooks)) {
    yield { scope: 'webhooks', pointer: pointer('webhooks', i), what: 'A webhook', needed: false };
  }
  const references = [...eventReferences(manifest)];
  for (const kind of ['webhook', 'trigger', 'consumer'] as const) {
    for (const { name, at, by } of references) {
      const scope = by === kind ? eventScope(name) : undefined;
      if (scope) yield { scope, pointer: at, what: `${EVENT_USES[kind]} ${name}`, needed: kind !== 'consumer' };
    }
  }
}

function* connectorUses(manifest: ManifestDraft): Generator<ScopeUse> {
  for (const [i, stream] of entriesOf(manifest.connector?.streams)) {
    const scope = writeScope(manifest, stream.destinationObject);
    const at = pointer('connector', 'streams', i, 'destinationObject');
    if (scope) yield { scope, pointer: at, what: `A stream into ${stream.destinationObject}`, needed: true };
  }
}

function* assistantUses(manifest: ManifestDraft): Generator<ScopeUse> {
  if (manifest.assistant) yield { scope: 'agent', pointer: pointer('assistant'), what: 'The assistant', needed: false };
  for (const [i, tool] of entriesOf(manifest.assistant?.tools)) {
    if (tool.scope === undefined || !isScope(tool.scope)) continue;
    const at = pointer('assistant', 'tools', i, 'scope');
    yield { scope: tool.scope, pointer: at, what: `The tool ${tool.name ?? i}`, needed: true };
  }
}

function* embedUses(manifest: ManifestDraft): Generator<ScopeUse> {
  for (const [i, scope] of entriesOf(manifest.embed?.scopes)) {
    if (isScope(scope))
      yield { scope, pointer: pointer('embed', 'scopes', i), what: 'An embedded session', needed: false };
  }
}

export interface RequestedScope {
  scope: string;
  purpose?: string | undefined;
  /** True when a tenant can install the package without granting it. */
  optional: boolean;
  pointer: string;
}

/** The scopes that a package requests, without entries that have no scope. */
export function requestedScopes(manifest: ManifestDraft): RequestedScope[] {
  return [...entriesOf(manifest.permissions)].flatMap(([i, permission]): RequestedScope[] => {
    if (typeof permission === 'string') {
      return [{ scope: permission, optional: false, pointer: pointer('permissions', i) }];
    }
    const { scope, purpose, optional = false } = permission;
    return scope === undefined ? [] : [{ scope, purpose, optional, pointer: pointer('permissions', i, 'scope') }];
  });
}
