import shared from '../../jest.config.mjs';

// The fault test brings its own servers and services, because it kills them: it needs no platform beside it.
export default {
  ...shared,
  rootDir: import.meta.dirname,
  roots: ['<rootDir>', '<rootDir>/../event-path'],
  testMatch: ['<rootDir>/**/*.spec.ts', '<rootDir>/../event-path/**/*.spec.ts'],
  testEnvironment: '<rootDir>/../../scripts/jest-environment.cjs',
  resolver: '<rootDir>/../../scripts/jest-resolver.cjs',
};
