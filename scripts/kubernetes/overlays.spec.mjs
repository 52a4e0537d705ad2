import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, stringify } from 'yaml';
import { CALLERS_OF_THE_INTERNET, COUNTERS_OF_LIMITS, SENDERS_OF_MAIL } from '../../libs/contracts/src/connections.js';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { serviceVariables } from '../deployment/service-variables.mjs';
import { inRoot } from '../root.mjs';
import { CONTEXT, OVERLAY_SETTINGS } from './contracts.mjs';
import { find, ofKind, podOf } from './manifests.mjs';
import { OVERLAYS, renderFolder, renderOverlay } from './render.mjs';
import { agreementProblems } from './rules/agreement.mjs';
import { variableProblems } from './rules/environment.mjs';
import { manifestProblems } from './rules/index.mjs';

/** @typedef {import('./render.mjs').Manifest} Manifest */

/** @type {Map<(typeof OVERLAYS)[number], Promise<Manifest[]>>} */
const known = new Map();

/** @param {(typeof OVERLAYS)[number]} overlay */
function rendered(overlay) {
  const manifests = known.get(overlay) ?? renderOverlay(overlay);
  known.set(overlay, manifests);
  return manifests;
}

describe.each(OVERLAYS)('the overlay %s', (overlay) => {
  it('renders, and no rule finds anything', async () => {
    const manifests = await rendered(overlay);
    expect(manifests.length).toBeGreaterThan(60);
    expect(await manifestProblems(manifests, CONTEXT, OVERLAY_SETTINGS[overlay])).toEqual([]);
  });
});

describe('addresses.yaml of production', () => {
  it('is the only place to change an address', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'crm-k8s-'));
    try {
      await cp(inRoot('k8s'), folder, { recursive: true });
      const file = path.join(folder, 'overlays', 'production', 'addresses.yaml');
      const addresses = parse(await readFile(file, 'utf8'));
      // Whatever stands there: whoever runs the platform has their own, and runs this test on them.
      const { api, embed, operators, mailFrom } = addresses.data;
      addresses.data = {
        api: 'api.crm.acme.test',
        embed: 'embed.crm.acme.test',
        operators: 'operators.crm.acme.test',
        pods: '10.0.0.0/8',
        mailFrom: 'CRM platform <no-reply@crm.acme.test>',
      };
      await writeFile(file, stringify(addresses));
      const manifests = await renderFolder(path.join(folder, 'overlays', 'production'));
      expect(agreementProblems(manifests, CONTEXT)).toEqual([]);
      const rendered = JSON.stringify(manifests);
      for (const before of [api, embed, operators, mailFrom]) expect(rendered).not.toContain(before);
      expect(rendered).toContain('CRM platform <no-reply@crm.acme.test>');
      expect(rendered).toContain('"TRUSTED_PROXIES":"10.0.0.0/8"');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

// These two are here, and not beside the other rules, because they load the configuration of every service.
/**
 * What the rules find in one workload of production, broken.
 * @param {string} kind
 * @param {string} name
 * @param {(env: any[]) => void} breakIt
 */
async function problemsWith(kind, name, breakIt) {
  const all = await rendered('production');
  const workload = structuredClone(/** @type {Manifest} */ (find(all, kind, name)));
  breakIt(podOf(workload).spec.containers[0].env);
  return variableProblems([workload, ...ofKind(all, 'ConfigMap')], CONTEXT);
}

/** @param {any[]} env @param {string} name */
const at = (env, name) => env.findIndex((entry) => entry.name === name);

describe('the rules for variables', () => {
  it('find a variable that a service does not read', async () => {
    const problems = await problemsWith('Deployment', 'gateway', (env) => env.push({ name: 'RATE_LIMIT', value: '1' }));
    expect(problems).toEqual(['Deployment/gateway: RATE_LIMIT is not a variable of gateway']);
  });

  it('find a required variable that is missing', async () => {
    const problems = await problemsWith('Deployment', 'gateway', (env) => env.splice(at(env, 'IDENTITY_URL'), 1));
    expect(problems).toEqual(['Deployment/gateway: IDENTITY_URL is not set']);
  });

  it('find a value that a service refuses, and one that is refused in production', async () => {
    const invalid = await problemsWith('Deployment', 'gateway', (env) =>
      env.push({ name: 'UPSTREAM_TIMEOUT_MS', value: '30s' }),
    );
    expect(invalid).toEqual([
      expect.stringMatching(/^Deployment\/gateway: UPSTREAM_TIMEOUT_MS must be a whole number/),
    ]);
    const exception = await problemsWith('Deployment', 'webhook-dispatcher', (env) =>
      env.push({ name: 'EGRESS_ALLOW', value: '10.0.0.1:443' }),
    );
    expect(exception).toEqual([expect.stringMatching(/^Deployment\/webhook-dispatcher: .*EGRESS_ALLOW/)]);
  });

  it('find a reference to a variable that is only set after it', async () => {
    const problems = await problemsWith('Deployment', 'identity', (env) =>
      env.push(...env.splice(at(env, 'DATABASE_PASSWORD'), 1)),
    );
    expect(problems).toContain(
      'Deployment/identity: DATABASE_URL refers to DATABASE_PASSWORD, which is not set before it',
    );
  });

  it('find a file of a certificate that is not mounted', async () => {
    const problems = await problemsWith('Deployment', 'gateway', (env) => {
      env[at(env, 'UPSTREAM_CA_FILE')].value = '/etc/crm/tls/authority.crt';
    });
    expect(problems).toEqual([
      'Deployment/gateway: UPSTREAM_CA_FILE is /etc/crm/tls/authority.crt, and no secret is mounted there that has ca.crt',
    ]);
  });

  it('find a password that the migration lacks, and a variable that it does not read', async () => {
    const problems = await problemsWith('Job', 'migrate', (env) => {
      env.splice(at(env, 'IDENTITY_OWNER_PASSWORD'), 1);
      env.push({ name: 'LOG_LEVEL', value: 'info' });
    });
    expect(problems).toEqual([
      'Job/migrate: IDENTITY_OWNER_PASSWORD is not set',
      'Job/migrate: LOG_LEVEL is not a variable of migrate',
    ]);
  });
});

describe('the connections of the contracts', () => {
  it('lead to the internet, to mail and to Redis from the services whose configuration has something to do with them', async () => {
    /** @type {Record<'EGRESS_ALLOW' | 'REDIS_URL' | 'SMTP_URL', string[]>} */
    const having = { EGRESS_ALLOW: [], REDIS_URL: [], SMTP_URL: [] };
    // One after the other: Jest cannot load a module of ours twice at the same time.
    for (const service of SERVICES) {
      const { known } = await serviceVariables(service);
      if (known.includes('EGRESS_ALLOW')) having.EGRESS_ALLOW.push(service);
      if (known.includes('REDIS_URL')) having.REDIS_URL.push(service);
      if (known.includes('SMTP_URL')) having.SMTP_URL.push(service);
    }
    expect(having.EGRESS_ALLOW).toEqual(CALLERS_OF_THE_INTERNET);
    expect(having.REDIS_URL).toEqual(COUNTERS_OF_LIMITS);
    expect(having.SMTP_URL).toEqual(SENDERS_OF_MAIL);
  });
});
