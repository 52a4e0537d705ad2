// Who may import what (decision record 0045). `node_modules/.bin/depcruise --config .dependency-cruiser.cjs apps libs e2e bench examples`

/** Libraries from the bottom to the top; each may import those to its left only. */
const LIBS = [
  'contracts',
  'address-policy',
  'formula',
  'fields',
  'manifest',
  'egress',
  'access',
  'telemetry',
  'database',
  'encryption',
  'messaging',
  'limits',
  'http',
  'operator-audit',
  'runtime',
  'sdk',
  'api-client',
  'ui',
  'records-ui',
  'testing',
];

/** Pure libraries: the CLI and the browser use them too, so they touch neither files nor network. */
const PURE = ['contracts', 'address-policy', 'formula', 'fields', 'manifest'];

/** What a browser loads: the pages, the libraries that they share, and the part of the SDK that embeds. */
const BROWSER = '^(apps/(embed-page|console)|libs/(ui|api-client|records-ui))/src/|^libs/sdk/src/embed/';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'Files that import each other in a circle cannot be understood one at a time.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'app-imports-no-app',
      comment: 'Services talk over NATS; what two of them share is a library.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'lib-imports-no-app',
      comment: 'A library knows no service.',
      severity: 'error',
      from: { path: '^(libs|bench)/' },
      to: { path: '^apps/' },
    },
    ...LIBS.map((lib, index) => ({
      name: `arrows-point-down-from-${lib}`,
      comment: `libs/${lib} may import ${LIBS.slice(0, index).join(', ') || 'no other library'}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: `^libs/${lib}/` },
      to: { path: `^libs/(${LIBS.slice(index + 1).join('|') || 'none-above'})/` },
    })),
    {
      name: 'edges-have-no-database',
      comment:
        'gateway, embed-gateway and marketplace-admin hold no rows; what they share with services is in other libraries.',
      severity: 'error',
      from: { path: '^apps/(gateway|embed-gateway|marketplace-admin)/src/' },
      to: { path: '^libs/database/' },
    },
    {
      name: 'testing-is-for-tests',
      comment: 'What a service runs on does not import the test library.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: ['\\.spec\\.ts$', '/test/', '^libs/testing/'] },
      to: { path: '^libs/testing/' },
    },
    {
      name: 'source-imports-no-test',
      severity: 'error',
      from: { path: '/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: ['\\.spec\\.ts$', '/test/'] },
    },
    {
      name: 'libraries-by-their-name',
      comment: 'Another package is imported by its name, never by a path into it.',
      severity: 'error',
      from: { path: '^(apps|libs)/([^/]+)/' },
      to: {
        path: '^(apps|libs)/',
        pathNot: [
          '^$1/$2/',
          '/src/index\\.ts$',
          '/dist/index\\.js$',
          '/src/(styles|kit)\\.css$',
          // `@crm/sdk/embed` and what is below it have entry points of their own.
          '^libs/sdk/src/embed/index\\.ts$',
          '^libs/sdk/src/embed/[a-z]+/index\\.ts$',
          // What is loaded later has entry points of its own.
          '^libs/records-ui/src/(fields|pipeline|record)/index\\.ts$',
          // The catalogues without a schema library, for pages.
          '^libs/contracts/src/(object-paths|objects|page-paths|rights)\\.ts$',
          // Edges alone take the proxy, services alone the query of the trail.
          '^libs/runtime/src/proxy/index\\.ts$',
          '^libs/operator-audit/src/operator-audit\\.dto\\.ts$',
        ],
      },
    },
    {
      name: 'pure-libraries-do-no-io',
      severity: 'error',
      from: { path: `^libs/(${PURE.join('|')})/src/`, pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|buffer|util|punycode)$' },
    },
    {
      name: 'cli-stays-light',
      comment:
        'The command starts in well under a second and runs anywhere: the pure libraries and Node, no framework.',
      severity: 'error',
      from: { path: '^apps/cli/src/', pathNot: '\\.spec\\.ts$' },
      to: { path: ['^libs/', 'node_modules/'], pathNot: [`^libs/(${PURE.join('|')})/`, '/@types/node/'] },
    },
    {
      name: 'sdk-stands-alone',
      comment: 'It is published by itself: what an app developer installs brings nothing else.',
      severity: 'error',
      from: { path: '^libs/sdk/src/', pathNot: '\\.spec\\.ts$' },
      to: {
        path: ['^libs/', 'node_modules/'],
        pathNot: ['^libs/sdk/', '/@types/node/', '/node_modules/(@types/)?react/'],
      },
    },
    {
      name: 'sdk-needs-react-in-one-place',
      comment: 'Only who imports @crm/sdk/embed/react has to have React.',
      severity: 'error',
      from: { path: '^libs/sdk/src/', pathNot: ['^libs/sdk/src/embed/react/', '\\.spec\\.ts$'] },
      to: { path: '/node_modules/(@types/)?react/' },
    },
    {
      name: 'browser-has-no-node',
      comment: 'What a browser loads has nothing of Node, of no library that is for services, and of no service.',
      severity: 'error',
      from: { path: BROWSER, pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'browser-loads-little',
      comment:
        'Of our libraries, a page takes those for pages and the protocol; each of the others would have to be made fit first.',
      severity: 'error',
      from: { path: BROWSER, pathNot: '\\.spec\\.ts$' },
      to: {
        path: '^libs/',
        pathNot: [
          '^libs/(ui|api-client|records-ui)/',
          '^libs/sdk/src/embed/',
          '^libs/contracts/src/(object-paths|objects|page-paths|rights)\\.ts$',
        ],
      },
    },
    {
      name: 'examples-use-what-developers-have',
      comment: 'Of the platform, an app developer can install the SDK.',
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(apps|libs)/', pathNot: '^libs/sdk/' },
    },
    {
      name: 'http-goes-through-egress',
      comment: 'Only the checked client calls the outside. Exceptions: the health server, the proxy, tests, tools.',
      severity: 'error',
      from: {
        pathNot: [
          '^libs/(egress|testing)/',
          '^(e2e|scripts|bench)/',
          '/test/',
          '\\.spec\\.ts$',
          '^libs/runtime/src/operations/operations-server\\.ts$',
          '^libs/http/src/server/(adapter|client-address|unrouted)\\.ts$',
          // To a program of the developer's own machine.
          '^apps/cli/src/commands/forward\\.ts$',
          '^libs/runtime/src/proxy/',
          // A server, as small as it can be.
          '^examples/embed-host/src/server\\.mjs$',
        ],
      },
      to: { path: ['^(node:)?(http|https|http2|dgram)$', 'node_modules/(undici|axios|got|node-fetch)/'] },
    },
    {
      name: 'resolves',
      comment:
        'An import that cannot be resolved is checked by no rule. A page without a bundler imports from its own server.',
      severity: 'error',
      from: { pathNot: '^examples/embed-host/page/' },
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    exclude: { path: '(^|/)dist/' },
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      conditionNames: ['source', 'import', 'node', 'default'],
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
