import path from 'node:path';
import shared from '../jest.config.mjs';

// Coverage and the like are settings of the run, not of a project.
const { collectCoverageFrom, coverageProvider, testTimeout, ...ofProjects } = shared;
const inScripts = (/** @type {string} */ name) => path.resolve(import.meta.dirname, '..', 'scripts', name);
const project = {
  ...ofProjects,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>'],
  testEnvironment: inScripts('jest-environment.cjs'),
  resolver: inScripts('jest-resolver.cjs'),
  runtime: inScripts('jest-runtime.cjs'),
};

// Most end-to-end tests go through the public addresses of one platform, which runs as `npm start` runs it, on free ports and
// throwaway data.
const onPlatform = {
  ...project,
  globalSetup: '<rootDir>/platform/start.mjs',
  globalTeardown: '<rootDir>/platform/stop.mjs',
};
// They kill its processes or nodes of its database, withdraw its keys, call every route of every service, or listen at the one address that it has for a receiver.
const ALONE = [
  'access/matrix',
  'access/odd-requests',
  'access/kill-switch',
  'account/single-sign-on',
  'erased-record',
  'journey',
  'listen',
  'nodes.cluster',
  'observability',
  'stream-lost',
  'survives-kill',
  'tracing',
];
const alone = ALONE.flatMap((name) => [`<rootDir>/${name}.spec.ts`, `<rootDir>/${name}.all.spec.ts`]);
// These bring servers and services of their own, because they kill or lose them.
const OWN_SERVERS = ['backup', 'event-path', 'faults', 'upgrade'];

export default {
  testTimeout: 120_000,
  projects: [
    {
      ...project,
      displayName: 'own servers',
      testMatch: OWN_SERVERS.map((folder) => `<rootDir>/${folder}/**/*.spec.ts`),
    },
    {
      ...onPlatform,
      displayName: 'platform',
      testMatch: ['<rootDir>/**/*.spec.ts'],
      testPathIgnorePatterns: [
        ...project.testPathIgnorePatterns,
        ...OWN_SERVERS.map((folder) => `<rootDir>/${folder}/`),
        ...alone,
      ],
    },
    { ...onPlatform, displayName: 'alone', runner: inScripts('jest-serial-runner.cjs'), testMatch: alone },
  ],
};
