// npm run k8s -- render <overlay>    prints the manifests of an overlay, as kubectl apply would send them
// npm run k8s -- secrets <overlay>   prints the secrets that it needs, with fresh values (docs/deployment/kubernetes.md)
import { stringify } from 'yaml';
import { handMadeSecrets, secretManifests } from './kubernetes/hand-made-secrets.mjs';
import { OVERLAYS, renderOverlay } from './kubernetes/render.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { serviceList } from './platform/services.mjs';
import { builtFile } from './root.mjs';
import { buildPackages } from './setup/build.mjs';

const USAGE = `npm run --silent k8s -- render|secrets ${OVERLAYS.join('|')}`;

await runCommand(async () => {
  const [command, name] = process.argv.slice(2);
  const overlay = OVERLAYS.find((candidate) => candidate === name);
  if (!overlay || (command !== 'render' && command !== 'secrets')) throw new PlainError(`Usage: ${USAGE}`);
  const manifests = await renderOverlay(overlay);
  print(command === 'render' ? manifests : await secretsFor(manifests));
});

/**
 * Those of the secrets that people make which an overlay refers to.
 * @param {readonly import('./kubernetes/render.mjs').Manifest[]} manifests
 */
async function secretsFor(manifests) {
  await buildPackages(['@crm/contracts']);
  /** @type {typeof import('../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const { SERVICES } = await serviceList();
  const text = JSON.stringify(manifests);
  const needed = handMadeSecrets({ services: SERVICES, stateful: Object.keys(DATABASES) }).filter(({ name }) =>
    text.includes(`"name":"${name}"`),
  );
  const { manifests: secrets, missing } = secretManifests(needed, process.env);
  if (missing.length > 0) {
    throw new PlainError(
      `These variables must hold what only you know: ${missing.join(', ')}\nExamples: docs/deployment/kubernetes.md`,
    );
  }
  return secrets;
}

/** @param {readonly object[]} manifests */
function print(manifests) {
  process.stdout.write(
    manifests.map((manifest) => stringify(manifest, { aliasDuplicateObjects: false })).join('---\n'),
  );
}
