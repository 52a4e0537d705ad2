import shared from '../jest.config.mjs';

// End-to-end tests go through the public addresses of a platform that runs as `npm start` runs it, on free ports and
// throwaway data; one after the other, because some of them kill its processes.
export default {
  ...shared,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>'],
  testMatch: ['<rootDir>/**/*.spec.ts'],
  // These bring servers of their own, and have configurations without the platform.
  testPathIgnorePatterns: [
    ...shared.testPathIgnorePatterns,
    '<rootDir>/backup/',
    '<rootDir>/event-path/',
    '<rootDir>/faults/',
  ],
  testEnvironment: '<rootDir>/../scripts/jest-environment.cjs',
  resolver: '<rootDir>/../scripts/jest-resolver.cjs',
  globalSetup: '<rootDir>/platform/start.mjs',
  globalTeardown: '<rootDir>/platform/stop.mjs',
  testTimeout: 120_000,
};
