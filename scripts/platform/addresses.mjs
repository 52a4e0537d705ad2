/** Where a running platform answers. Tests and the demo read it from the ready line or from the run state.
 * @typedef {Awaited<ReturnType<typeof import('./run-platform.mjs').planPlatform>>['addresses']} Addresses */

/** The people that the seed creates, in the development profile alone. */
const DEMO_PASSWORD = 'correct-horse-battery-staple';
const DEMO_SIGN_INS = [
  ['dev@acme.test', 'developer workspace Acme'],
  ['admin@globex.test', 'admin of Globex (Business)'],
  ['member@globex.test', 'member of Globex (Business)'],
  ['admin@initech.test', 'admin of Initech (Enterprise)'],
  ['operator@platform.test', 'operator, at marketplace-admin'],
];

/** What is printed when everything answers. @param {Addresses} addresses */
export function readyTable(addresses) {
  const withoutPassword = (/** @type {string} */ url) => url.replace(/\/\/([^:@/]+):[^@]*@/, '//$1@');
  const runs = (/** @type {string} */ service) => addresses.services[service] !== undefined;
  const rows = [
    ...(runs('gateway') ? [['gateway', addresses.baseUrl, 'API; sign-in page at /account']] : []),
    ...(runs('gateway') ? [['  documentation', `${addresses.baseUrl}/api/docs`, 'OpenAPI at /api/openapi.json']] : []),
    ...(runs('embed-gateway') ? [['embed-gateway', addresses.embedApiUrl, 'embed tokens and pages']] : []),
    ...(runs('marketplace-admin') ? [['marketplace-admin', addresses.adminUrl, 'operators']] : []),
    ...(addresses.mailUrl ? [['mail catcher', addresses.mailUrl, `SMTP at ${addresses.smtpUrl}`]] : []),
    ['PostgreSQL', withoutPassword(addresses.databaseUrl), `password in ${addresses.dataDir}/secrets.json`],
    ['NATS', withoutPassword(addresses.natsUrl), ''],
    ['data and logs', addresses.dataDir, 'logs/<service>.log'],
  ];
  const signIns = DEMO_SIGN_INS.map(([email, who]) => [email ?? '', who ?? '', '']);
  return [
    '',
    ...columns(rows),
    ...(runs('identity') ? ['', `Demo sign-ins, password ${DEMO_PASSWORD}`, ...columns(signIns)] : []),
    '',
  ].join('\n');
}

/** Text in columns. @param {readonly (readonly string[])[]} rows @returns {string[]} one line a row */
export function columns(rows) {
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  return rows.map((row) => `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')}`.trimEnd());
}
