import { EVENT_NAMES, EVENT_PATTERNS, isEventPattern } from '@crm/contracts';
import type { Check } from '../check.js';
import { entriesOf, type ManifestDraft } from '../draft.js';
import { pointer } from '../json-pointer.js';
import { knownEvents } from '../package-model.js';
import type { Problem } from '../problem.js';
import { suggestion } from '../suggestion.js';

/** Event names have the form `domain.action`. */
const EVENT_NAME = /^[a-z][a-z0-9_]*(?:\.[a-z][a-z0-9_]*)+$/;

export const EVT_001: Check = {
  id: 'EVT-001',
  title: 'Events exist in the catalogue',
  severity: 'blocker',
  doc: {
    why: 'A subscription to an event that does not exist is never triggered, and nobody notices.',
    fix: `Use the events of the platform (${EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}) or one that the package lists in \`service.produces\`. Webhooks and \`service.consumes\` can also name a domain of the platform: \`lead.*\` is every event of leads, also those that are added later. There is no pattern for all domains, and a trigger names one event.`,
  },
  *run({ manifest }) {
    const events = knownEvents(manifest);
    const patterns = new Set([...events, ...EVENT_PATTERNS]);
    for (const { name, at, isSubscription } of namedEvents(manifest)) {
      const known = isSubscription ? patterns : events;
      if (known.has(name)) continue;
      const message = isEventPattern(name)
        ? `"${name}" stands for several events; name one of them here.`
        : `There is no event "${name}".${suggestion(name, known)}`;
      yield { pointer: at, message };
    }
    yield* producedNames(manifest);
  },
};

interface NamedEvent {
  readonly name: string;
  readonly at: string;
  /** Whether the place takes a pattern, too. */
  readonly isSubscription: boolean;
}

function* namedEvents(manifest: ManifestDraft): Generator<NamedEvent> {
  for (const [i, automation] of entriesOf(manifest.automations)) {
    const { trigger } = automation;
    if (trigger?.type === 'event' && trigger.event !== undefined) {
      yield { name: trigger.event, at: pointer('automations', i, 'trigger', 'event'), isSubscription: false };
    }
    for (const [j, action] of entriesOf(automation.actions)) {
      if (action.type === 'emit_event' && action.name !== undefined) {
        yield { name: action.name, at: pointer('automations', i, 'actions', j, 'name'), isSubscription: false };
      }
    }
  }
  for (const [i, webhook] of entriesOf(manifest.webhooks)) {
    for (const [j, name] of entriesOf(webhook.events)) {
      yield { name, at: pointer('webhooks', i, 'events', j), isSubscription: true };
    }
  }
  for (const [i, name] of entriesOf(manifest.service?.consumes)) {
    yield { name, at: pointer('service', 'consumes', i), isSubscription: true };
  }
}

function* producedNames(manifest: ManifestDraft): Generator<Problem> {
  for (const [i, name] of entriesOf(manifest.service?.produces)) {
    if (EVENT_NAME.test(name)) continue;
    yield { pointer: pointer('service', 'produces', i), message: `"${name}" does not have the form domain.action.` };
  }
}
