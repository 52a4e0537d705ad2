import type { Check } from '../check.js';
import type { Problem } from '../problem.js';
import { REVIEW_COMPONENTS } from '../schema/review-packet.js';

export const REV_001: Check = {
  id: 'REV-001',
  title: 'The review packet has its four components',
  severity: 'blocker',
  doc: {
    why: 'Operators review an app with its demo video, the attestation that it was tried in a sandbox, the security questionnaire and instructions for trying it. An attestation that names a hash must be about this very package.',
    fix: 'Fill `demoVideo` (an https URL), `sandboxAttestation`, `securityQuestionnaire` and `testInstructions`. Repeat the sandbox test after changing the manifest and put its new hash into the attestation.',
  },
  run({ reviewPacket, mode, manifestSha256 }) {
    if (reviewPacket === undefined || reviewPacket === null) {
      if (mode === 'certification') return { skip: 'There is no review packet; a submission needs one.' };
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
  if (typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:') return;
  yield { pointer: '/demoVideo', message: 'The demo video must be an https URL.' };
}

/** A hash is named by the key `manifestSha256`, or by 64 hexadecimal digits in a text. */
function* attestedHash(attestation: unknown, manifestSha256: string): Generator<Problem> {
  const object = typeof attestation === 'object' && attestation !== null ? attestation : undefined;
  const named =
    object && Object.hasOwn(object, 'manifestSha256')
      ? (object as { manifestSha256: unknown }).manifestSha256
      : undefined;
  const inText = typeof attestation === 'string' ? attestation.match(/\b[0-9a-f]{64}\b/gi) : null;
  const hashes = named === undefined ? (inText ?? []) : [named];
  for (const hash of hashes) {
    if (typeof hash === 'string' && hash.toLowerCase() === manifestSha256) continue;
    const pointer = object ? '/sandboxAttestation/manifestSha256' : '/sandboxAttestation';
    yield {
      pointer,
      message: `The attestation is about another manifest; this one has the SHA-256 ${manifestSha256}.`,
    };
  }
}
