import type { Check } from '../check.js';
import type { AppKind, Manifest } from '../schema/manifest.js';

/** A kind has its section when one of these is there and not empty. */
const SECTIONS: Readonly<Record<AppKind, readonly (keyof Manifest)[]>> = {
  data_connector: ['connector'],
  industry_app: ['objects', 'automations'],
  ai_assistant: ['assistant'],
  event_service: ['webhooks', 'service'],
};

export const MAN_005: Check = {
  id: 'MAN-005',
  title: 'The kind has its own section',
  severity: 'blocker',
  doc: {
    why: 'The kind tells a tenant what to expect of the app: a data connector has a `connector`, an industry app `objects` or `automations`, an AI assistant an `assistant`, an event-driven service `webhooks` or a `service`. Other sections are allowed besides.',
    fix: 'Add the section of the kind, or choose the kind that the package is.',
  },
  run({ manifest }) {
    if (manifest.kind === undefined) return { skip: 'The manifest has no valid kind.' };
    const sections = SECTIONS[manifest.kind];
    if (sections.some((name) => isPresent(manifest[name]))) return [];
    return [
      { pointer: '/kind', message: `A package of kind ${manifest.kind} needs the section ${sections.join(' or ')}.` },
    ];
  },
};

function isPresent(section: unknown): boolean {
  if (Array.isArray(section)) return section.length > 0;
  return typeof section === 'object' && section !== null && Object.keys(section).length > 0;
}
