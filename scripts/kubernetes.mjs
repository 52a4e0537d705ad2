// npm run k8s: prints the manifests of an overlay, as kubectl apply would send them, or the secrets that it needs, all or those
// named alone, with fresh values. docs/deployment/kubernetes.md says when.
import { stringify } from 'yaml';
import { handMadeSecrets, secretManifests } from './kubernetes/hand-made-secrets.mjs';
import { OVERLAYS, renderOverlay } from './kubernetes/render.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { serviceList } from './platform/services.mjs';
import { builtFile } from './root.mjs';
import { buildPackages } from './setup/packages.mjs';

const USAGE = `npm run --silent k8s -- render <overlay>
npm run --silent k8s -- secrets <overlay> [<name of a secret> …]
Overlays: ${OVERLAYS.join(', ')}`;

await runCommand(async () => {
  const [command, name, ...only] = process.argv.slice(2);
  const overlay = OVERLAYS.find((candidate) => candidate === name);
  const isUnderstood = command === 'secrets' || (command === 'render' && only.length === 0);
  if (!overlay || !isUnderstood) throw new PlainError(`Usage:\n${USAGE}`);
  const manifests = await renderOverlay(overlay);
  print(command === 'render' ? manifests : await secretsFor(manifests, only));
});

/** Those of the secrets that people make which an overlay refers to.
 * @param {readonly import('./kubernetes/render.mjs').Manifest[]} manifests @param {readonly string[]} only names of those to make; none: all
 * @throws {PlainError} for a name that the overlay does not refer to, or a value that only people know and that is missing */
async function secretsFor(manifests, only) {
  await buildPackages(['contracts']);
  /** @type {typeof import('../libs/contracts/src/databases.js')} */
  const { DATABASES } = await import(builtFile('libs/contracts', 'databases.js'));
  const { SERVICES } = await serviceList();
  const text = JSON.stringify(manifests);
  const needed = handMadeSecrets({ services: SERVICES, stateful: Object.keys(DATABASES) }).filter(({ name }) =>
    text.includes(`"name":"${name}"`),
  );
  const names = needed.map(({ name }) => name);
  const unknown = only.filter((name) => !names.includes(name));
  if (unknown.length > 0) {
    throw new PlainError(`No secret of this overlay: ${unknown.join(', ')}\nSecrets: ${names.join(', ')}`);
  }
  const chosen = needed.filter(({ name }) => only.length === 0 || only.includes(name));
  const { manifests: secrets, missing } = secretManifests(chosen, process.env);
  if (missing.length === 0) return secrets;
  const what = `These variables must hold what only you know: ${missing.join(', ')}`;
  throw new PlainError(`${what}\nExamples: docs/deployment/kubernetes.md`);
}

/** In YAML 1.1, which kubectl reads: there, a text such as `off` needs quotes, or it is a boolean.
 * @param {readonly object[]} manifests */
function print(manifests) {
  process.stdout.write(
    manifests.map((manifest) => stringify(manifest, { aliasDuplicateObjects: false, version: '1.1' })).join('---\n'),
  );
}
