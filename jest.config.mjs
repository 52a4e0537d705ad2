// One configuration for the unit and service tests of every package; `scripts/test.mjs` gives the
// servers' addresses through the environment. End-to-end tests have their own (e2e/jest.config.mjs).
export default {
  rootDir: import.meta.dirname,
  roots: ['<rootDir>/libs', '<rootDir>/apps', '<rootDir>/examples', '<rootDir>/scripts'],
  testMatch: ['**/src/**/*.spec.ts', '**/test/**/*.spec.ts', '**/scripts/**/*.spec.mjs'],
  testPathIgnorePatterns: [
    '/node_modules/',
    '/dist/',
    // What only a Citus cluster can show; what CI runs besides; what needs long, or what few machines have.
    ...(process.env.CITUS_URL ? [] : ['\\.cluster\\.spec\\.ts$']),
    ...(process.env.ALL ? [] : ['\\.all\\.spec\\.ts$']),
    ...(process.env.DEEP ? [] : ['\\.deep\\.spec\\.ts$']),
  ],
  modulePathIgnorePatterns: ['/dist/'],
  // For a busy machine: what is too slow shows in bench/, never as a test that fails now and then.
  testTimeout: 120_000,
  testEnvironment: '<rootDir>/scripts/jest-environment.cjs',
  runtime: '<rootDir>/scripts/jest-runtime.cjs',
  // Workspace packages are read from their sources (the "source" condition of their exports).
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  // They share its realm with Node, which needs these itself.
  fakeTimers: { doNotFake: ['nextTick', 'queueMicrotask'] },
  resolver: '<rootDir>/scripts/jest-resolver.cjs',
  // TypeScript becomes CommonJS: Node 20 never frees an ES module made by `vm`. So does .mjs that it loads, before Node 24.9.
  transform: { '^.+\\.(ts|mjs)$': ['@swc/jest'] },
  collectCoverageFrom: ['**/src/**/*.ts', '!**/*.spec.ts', '!**/main.ts'],
  coverageProvider: 'v8',
};
