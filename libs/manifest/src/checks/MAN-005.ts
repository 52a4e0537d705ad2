import type { Check } from '../check.js';
import type { AppKind, Manifest } from '../schema/manifest.js';

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
    why: 'The kind tells a tenant what to expect from the app: a data connector has a `connector`, an industry app `objects` or `automations`, an AI assistant an `assistant`, an event-driven service `webhooks` or a `service`. Other sections are also allowed.',
    fix: 'Add the section that the kind requires, or choose the kind that fits the package.',
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
