import { readFile } from 'node:fs/promises';
import { inRoot } from '../root.mjs';

/** The example package that the demo submits, under a key of its own so that it can run again. */
export async function examplePackage(/** @type {string} */ key) {
  const [manifest, reviewPacket] = await Promise.all(
    ['app.json', 'review-packet.json'].map(async (name) =>
      JSON.parse(await readFile(inRoot('examples', 'industry-app', name), 'utf8')),
    ),
  );
  // The attestation of the example names the hash of the example; this is another package.
  const { manifestSha256: _, ...sandboxAttestation } = reviewPacket.sandboxAttestation;
  return { manifest: { ...manifest, key }, reviewPacket: { ...reviewPacket, sandboxAttestation } };
}

/** A package with so many objects that no Business workspace has capacity for it beside another. */
export function threeObjectPackage(/** @type {string} */ key) {
  return {
    key,
    name: 'Three objects',
    version: '1.0.0',
    kind: 'industry_app',
    permissions: [{ scope: 'custom_objects', purpose: 'keeps its records' }],
    objects: ['north', 'east', 'south'].map((apiName) => ({
      apiName,
      label: apiName,
      pluralLabel: apiName,
      fields: [{ apiName: 'name', label: 'Name', type: 'text', required: true }],
    })),
  };
}

/** A package with one mistake of each kind that certification is asked to find. */
export function brokenPackage(/** @type {string} */ key) {
  return {
    key,
    name: 'Broken',
    version: '1.0.0',
    kind: 'event_service',
    permissions: ['everything'],
    webhooks: [{ events: ['lead.created'], url: 'https://10.0.0.1/' }],
    surprise: true,
  };
}

/** A package of an app that embeds the CRM. */
export function embeddingPackage(/** @type {string} */ key) {
  return {
    key,
    name: 'Embedded pipeline',
    version: '1.0.0',
    kind: 'event_service',
    permissions: [
      { scope: 'leads', purpose: 'shows leads in the host' },
      { scope: 'custom_objects', purpose: 'shows records in the host' },
    ],
    webhooks: [{ events: ['lead.created'], url: 'https://hooks.acme.example.com/leads', description: 'new leads' }],
    embed: { allowedOrigins: ['https://host.example.com'], scopes: ['leads', 'custom_objects'], linkUsersBy: 'email' },
  };
}

/** A review packet that says what has to be said. */
export const REVIEW_PACKET = {
  demoVideo: 'https://videos.acme.example.com/tour',
  sandboxAttestation: { testedBy: 'QA of Acme', statement: 'Installed and tried in a sandbox.' },
  securityQuestionnaire: { storesPersonalData: 'no', encryptsInTransit: 'yes' },
  testInstructions: 'Install it, create a record, look at the list.',
};
