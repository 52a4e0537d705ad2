import { parseUrl } from '@crm/address-policy';
import { patternsOf } from '@crm/contracts';
import { entriesOf, type ManifestDraft } from '../example.js';
import { judgeUrl, outboundUrls } from '../outbound-urls.js';
import { eventReferences } from '../package-model.js';
import { requestedScopes } from '../scope-usage.js';
import type { Attention, RawDifference } from './tree.js';

/** Both versions, for rules that need more than the difference. */
export interface Packages {
  readonly before: ManifestDraft;
  readonly after: ManifestDraft;
}

/** What a difference calls for, and why where it is not obvious; undefined leaves it to a later rule. */
export type Verdict = Attention | readonly [Attention, note: string] | undefined;

/** A path, `*` for any one name, `**` at its end for whatever is below, and what a difference there calls for. */
export type Rule = readonly [
  path: string,
  judge: Attention | ((difference: RawDifference, packages: Packages) => Verdict),
];

/** Returns whether an event is among the names, or one of them names its whole domain. */
const isCovered = (names: ReadonlySet<string>, event: string): boolean =>
  patternsOf(event).some((pattern) => names.has(pattern));

/** Returns whether a scope is among the names, or one of them is its scope for reading and writing. */
const isCoveredScope = (names: ReadonlySet<string>, scope: string): boolean =>
  names.has(scope) || names.has(scope.replace(/:read$/, ''));

/** Which hosts the package calls and which events it listens to, over all sections. */
export function* compareReach(before: ManifestDraft, after: ManifestDraft): Generator<RawDifference> {
  yield* compareNames('hosts', hostsOf(before), hostsOf(after), (names, name) => names.has(name));
  yield* compareNames('events', eventsOf(before), eventsOf(after), isCovered);
}

function* compareNames(
  what: string,
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  covers: (names: ReadonlySet<string>, name: string) => boolean,
): Generator<RawDifference> {
  for (const name of after) {
    if (!covers(before, name)) yield { steps: [what, name], kind: 'added', after: name };
  }
  for (const name of before) {
    if (!covers(after, name)) yield { steps: [what, name], kind: 'removed', before: name };
  }
}

const hostsOf = (manifest: ManifestDraft): ReadonlySet<string> =>
  new Set(outboundUrls(manifest).map(({ text }) => hostOfText(text)));

/** The host of a URL as it is written; the whole text where the platform would call none. */
function hostOfText(text: string): string {
  const verdict = judgeUrl(text, {});
  if (verdict.ok) return verdict.host;
  return parseUrl(text)?.hostname || text;
}

const eventsOf = (manifest: ManifestDraft): ReadonlySet<string> =>
  new Set([...eventReferences(manifest)].flatMap(({ name, by }) => (by === 'action' ? [] : name)));

/** The rules for what the app, those it talks to and its users reach, apart from the app's own objects. */
export const accessRules: readonly Rule[] = [
  ['permissions/*', scopeVerdict],
  [
    'permissions/*/optional',
    ({ kind }) => (kind === 'removed' ? ['access', 'Workspaces can no longer decline the scope.'] : undefined),
  ],
  [
    'roles/*',
    ({ kind }) => (kind === 'removed' ? ['loss', 'People with this role lose the access it gives.'] : undefined),
  ],
  ['hosts/*', onlyWhenAdded('New: the platform calls this host.')],
  ['events/*', onlyWhenAdded('New: the app receives this event.')],
  ['automations/*', hookVerdict],
  ['automations/*/trigger', hookVerdict],
  ['automations/*/trigger/type', hookVerdict],
  ['webhooks/*', webhookVerdict],
  ['webhooks/*/events/*', webhookEventVerdict],
  ['embed', onlyWhenAdded('New: hosts can frame the CRM.', 'Hosts can no longer frame the CRM.')],
  ['embed/allowedOrigins/*', onlyWhenAdded('New: pages of this origin can frame the CRM.')],
  ['embed/scopes/*', coveredVerdict(({ before }) => before.embed?.scopes)],
  [
    'embed/linkUsersBy',
    // The default is by e-mail address: what is removed or changed to it is the other one.
    ({ after }) =>
      after === 'explicit'
        ? undefined
        : ['access', 'New: host users are linked to existing accounts by email address.'],
  ],
  ['oauth', onlyWhenAdded('New: the app can act for users.', 'The app can no longer act for users.')],
  ['oauth/redirectUris/*', onlyWhenAdded('New: authorization codes are sent to this URI.')],
  ['assistant', onlyWhenAdded('New: an assistant can act in the workspace.')],
  ['assistant/tools/*', onlyWhenAdded('The assistant can do more.')],
  [
    'assistant/tools/*/scope',
    ({ before, after }) =>
      typeof before === 'string' && typeof after === 'string' && isCoveredScope(new Set([before]), after)
        ? undefined
        : ['access', 'The tool uses another scope.'],
  ],
  [
    'assistant/tools/*/readOnly',
    ({ before }) => (before === true ? ['access', 'The tool is no longer limited to reading.'] : undefined),
  ],
  [
    'assistant/tools/*/requiresConfirmation',
    ({ before }) => (before === true ? ['access', 'The tool no longer asks for confirmation.'] : undefined),
  ],
  ['assistant/mcpServers/*', onlyWhenAdded('The assistant uses this server.')],
  [
    'service/consumes/*',
    ({ kind, after }, { before }) =>
      kind === 'added' && !isCovered(textsOf(before.service?.consumes), String(after)) ? 'access' : undefined,
  ],
  ['listing/visibility', visibilityVerdict],
];

type Judge = Exclude<Rule[1], string>;

function onlyWhenAdded(added: string, removed?: string): Judge {
  return ({ kind }) => {
    if (kind === 'added') return ['access', added];
    return kind === 'removed' && removed !== undefined ? ['loss', removed] : 'behaviour';
  };
}

function scopeVerdict({ kind, after: added }: RawDifference, { before, after }: Parameters<Judge>[1]) {
  if (kind !== 'added') return 'behaviour';
  const { scope = '' } = added as { scope?: string };
  const old = requestedScopes(before);
  if (!isCoveredScope(new Set(old.map((request) => request.scope)), scope))
    return ['access', 'New: the app requests this scope.'] as const;
  const isMandatory = (requests: typeof old) =>
    requests.some((request) => !request.optional && isCoveredScope(new Set([request.scope]), scope));
  if (isMandatory(requestedScopes(after)) && !isMandatory(old)) {
    return ['access', 'Workspaces can no longer decline the scope.'] as const;
  }
  return 'behaviour';
}

/** An automation that starts with a call from outside has an address for it. */
function hookVerdict({ before, after }: RawDifference) {
  if (isHook(after) && !isHook(before))
    return ['access', 'New: outside systems can start it through a hook URL.'] as const;
  if (isHook(before) && !isHook(after)) return ['loss', 'Its hook URL stops working.'] as const;
  return 'behaviour';
}

/** @param json an automation, its trigger or the type of that */
function isHook(json: unknown): boolean {
  if (typeof json !== 'object' || json === null) return json === 'webhook_received';
  const { trigger, type } = json as { trigger?: { type?: unknown }; type?: unknown };
  return (trigger ? trigger.type : type) === 'webhook_received';
}

/** A webhook is found again by its URL: another path on a host that had these events before brings nobody anything new. */
function webhookVerdict({ kind, after }: RawDifference, { before }: Parameters<Judge>[1]) {
  if (kind !== 'added') return 'behaviour';
  const { url = '', events = [] } = after as { url?: string; events?: string[] };
  const known = receiversOf(before).byHost.get(hostOfText(url)) ?? new Set();
  if (events.every((event) => isCovered(known, event))) return 'behaviour';
  return ['access', "New: this URL receives events that its host didn't receive."] as const;
}

function webhookEventVerdict({ kind, steps: [, url = ''], after }: RawDifference, { before }: Parameters<Judge>[1]) {
  if (kind !== 'added') return 'behaviour';
  const known = receiversOf(before).byUrl.get(url) ?? new Set();
  return isCovered(known, String(after))
    ? 'behaviour'
    : (['access', 'New: this URL also receives this event.'] as const);
}

interface Receivers {
  readonly byHost: ReadonlyMap<string, ReadonlySet<string>>;
  readonly byUrl: ReadonlyMap<string, ReadonlySet<string>>;
}

/** Read once for each package: it is asked for with every webhook. */
const receivers = new WeakMap<ManifestDraft, Receivers>();

function receiversOf(manifest: ManifestDraft): Receivers {
  const known = receivers.get(manifest);
  if (known) return known;
  const [byHost, byUrl] = [new Map<string, Set<string>>(), new Map<string, Set<string>>()];
  for (const [, { url = '', events }] of entriesOf(manifest.webhooks)) {
    const names = textsOf(events);
    const host = hostOfText(url);
    const ofHost = byHost.get(host) ?? new Set();
    for (const name of names) ofHost.add(name);
    byHost.set(host, ofHost);
    // The first of several with one URL has its name; the others are told apart by their turn.
    if (!byUrl.has(url)) byUrl.set(url, new Set(names));
  }
  const found = { byHost, byUrl };
  receivers.set(manifest, found);
  return found;
}

function coveredVerdict(
  scopesOf: (packages: Parameters<Judge>[1]) => readonly (string | undefined)[] | undefined,
): Judge {
  return ({ kind, after }, packages) =>
    kind === 'added' && !isCoveredScope(textsOf(scopesOf(packages)), String(after)) ? 'access' : 'behaviour';
}

const VISIBILITIES = ['private', 'unlisted', 'public'];

/** Absent means public. */
function visibilityVerdict({ before = 'public', after = 'public' }: RawDifference) {
  const widens = VISIBILITIES.indexOf(String(after)) > VISIBILITIES.indexOf(String(before));
  return widens ? (['access', 'More workspaces can find and install the app.'] as const) : 'behaviour';
}

const textsOf = (list: readonly (string | undefined)[] | undefined): ReadonlySet<string> =>
  new Set([...entriesOf(list)].map(([, text]) => text));
