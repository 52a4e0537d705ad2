import type { UrlOptions } from '@crm/address-policy';
import { patternsOf } from '@crm/contracts';
import { type Change, type ChangeEffect, compareObjects } from './compare-objects.js';
import { entriesOf, type ManifestDraft } from './example.js';
import { judgeUrl, outboundUrls } from './outbound-urls.js';
import { eventReferences } from './package-model.js';
import { requestedScopes } from './scope-usage.js';

/**
 * The differences between two versions that matter to a tenant, in the order of the sections.
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
    ...compareLists(before.embed?.allowedOrigins, after.embed?.allowedOrigins, 'embed origin', '/embed/allowedOrigins'),
    ...compareLists(before.oauth?.redirectUris, after.oauth?.redirectUris, 'redirect URI', '/oauth/redirectUris'),
  ];
}

type List = readonly (string | undefined)[] | undefined;

const compareLists = (before: List, after: List, what: string, section: string): Generator<Change> =>
  compareSets(listed(before, section), listed(after, section), what, section);

type Pointers = ReadonlyMap<string, string>;

interface ScopeRequest {
  pointer: string;
  /** True when a tenant can decline it; of several requests, a mandatory one wins. */
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

/** The names by their first place. */
function firstPointers(named: Iterable<{ name: string; at: string }>): Pointers {
  const pointers = new Map<string, string>();
  for (const { name, at } of named) if (!pointers.has(name)) pointers.set(name, at);
  return pointers;
}

/** The events that the app is told about. */
const eventsOf = (manifest: ManifestDraft): Pointers =>
  firstPointers([...eventReferences(manifest)].filter(({ by }) => by !== 'action'));

const hostsOf = (manifest: ManifestDraft, addressPolicy: UrlOptions): Pointers =>
  firstPointers(
    outboundUrls(manifest).flatMap(({ text, pointer: at }) => {
      const verdict = judgeUrl(text, addressPolicy);
      return verdict.ok ? [{ name: verdict.host, at }] : [];
    }),
  );

const listed = (list: List, section: string): Pointers =>
  new Map([...entriesOf(list)].map(([i, name]) => [name, `${section}/${i}`]));

type Covers = (names: Pointers, name: string) => boolean;

const hasName: Covers = (names, name) => names.has(name);

/** An event is also there as part of its domain; a domain is more than its events of today. */
const isCoveredEvent: Covers = (names, name) => patternsOf(name).some((pattern) => names.has(pattern));

/** New members need consent; removed ones are safe. */
function* compareSets(
  before: Pointers,
  after: Pointers,
  what: string,
  section: string,
  covers: Covers = hasName,
): Generator<Change> {
  for (const [name, at] of after) {
    if (covers(before, name)) continue;
    yield { kind: 'added', pointer: at, message: `The ${what} "${name}" is new.`, effect: 'safe', consent: true };
  }
  yield* lost(before.keys(), (name) => covers(after, name), what, section);
}

function* lost(
  before: Iterable<string>,
  isLeft: (name: string) => boolean,
  what: string,
  section: string,
  effect: ChangeEffect = 'safe',
): Generator<Change> {
  for (const name of before) {
    if (isLeft(name)) continue;
    const message = `The ${what} "${name}" is removed.`;
    yield { kind: 'removed', pointer: section, message, effect, consent: false };
  }
}

function* compareRoles(before: ManifestDraft, after: ManifestDraft): Generator<Change> {
  const names = (manifest: ManifestDraft) =>
    new Set([...entriesOf(manifest.roles)].flatMap(([, role]) => role.name ?? []));
  const remaining = names(after);
  yield* lost(names(before), (name) => remaining.has(name), 'role', '/roles', 'breaking');
}
