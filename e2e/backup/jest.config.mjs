import shared from '../../jest.config.mjs';

// The rehearsal brings its own servers and services, because it loses them: it needs no platform beside it.
export default {
  ...shared,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>'],
  testMatch: ['<rootDir>/**/*.spec.ts'],
  testEnvironment: '<rootDir>/../../scripts/jest-environment.cjs',
  resolver: '<rootDir>/../../scripts/jest-resolver.cjs',
};
