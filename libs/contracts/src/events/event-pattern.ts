import { CORE_OBJECTS } from '../objects.js';
import type { Scope } from '../rights.js';
import { EVENT_NAMES, type EventName } from './catalogue.js';
import type { EventEnvelope } from './envelope.js';

type DomainOf<Name extends string> = Name extends `${infer Domain}.${string}` ? Domain : never;

/** The first part of an event's name. */
export type EventDomain = DomainOf<EventName>;

/**
 * What a subscription names: an event, or `<domain>.*` for every event of a domain, including events that join the
 * domain later. There is no pattern for everything: scopes are given by domain.
 */
export type EventPattern = EventName | `${EventDomain}.*`;

const EVENTS_BY_PATTERN: ReadonlyMap<string, readonly EventName[]> = groupByPattern();

/** Every pattern of the vocabulary: the events, then the domains. */
export const EVENT_PATTERNS = [...EVENTS_BY_PATTERN.keys()] as readonly EventPattern[];

export function isEventPattern(value: string): value is EventPattern {
  return EVENTS_BY_PATTERN.has(value);
}

/** The events that a pattern stands for today; none for an unknown one. */
export function eventsOf(pattern: string): readonly EventName[] {
  return EVENTS_BY_PATTERN.get(pattern) ?? [];
}

/**
 * The part before the first dot; empty without one.
 * @param name of an event, or a pattern
 */
export function domainOf(name: string): string {
  return name.slice(0, Math.max(0, name.indexOf('.')));
}

/**
 * The two patterns that match an event, the event itself and its domain, for looking up its subscriptions. It reads the
 * name alone, so it also holds for an event of a version of the platform that is newer than this process.
 */
export function patternsOf(event: string): readonly [event: string, domain: string] {
  return [event, `${domainOf(event)}.*`];
}

/** Returns whether one of the patterns matches an event. Like {@link patternsOf} it reads the names alone. */
export function matchesEvent(patterns: readonly string[], event: string): boolean {
  const [name, domain] = patternsOf(event);
  return patterns.includes(name) || patterns.includes(domain);
}

function groupByPattern(): Map<string, EventName[]> {
  const groups = new Map<string, EventName[]>(EVENT_NAMES.map((name) => [name, [name]]));
  for (const name of EVENT_NAMES) {
    const [, domain] = patternsOf(name);
    const events = groups.get(domain);
    if (events) events.push(name);
    else groups.set(domain, [name]);
  }
  return groups;
}

/**
 * Scopes are given by domain, so that a pattern such as `lead.*` needs the same one as each of its events, also of those
 * that join the domain later. Other domains need none: of `app` and of `webhook` an app receives only what concerns itself and its own
 * endpoints.
 */
const SCOPES_BY_DOMAIN: ReadonlyMap<string, Scope> = new Map<string, Scope>([
  ...Object.values(CORE_OBJECTS).map(({ domain, scope }) => [domain, `${scope}:read`] as const),
  ['record', 'custom_objects:read'],
  ['user', 'users:read'],
]);

/**
 * The scope that an app needs to receive an event, or every event that a pattern stands for; undefined when it needs none.
 * @param event `domain.action` or `domain.*`
 */
export function eventScope(event: string): Scope | undefined {
  return SCOPES_BY_DOMAIN.get(domainOf(event));
}

/** Domains whose events name the apps that can see them in `appkeys`. */
const NAMES_ITS_APPS: ReadonlySet<string> = new Set(['record', 'webhook', 'submission']);

/** An installation to which an event may go. */
export interface InstalledApp {
  readonly appKey: string;
  readonly installationId: string | null;
  readonly sandbox: boolean;
}

/**
 * Returns whether an installation can learn of an event, apart from its scopes. Events of custom objects name the installation that the
 * object belongs to and the apps that it is shared with, but for their sandboxes; events of an endpoint the installation that it
 * belongs to, if any; events of submissions none, because only their publisher is concerned. What else a workspace has installed
 * concerns no app. All others are open to every installation that has the scope.
 */
export function isVisibleToApp(
  { type, data, appkeys = '', installationid }: Pick<EventEnvelope, 'type' | 'data' | 'appkeys' | 'installationid'>,
  { appKey, installationId, sandbox }: InstalledApp,
): boolean {
  if (domainOf(type) === 'app') return data.appKey === appKey;
  if (!NAMES_ITS_APPS.has(domainOf(type))) return true;
  const place = appkeys.split(' ').indexOf(appKey);
  return installationid === installationId || (!sandbox && place > 0);
}
