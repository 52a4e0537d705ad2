/** The platform of the run, between its start and its end. */
declare var e2ePlatform: { child: import('node:child_process').ChildProcess; dataDir: string };
