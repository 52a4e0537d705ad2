import { EVENT_NAMES } from '@crm/contracts';
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
    fix: `Use the events of the platform (${EVENT_NAMES.map((name) => `\`${name}\``).join(', ')}) or one that the package lists in \`service.produces\`.`,
  },
  *run({ manifest }) {
    const known = knownEvents(manifest);
    for (const [name, at] of namedEvents(manifest)) {
      if (known.has(name)) continue;
      yield { pointer: at, message: `There is no event "${name}".${suggestion(name, known)}` };
    }
    yield* producedNames(manifest);
  },
};

function* namedEvents(manifest: ManifestDraft): Generator<[name: string, at: string]> {
  for (const [i, automation] of entriesOf(manifest.automations)) {
    const { trigger } = automation;
    if (trigger?.type === 'event' && trigger.event !== undefined) {
      yield [trigger.event, pointer('automations', i, 'trigger', 'event')];
    }
    for (const [j, action] of entriesOf(automation.actions)) {
      if (action.type === 'emit_event' && action.name !== undefined) {
        yield [action.name, pointer('automations', i, 'actions', j, 'name')];
      }
    }
  }
  for (const [i, webhook] of entriesOf(manifest.webhooks)) {
    for (const [j, name] of entriesOf(webhook.events)) yield [name, pointer('webhooks', i, 'events', j)];
  }
  for (const [i, name] of entriesOf(manifest.service?.consumes)) yield [name, pointer('service', 'consumes', i)];
}

function* producedNames(manifest: ManifestDraft): Generator<Problem> {
  for (const [i, name] of entriesOf(manifest.service?.produces)) {
    if (EVENT_NAME.test(name)) continue;
    yield { pointer: pointer('service', 'produces', i), message: `"${name}" does not have the form domain.action.` };
  }
}
