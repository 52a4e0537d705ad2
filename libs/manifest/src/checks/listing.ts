import { parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { entriesOf } from '../example.js';
import { pointer } from '../json-pointer.js';
import type { Problem } from '../problem.js';
import { REVIEW_COMPONENTS } from '../schema/manifest.js';
import { textsIn } from '../source/json-source.js';

export const LST_001: Check = {
  id: 'LST-001',
  title: 'The listing has a summary, support, privacy, and terms',
  severity: 'warning',
  doc: {
    why: 'Before they install, people want to know what the app does, where to get help, and what happens to their data.',
    fix: 'Fill in `listing.summary`, `publisher.supportEmail`, `publisher.privacyUrl` and `publisher.termsUrl`. Links must be https (or http) URLs; pictures can also be `data:image/…` URLs.',
  },
  run({ manifest: { listing, publisher } }) {
    const wanted: [at: string, value: string | undefined, what: string][] = [
      ['/listing/summary', listing?.summary, 'summary'],
      ['/publisher/supportEmail', publisher?.supportEmail, 'support address'],
      ['/publisher/privacyUrl', publisher?.privacyUrl, 'privacy page'],
      ['/publisher/termsUrl', publisher?.termsUrl, 'terms page'],
    ];
    return [
      ...wanted
        .filter(([, value]) => value === undefined || value.trim() === '')
        .map(([at, , what]) => ({ pointer: at, message: `Add a ${what}.` })),
      ...links([
        ['/publisher/website', publisher?.website],
        ['/publisher/privacyUrl', publisher?.privacyUrl],
        ['/publisher/termsUrl', publisher?.termsUrl],
      ]),
      ...pictures([
        ['/listing/icon', listing?.icon],
        ...[...entriesOf(listing?.screenshots)].map(
          ([i, url]): ListedUrl => [pointer('listing', 'screenshots', i), url],
        ),
      ]),
    ];
  },
};

type ListedUrl = [at: string, value: string | undefined];

function links(listed: readonly ListedUrl[]): Problem[] {
  return listed
    .filter(([, value]) => !['', 'http:', 'https:'].includes(schemeOf(value)))
    .map(([at]) => ({ pointer: at, message: 'A link must be an https URL.' }));
}

function pictures(listed: readonly ListedUrl[]): Problem[] {
  return listed
    .filter(([, value]) => !['', 'http:', 'https:'].includes(schemeOf(value)) && !/^data:image\//i.test(value ?? ''))
    .map(([at]) => ({ pointer: at, message: 'A picture must be an https URL.' }));
}

/** The scheme as a browser reads it, ignoring leading white space; empty when the text is not an absolute URL. */
function schemeOf(value: string | undefined): string {
  return (value !== undefined && parseUrl(value)?.protocol) || '';
}

export const REV_001: Check = {
  id: 'REV-001',
  title: 'The review packet has its four components',
  severity: 'blocker',
  doc: {
    why: 'Operators review an app with its demo video, sandbox attestation, security questionnaire, and test instructions. If the attestation includes a hash, it must match this package.',
    fix: 'Fill in `demoVideo` (an https URL), `sandboxAttestation`, `securityQuestionnaire` and `testInstructions`. After changing the manifest, repeat the sandbox test and update the hash in the attestation.',
  },
  run({ reviewPacket, mode, manifestSha256 }) {
    if (reviewPacket === undefined || reviewPacket === null) {
      if (mode === 'certification') return { skip: 'There is no review packet. Add one to submit the app.' };
      return [{ pointer: '', message: 'Add a review packet to submit the app.' }];
    }
    if (typeof reviewPacket !== 'object' || Array.isArray(reviewPacket)) {
      return [{ pointer: '', message: 'The review packet must be an object.' }];
    }
    const packet = new Map(Object.entries(reviewPacket));
    return [
      ...missingComponents(packet),
      ...demoVideo(packet.get('demoVideo')),
      ...attestedHash(packet.get('sandboxAttestation'), manifestSha256),
    ];
  },
};

function* missingComponents(packet: ReadonlyMap<string, unknown>): Generator<Problem> {
  for (const name of REVIEW_COMPONENTS) {
    if (isEmpty(packet.get(name))) yield { pointer: `/${name}`, message: `"${name}" is missing or empty.` };
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return true;
  if (typeof value === 'string') return value.trim() === '';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function* demoVideo(value: unknown): Generator<Problem> {
  if (isEmpty(value)) return;
  if (typeof value === 'string' && parseUrl(value)?.protocol === 'https:') return;
  yield { pointer: '/demoVideo', message: 'The demo video must be an https URL.' };
}

/** A SHA-256 in a text: exactly 64 hexadecimal digits. */
const HASH = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/gi;

/**
 * The hash is the value of the key `manifestSha256` or, without that key, 64 hexadecimal digits in any text of the
 * attestation. With the key, texts may contain other hashes, such as that of a report.
 */
function* attestedHash(attestation: unknown, manifestSha256: string): Generator<Problem> {
  const message = `This attestation is for a different manifest. Test again and use SHA-256 ${manifestSha256}.`;
  if (typeof attestation === 'object' && attestation !== null && Object.hasOwn(attestation, 'manifestSha256')) {
    const { manifestSha256: named } = attestation as { manifestSha256: unknown };
    if (typeof named === 'string' && named.toLowerCase() === manifestSha256) return;
    yield { pointer: '/sandboxAttestation/manifestSha256', message };
    return;
  }
  for (const [text, at] of textsIn(attestation, '/sandboxAttestation')) {
    const hashes = text.match(HASH) ?? [];
    if (hashes.some((hash) => hash.toLowerCase() !== manifestSha256)) yield { pointer: at, message };
  }
}
