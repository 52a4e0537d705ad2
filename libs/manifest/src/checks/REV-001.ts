import { parseUrl } from '@crm/address-policy';
import type { Check } from '../check.js';
import { textsIn } from '../json-texts.js';
import type { Problem } from '../problem.js';
import { REVIEW_COMPONENTS } from '../schema/review-packet.js';

export const REV_001: Check = {
  id: 'REV-001',
  title: 'The review packet has its four components',
  severity: 'blocker',
  doc: {
    why: 'Operators review an app with the help of its demo video, the attestation that it was tested in a sandbox, the security questionnaire and the test instructions. An attestation that names a hash must refer to exactly this package.',
    fix: 'Fill in `demoVideo` (an https URL), `sandboxAttestation`, `securityQuestionnaire` and `testInstructions`. After changing the manifest, repeat the sandbox test and put the new hash into the attestation.',
  },
  run({ reviewPacket, mode, manifestSha256 }) {
    if (reviewPacket === undefined || reviewPacket === null) {
      if (mode === 'certification') return { skip: 'There is no review packet. A submission needs one.' };
      return [{ pointer: '', message: 'A submission needs a review packet.' }];
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
    if (isEmpty(packet.get(name)))
      yield { pointer: `/${name}`, message: `The component "${name}" is missing or empty.` };
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
  const message = `The attestation refers to another manifest. This one has the SHA-256 ${manifestSha256}.`;
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
