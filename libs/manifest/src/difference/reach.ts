import { parseUrl } from '@crm/address-policy';
import { entriesOf, type ManifestDraft } from '../draft.js';
import { judgeUrl, outboundUrls } from '../outbound-urls.js';
import type { RawDifference } from './compare-trees.js';
import { isCovered } from './coverage.js';

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

export const hostsOf = (manifest: ManifestDraft): ReadonlySet<string> =>
  new Set(outboundUrls(manifest).map(({ text }) => hostOfText(text)));

/** The host of a URL as it is written; the whole text where the platform would call none. */
export function hostOfText(text: string): string {
  const verdict = judgeUrl(text, {});
  if (verdict.ok) return verdict.host;
  return parseUrl(text)?.hostname || text;
}

function eventsOf(manifest: ManifestDraft): ReadonlySet<string> {
  const events = new Set<string>();
  for (const [, { trigger }] of entriesOf(manifest.automations)) {
    if (trigger?.type === 'event' && trigger.event !== undefined) events.add(trigger.event);
  }
  for (const [, webhook] of entriesOf(manifest.webhooks)) {
    for (const [, name] of entriesOf(webhook.events)) events.add(name);
  }
  for (const [, name] of entriesOf(manifest.service?.consumes)) events.add(name);
  return events;
}
