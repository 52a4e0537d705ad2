import type { UrlOptions } from '@crm/address-policy';
import { patternsOf } from '@crm/contracts';
import { type Change, compareObjects } from './compare-objects.js';
import { entriesOf, type ManifestDraft } from './example.js';
import { pointer } from './json-pointer.js';
import { judgeUrl, outboundUrls } from './outbound-urls.js';
import { requestedScopes } from './scope-usage.js';

/**
 * The differences between two versions that matter to a tenant, in the order of the sections.
 * @param before the version that tenants have
 * @param after the version they would get
 * @param addressPolicy which hosts the platform calls; refused hosts do not count as access
 */
export function compareManifests(
  before: ManifestDraft,
  after: ManifestDraft,
  addressPolicy: UrlOptions = {},
): Change[] {
  return [
    ...compareScopes(before, after),
    ...compareRoles(before, after),
    ...compareObjects(before, after),
    ...compareSets(eventsOf(before), eventsOf(after), 'event', '/webhooks', isCoveredEvent),
    ...compareSets(hostsOf(before, addressPolicy), hostsOf(after, addressPolicy), 'host', ''),
    ...compareSets(originsOf(before), originsOf(after), 'embed origin', '/embed/allowedOrigins'),
    ...compareSets(redirectUrisOf(before), redirectUrisOf(after), 'redirect URI', '/oauth/redirectUris'),
  ];
}

type Places = ReadonlyMap<string, string>;

interface ScopeRequest {
  pointer: string;
  /** Whether a tenant can decline it; of several requests, a mandatory one wins. */
  optional: boolean;
}

function scopesOf(manifest: ManifestDraft): ReadonlyMap<string, ScopeRequest> {
  const requests = new Map<string, ScopeRequest>();
  for (const { scope, pointer: at, optional } of requestedScopes(manifest)) {
    if (!requests.has(scope) || (requests.get(scope)!.optional && !optional)) {
      requests.set(scope, { pointer: at, optional });
    }
  }
  return requests;
}

/** New scopes, and those that a tenant could decline before, need consent; the full scope covers its `:read`. */
function* compareScopes(before: ManifestDraft, after: ManifestDraft): Generator<Change> {
  const [old, requested] = [scopesOf(before), scopesOf(after)];
  for (const [name, { pointer: at, optional }] of requested) {
    const covering = [old.get(name), old.get(name.replace(/:read$/, ''))].filter((request) => request !== undefined);
    if (covering.length === 0) {
      yield { kind: 'added', pointer: at, message: `The scope "${name}" is new.`, effect: 'safe', consent: true };
    } else if (!optional && covering.every((request) => request.optional)) {
      const message = `The scope "${name}" is no longer optional.`;
      yield { kind: 'changed', pointer: at, message, effect: 'safe', consent: true };
    }
  }
  yield* lost(old.keys(), (name) => requested.has(name), 'scope', '/permissions');
}

function eventsOf(manifest: ManifestDraft): Places {
  const places = new Map<string, string>();
  const add = (name: string, at: string) => {
    if (!places.has(name)) places.set(name, at);
  };
  for (const [i, { trigger }] of entriesOf(manifest.automations)) {
    if (trigger?.type === 'event' && trigger.event !== undefined)
      add(trigger.event, pointer('automations', i, 'trigger', 'event'));
  }
  for (const [i, webhook] of entriesOf(manifest.webhooks)) {
    for (const [j, name] of entriesOf(webhook.events)) add(name, pointer('webhooks', i, 'events', j));
  }
  for (const [i, name] of entriesOf(manifest.service?.consumes)) add(name, pointer('service', 'consumes', i));
  return places;
}

function hostsOf(manifest: ManifestDraft, addressPolicy: UrlOptions): Places {
  const places = new Map<string, string>();
  for (const { text, pointer: at } of outboundUrls(manifest)) {
    const verdict = judgeUrl(text, addressPolicy);
    if (verdict.ok && !places.has(verdict.host)) places.set(verdict.host, at);
  }
  return places;
}

function originsOf(manifest: ManifestDraft): Places {
  return new Map(
    [...entriesOf(manifest.embed?.allowedOrigins)].map(([i, origin]) => [
      origin,
      pointer('embed', 'allowedOrigins', i),
    ]),
  );
}

function redirectUrisOf(manifest: ManifestDraft): Places {
  return new Map(
    [...entriesOf(manifest.oauth?.redirectUris)].map(([i, uri]) => [uri, pointer('oauth', 'redirectUris', i)]),
  );
}

type Covers = (names: Places, name: string) => boolean;

const hasName: Covers = (names, name) => names.has(name);

/** An event is also there as part of its domain; a domain is more than its events of today. */
const isCoveredEvent: Covers = (names, name) => patternsOf(name).some((pattern) => names.has(pattern));

/** New members need consent; removed ones are safe. */
function* compareSets(
  before: Places,
  after: Places,
  what: string,
  section: string,
  covers: Covers = hasName,
): Generator<Change> {
  for (const [name, at] of after) {
    if (covers(before, name)) continue;
    yield { kind: 'added', pointer: at, message: `The ${what} "${name}" is new.`, effect: 'safe', consent: true };
  }
  const isLeft = (name: string) => covers(after, name);
  yield* lost(before.keys(), isLeft, what, section);
}

function* lost(
  before: Iterable<string>,
  isLeft: (name: string) => boolean,
  what: string,
  section: string,
): Generator<Change> {
  for (const name of before) {
    if (isLeft(name)) continue;
    yield {
      kind: 'removed',
      pointer: section,
      message: `The ${what} "${name}" is removed.`,
      effect: 'safe',
      consent: false,
    };
  }
}

function* compareRoles(before: ManifestDraft, after: ManifestDraft): Generator<Change> {
  const names = (manifest: ManifestDraft) =>
    new Set([...entriesOf(manifest.roles)].flatMap(([, role]) => role.name ?? []));
  const remaining = names(after);
  for (const name of names(before)) {
    if (remaining.has(name)) continue;
    const message = `The role "${name}" is removed.`;
    yield { kind: 'removed', pointer: '/roles', message, effect: 'breaking', consent: false };
  }
}
