import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { SERVICES as ALL } from '../../../libs/contracts/src/services.js';
import { inRoot } from '../../root.mjs';
import { renderOverlay } from '../render.mjs';
import { composeProblems } from './compose.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

const FILE = inRoot('docker-compose.yml');
const SERVICES = ['gateway', 'identity'];
const SAMPLE = `
services:
  gateway:
    environment: &gateway
      PORT: 8080
      OPS_PORT: 9080
      IDENTITY_URL: http://identity:4001
      CUSTOM_OBJECTS_URL: http://custom-objects:4003
      MARKETPLACE_URL: http://marketplace-certification:4004
      AUTOMATIONS_URL: http://automation-hooks:4005
      WEBHOOKS_URL: http://webhook-dispatcher:4006
  identity:
    environment: { PORT: 4001, OPS_PORT: 5001 }
  nats: { image: nats:2.11.17-alpine }
  postgres: { image: docker.io/library/postgres:18.6-trixie }
  mailpit: { image: axllent/mailpit:v1.30.7 }
`;

/** @type {Manifest[]} */
let dev;
beforeAll(async () => {
  dev = await renderOverlay('dev');
});

/** @param {string} text */
const composeOf = (text) => parse(text, { merge: true });

describe('compose and the manifests', () => {
  it('agree on services, ports, addresses and versions', async () => {
    const hasFile = existsSync(FILE);
    const text = hasFile ? await readFile(FILE, 'utf8') : SAMPLE;
    expect(composeProblems(dev, composeOf(text), hasFile ? ALL : SERVICES)).toEqual([]);
  });

  it.each([
    ['another port', 'PORT: 4001', 'PORT: 4002', 'identity: PORT is 4001 here and 4002 in compose'],
    [
      'another address',
      'http://automation-hooks:4005',
      'http://hooks:4005',
      'gateway: AUTOMATIONS_URL is http://automation-hooks:4005 here and http://hooks:4005 in compose',
    ],
    ['a missing service', '  identity:\n', '  accounts:\n', 'identity: it is not in both'],
    ['another NATS', '2.11.17', '2.10.0', 'nats is of version 2.11.17-alpine here and 2.10.0-alpine in compose'],
    [
      'another PostgreSQL',
      ':18.6',
      ':17.2',
      'postgres is of version 18.6-standard-trixie here and 17.2-trixie in compose',
    ],
  ])('are found to disagree on %s', (_what, text, other, problem) => {
    expect(composeProblems(dev, composeOf(SAMPLE.replace(text, other)), SERVICES)).toEqual([problem]);
  });
});
