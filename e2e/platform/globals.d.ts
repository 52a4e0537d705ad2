/** The platform of the run, between its start and its end. */
declare var e2ePlatform: import('../../scripts/testing/platform-for-tests.mjs').TestPlatform;
