import type { Check } from '../check.js';

export const LST_001: Check = {
  id: 'LST-001',
  title: 'The listing has a summary, support, privacy and terms',
  severity: 'warning',
  doc: {
    why: 'Tenants want to know in a sentence what the app does, whom to ask, and what becomes of their data.',
    fix: 'Fill `listing.summary`, `publisher.supportEmail`, `publisher.privacyUrl` and `publisher.termsUrl`.',
  },
  run({ manifest: { listing, publisher } }) {
    const wanted: [at: string, value: string | undefined, what: string][] = [
      ['/listing/summary', listing?.summary, 'summary'],
      ['/publisher/supportEmail', publisher?.supportEmail, 'address for support'],
      ['/publisher/privacyUrl', publisher?.privacyUrl, 'privacy page'],
      ['/publisher/termsUrl', publisher?.termsUrl, 'page of terms'],
    ];
    return wanted
      .filter(([, value]) => value === undefined || value.trim() === '')
      .map(([pointer, , what]) => ({ pointer, message: `The package has no ${what}.` }));
  },
};
